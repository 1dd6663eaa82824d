import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';
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
    expect(isEndHeading(text)).toBe(true);
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
    expect(isEndHeading(text)).toBe(false);
  });
});

describe('end-section', () => {
  const prose = (word: string, count: number): string =>
    `<p>The ${word} of the valley says what happened, in words enough for a line of prose on its own.</p>`.repeat(
      count,
    );
  const textOf = (html: string): string => toText(chooseContent(parseHtml(html), 'auto', null));

  it.each([
    ['Share this story', 4, 20],
    ['Share this story', 12, 30],
    ['Artikel teilen', 6, 0],
    ['Get the latest', 6, 20],
  ])(
    'end-section: keeps an article in a box that opens with %j when %i paragraphs follow it',
    (heading, own, later) => {
      const comments = `<div>${prose('reader', later)}</div>`;
      const text = textOf(`<div><h4>${heading}</h4><a href=/s>Mail</a>${prose('article', own)}</div>${comments}`);
      expect(text).toContain('The article of the valley');
    },
  );

  it.each([
    [9, 5],
    [20, 4],
  ])('end-section: leaves out comments when %i paragraphs stand before %i of theirs', (own, later) => {
    const text = textOf(`<div>${prose('article', own)}</div><div><h4>Comments</h4>${prose('reader', later)}</div>`);
    expect([text.includes('The article'), text.includes('The reader')]).toEqual([true, false]);
  });
});
