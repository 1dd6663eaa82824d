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
    'thumbnails below the large picture',
    picture('a') + ['a', 'b', 'c'].map((name) => picture(name, 80)).join(''),
    'a b c',
  ],
  ['a hover image in two sizes', `${picture('a', 300)}${picture('a', 600)}<p>Desk</p>`, 'a Desk'],
  ['the second turn of a carousel', named('abcdabcd'), 'a b c d'],
  [
    'a gallery for another screen, after a text',
    `${named('abc')}<h1>Desk</h1>${named('abc')}<p>Text</p>`,
    'a b c # Desk Text',
  ],
  ['a gallery that has one more: it stays whole', `${named('ab')}<p>x</p>${named('abc')}`, 'a b x a b c'],
  ['one picture that illustrates two texts', `${picture('a')}<p>x</p>${picture('a')}<p>y</p>`, 'a x a y'],
  [
    'each product with its badge',
    '<p><img src=/new.png alt=New> x</p><p><img src=/new.png alt=New> y</p>',
    'new x new y',
  ],
  ['stars', sign('star').repeat(5), 'starstarstarstarstar'],
  ['a row of check marks and crosses', `<div>Wi-Fi</div>${sign('yes')}${sign('no')}${sign('yes')}`, 'Wi-Fi yesnoyes'],
  [
    'logos that run past twice',
    ['ada', 'bix', 'cio', 'dot', 'ada', 'bix', 'cio', 'dot'].map(sign).join(''),
    'adabixciodot',
  ],
  [
    'a placeholder for several pictures',
    '<img src=/load.png alt="The first chair of all"><img src=/load.png alt="The second chair of all">',
    'loadload',
  ],
])('%s', (_, html, stays) => {
  expect(left(html)).toBe(stays);
});

it('leaves images in table cells', () => {
  const cell = `<td><img src="/included.png" alt="Included in this subscription"></td>`;
  const html = `<table><tr><th>Plan<th>A<th>B</tr><tr><td>Mail</td>${cell}${cell}</tr></table>`;
  expect(left(html).match(/included/g)).toHaveLength(2);
});
