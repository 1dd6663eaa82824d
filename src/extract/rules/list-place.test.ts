import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const counts = [2, 3, 4, 6, 8, 12, 20, 40];
const paragraph = 'Words of the page itself, enough of them that nobody takes it for a caption or a menu. ';

interface Page {
  /** Before the list: its heading, or the end of the content. */
  readonly before: string;
  readonly container: string;
  readonly type: string;
  /** Writes the list of this many entries. */
  readonly list: (entries: number) => string;
}

const asList = (entries: number): string =>
  `<ul>${Array.from({ length: entries }, (_, at) => `<li><a href=/${at}>What becomes of rake number ${at}?</a></li>`).join('')}</ul>`;

const asBoxes = (entries: number): string =>
  Array.from({ length: entries }, (_, at) => `<div><a href=/${at}>What becomes of rake number ${at}?</a></div>`).join(
    '',
  );

function isKept({ before, container, type, list }: Page, entries: number, paragraphs: number, inBox = true): boolean {
  const text = Array.from({ length: paragraphs }, (_, at) => `<p>${at} ${paragraph}</p>`).join('');
  const listed = `${before}${list(entries)}`;
  const html = `<title>Rakes</title><meta property=og:type content=${type}><${container}><h1>Rakes</h1>${text}${inBox ? `<div class=q>${listed}</div>` : listed}</${container}>`;
  return toText(chooseContent(parseHtml(html), 'auto', null)).includes('rake number 1?');
}

const containers = ['article', 'main', 'div'];
const types = ['article', 'website'];
const pages = (befores: readonly string[], lists: readonly Page['list'][]): readonly Page[] =>
  befores.flatMap((before) =>
    containers.flatMap((container) =>
      types.flatMap((type) => lists.map((list) => ({ before, container, type, list }))),
    ),
  );

describe('lists of links, by their place', () => {
  it.each(
    pages(
      ['<h2>Related questions</h2>', '<div>Related questions</div>', '<h2>Names of rakes</h2>', ''],
      [asList, asBoxes],
    ),
  )('chooseContent: says the same of a list of any length: %o', (page) => {
    const verdicts = counts.map((entries) =>
      Array.from({ length: 21 }, (_, paragraphs) => (isKept(page, entries, paragraphs) ? '+' : '-')).join(''),
    );
    expect(verdicts.filter((verdict) => !/^\+*-*$/.test(verdict))).toEqual([]);
    expect(new Set(verdicts).size).toBe(1);
  });

  it.each(pages(['<h2>Names of rakes</h2>'], [asList]))('chooseContent: keeps a list below its heading: %o', (page) => {
    for (const paragraphs of [0, 3, 20]) expect(isKept(page, 40, paragraphs, false)).toBe(true);
  });

  it.each(pages(['<h2>Related questions</h2>', '<div>Related questions</div>'], [asList, asBoxes]))(
    'chooseContent: drops a list after the end of the content: %o',
    (page) => {
      for (const entries of counts)
        for (const paragraphs of [3, 6, 20]) expect(isKept(page, entries, paragraphs)).toBe(false);
    },
  );
});
