import { expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';

function keepsBoxOf(names: string): boolean {
  const html = `<meta property=og:type content=article><article><h1>Rakes</h1><p>${prose.repeat(6)}</p><div class="${names}">Ash, scale 1:50</div><p>${prose.repeat(6)}</p></article>`;
  return toText(chooseContent(parseHtml(html), 'auto', null)).includes('scale 1:50');
}

it.each([
  'blueprint-tags',
  'footprint_count',
  'printer-badge',
  'advertised-tags',
  'skipper-badge',
  'shareholders-count',
  'unhiddenTags',
  'toaster-tags',
])('chooseContent: keeps a plain box whose name only contains a word of what is laid over a page: %s', (names) => {
  expect(keepsBoxOf(names)).toBe(true);
});

it.each([
  'print-tags',
  'share_count',
  'shareCount',
  'tags hidden',
  'CookieBadge',
  'skip-tags',
  'advert',
  'popup',
  'newsletter-badge',
])('chooseContent: drops a plain box with a word of what is laid over a page: %s', (names) => {
  expect(keepsBoxOf(names)).toBe(false);
});
