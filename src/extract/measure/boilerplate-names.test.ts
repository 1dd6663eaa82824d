import { describe, expect, it } from 'vitest';
import { groupOfNames } from './boilerplate-names.ts';

describe('groupOfNames', () => {
  it.each<[names: string, group: string | undefined]>([
    ['sidebar', 'navigation'],
    ['col-4 page__side-bar', 'navigation'],
    ['SiteFooter_wrapper__x7', 'navigation'],
    ['shareButtons', 'surrounding'],
    ['seitenleiste', 'surrounding'],
    ['navheader', 'navigation'],
    ['comment-list', 'comments'],
    ['kommentare', 'comments'],
    ['product-reviews', 'reviews'],
    ['testimonial reviews', 'testimonials'],
    ['btn btn-large', 'details'],
    ['byline', undefined],
    ['gem-c-step-nav__title', undefined],
    ['userinfo', 'posters'],
    // The first group counts, in the order of the table.
    ['date comments', 'comments'],
    // These describe the surroundings of an element.
    ['has-sidebar', undefined],
    ['no-comments', undefined],
    ['card-footer', undefined],
    ['product-details-modal', undefined],
    // Parts of words are other words.
    ['shares shareholder', undefined],
    ['updates', undefined],
    ['type-name-label', undefined],
    ['post-date', undefined],
    ['content article-body', undefined],
    ['', undefined],
    [`menu ${'x'.repeat(500)}`, undefined],
  ])('groupOfNames: puts %j into the group %s', (names, group) => {
    expect(groupOfNames(names)).toBe(group);
  });
});
