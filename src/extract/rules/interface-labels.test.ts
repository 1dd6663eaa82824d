import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const prose = 'Words of the article itself, enough of them that nobody takes it for a caption or a menu. ';
const textBelowProse = (html: string): string =>
  toText(chooseContent(parseHtml(`<main><p>${prose}</p>${html}</main>`), 'auto', null))
    .slice(prose.length)
    .trim();

describe('labels of the interface', () => {
  it.each([
    '<p>ADVERTISEMENT</p>',
    '<a href=/1>Read\n more</a>',
    '<div><span>Skip To Content</span></div>',
    '<p>teilen</p>',
    '<a href=#r>Jump to Recipe</a>',
    '<p class=tisk><a href=/p>Tisk stránky</a></p>',
    '<span>Filter &amp; Sort</span>',
  ])('interface labels: %s is dropped', (html) => {
    expect(textBelowProse(html)).toBe('');
  });

  it.each<[html: string, text: string]>([
    ['<h2>Subscribe</h2><p>Rakes.</p>', 'Subscribe\n\nRakes.'],
    ['<p>Click <a href=/1>Read more</a> to see it.</p>', 'Click Read more to see it.'],
    ['<p>Then click <b>Subscribe</b></p>', 'Then click Subscribe'],
    ['<p>Read more rakes</p>', 'Read more rakes'],
    ['<table><tr><td>Share<td>5 %<tr><td>Bond<td>2 %</table>', 'Share\t5 %\nBond\t2 %'],
    ['<pre>share</pre>', 'share'],
    ['<p>Sold out</p>', 'Sold out'],
    ['<p>Share of recipes</p>', 'Share of recipes'],
  ])('interface labels: %s stays', (html, text) => {
    expect(textBelowProse(html)).toBe(text);
  });
});
