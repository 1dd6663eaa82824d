import { expect, it } from 'vitest';
import { parseHtml } from '../html/parse-html.ts';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { withoutRepeatedImages } from './repeated-images.ts';

const picture = (name: string, size = 800): string =>
  `<div><img src="/${name}.jpg?w=${size}" alt="The desk with the view ${name}"></div>`;
const sign = (name: string): string => `<span><img src="/${name}.svg" alt="${name}"></span>`;
const named = (names: string): string =>
  names
    .split('')
    .map((name) => picture(name))
    .join('');

/** The names of the images that stay, and the text around them. */
function left(html: string): string {
  const content = withoutRepeatedImages({ nodes: parseHtml(html).children, skipped: new Set() });
  return toMarkdown(content, (address) => address)
    .replaceAll(/!\[[^\]]*\]\(\/(\w+)[^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ');
}

it.each<[why: string, html: string, stays: string]>([
  [
    'thumbnails below the large picture, keeps each picture once',
    picture('a') + ['a', 'b', 'c'].map((name) => picture(name, 80)).join(''),
    'a b c',
  ],
  ['a hover image in two sizes, keeps one', `${picture('a', 300)}${picture('a', 600)}<p>Desk</p>`, 'a Desk'],
  ['the second turn of a carousel, keeps the first', named('abcdabcd'), 'a b c d'],
  [
    'a gallery that is repeated after a text, keeps the first',
    `${named('abc')}<h1>Desk</h1>${named('abc')}<p>Text</p>`,
    'a b c # Desk Text',
  ],
  ['a later gallery with one more picture, keeps both whole', `${named('ab')}<p>x</p>${named('abc')}`, 'a b x a b c'],
  ['one picture that illustrates two texts, keeps both', `${picture('a')}<p>x</p>${picture('a')}<p>y</p>`, 'a x a y'],
  [
    'a badge on each product, keeps all',
    '<p><img src=/new.png alt=New> x</p><p><img src=/new.png alt=New> y</p>',
    'new x new y',
  ],
  ['a row of stars, keeps all', sign('star').repeat(5), 'starstarstarstarstar'],
  [
    'a row of check marks and crosses, keeps all',
    `<div>Wi-Fi</div>${sign('yes')}${sign('no')}${sign('yes')}`,
    'Wi-Fi yesnoyes',
  ],
  [
    'a row of logos that is repeated, keeps the first',
    ['ada', 'bix', 'cio', 'dot', 'ada', 'bix', 'cio', 'dot'].map(sign).join(''),
    'adabixciodot',
  ],
  [
    'one placeholder of several pictures, keeps all',
    '<img src=/load.png alt="The first chair of all"><img src=/load.png alt="The second chair of all">',
    'loadload',
  ],
])('withoutRepeatedImages: for %s', (_, html, stays) => {
  expect(left(html)).toBe(stays);
});

it('withoutRepeatedImages: keeps repeated images in table cells', () => {
  const cell = `<td><img src="/included.png" alt="Included in this subscription"></td>`;
  const html = `<table><tr><th>Plan<th>A<th>B</tr><tr><td>Mail</td>${cell}${cell}</tr></table>`;
  expect(left(html).match(/included/g)).toHaveLength(2);
});
