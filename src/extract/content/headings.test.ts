import { expect, it } from 'vitest';
import { headingsOf } from './headings.ts';
import { parseHtml } from '../html/parse-html.ts';
import { selectElements } from '../html/select-elements.ts';

const outline = (html: string, skipped = ''): string[] => {
  const document = parseHtml(html);
  return headingsOf({ nodes: document.children, skipped: selectElements(document, skipped) });
};

it.each<[html: string, expected: string[]]>([
  ['<h1>A <em>b</em>\n c</h1><div><h3>D<br>e</h3></div>', ['# A b c', '### D e']],
  ['<h2>Sizes<a class=headerlink href="#sizes">¶</a></h2>', ['## Sizes']],
  ['<h2><a href="/sizes">Sizes</a></h2>', ['## Sizes']],
  ['<h2> </h2><h2><img src=x></h2><h2><svg><title>x</title></svg></h2>', []],
  ['<h2><span>Heuer</span><span>Rake 60</span></h2>', ['## Heuer Rake 60']],
  ['<nav><h2>Menu</h2></nav><h2>Text<nav>x</nav></h2>', ['## Text']],
  [`<h6>${'x '.repeat(100_000)}</h6>`, [`###### ${'x '.repeat(100).trim()}`]],
])('headingsOf: returns the headings of %s', (html, expected) => {
  expect(outline(html, 'nav')).toEqual(expected);
});

it('headingsOf: returns at most a hundred', () => {
  expect(outline('<h2>x</h2>'.repeat(1_000))).toHaveLength(100);
});
