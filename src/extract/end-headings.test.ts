import { describe, expect, it } from 'vitest';
import { isEndHeading } from './end-headings.ts';

describe('a heading', () => {
  it.each([
    'Related articles',
    'You may also like…',
    '3 Comments',
    'Comments (12)',
    'Leave a Reply',
    'About the author',
    'Share this:',
    'More from our blog',
    'Ähnliche Beiträge',
    'À lire aussi',
    'Artículos relacionados',
  ])('after the content: %s', (text) => {
    expect(isEndHeading(text)).toBe(true);
  });

  it.each([
    'See also',
    'References',
    'Related work on sorting networks',
    'Comments in the source code',
    'How to share a folder',
    'Contents',
    'Conclusion',
    'Reviews',
    '',
    `Related articles ${'x'.repeat(60)}`,
  ])('of the content: %s', (text) => {
    expect(isEndHeading(text)).toBe(false);
  });
});
