import { describe, expect, it } from 'vitest';
import { isEndHeading } from './end-headings.ts';

describe('isEndHeading', () => {
  it.each([
    'Related articles',
    'You may also like…',
    '3 Comments',
    'Comments (12)',
    'Similar jobs (2)',
    'More events from this organizer',
    'Leave a Reply',
    'About the author',
    'Share this:',
    'More from our blog',
    'Ähnliche Beiträge',
    'Weitere Artikel zum Thema',
    'Viel gelesen in Handel',
    'Dans la même rubrique',
    'Articles les plus lus',
    'À lire aussi',
    'Artículos relacionados',
    'Mehr aus der Sendung',
    'Das Thema könnte dich auch interessieren:',
    'Le puede interesar:',
    'Czytaj także',
  ])('isEndHeading: is true for %j', (text) => {
    expect(isEndHeading(text, 'article')).toBe(true);
  });

  it.each([
    'See also',
    'References',
    'Weitere Informationen',
    'Related work on sorting networks',
    'Comments in the source code',
    'How to share a folder',
    'Contents',
    'Conclusion',
    'Returns',
    'Warranty of the software',
    'Mehr Licht',
    'More work in the garden',
    'Events (2)',
    'Reviews',
    '',
    `Related articles ${'x'.repeat(60)}`,
  ])('isEndHeading: is false for %j', (text) => {
    expect(isEndHeading(text, 'article')).toBe(false);
  });

  it.each(['Returns', 'Shipping & Returns', 'Delivery', 'Size guide', 'Warranty & repairs'])(
    'isEndHeading: is true on product pages only for %j',
    (text) => {
      expect([isEndHeading(text, 'product'), isEndHeading(text, 'other')]).toEqual([true, false]);
    },
  );
});
