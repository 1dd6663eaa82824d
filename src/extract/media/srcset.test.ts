import { expect, it } from 'vitest';
import { srcsetCandidates } from './srcset.ts';

const cloudinary = 'https://res.cloudinary.com/x/image/upload/c_fill,w_400,h_300/a.jpg';
const wix = 'https://static.wixstatic.com/media/a.jpg/v1/fill/w_980,h_551,al_c,q_85/a.jpg';
const imgix = 'https://x.imgix.net/a.png?auto=compress,format&w=800';
const data = 'data:image/svg+xml;base64,PHN2Zy8+';

it.each<[why: string, srcset: string, candidates: [string, number][]]>([
  [
    'widths',
    's.jpg 480w, l.jpg 1200w',
    [
      ['s.jpg', 480],
      ['l.jpg', 1200],
    ],
  ],
  [
    'densities',
    'a.jpg, b.jpg 1.5x, c.jpg 2x',
    [
      ['a.jpg', 1],
      ['b.jpg', 1.5],
      ['c.jpg', 2],
    ],
  ],
  [
    'no space after the comma',
    'a.jpg 375w,https://x.example/b.jpg 750w',
    [
      ['a.jpg', 375],
      ['https://x.example/b.jpg', 750],
    ],
  ],
  ['a comma within an address', 'a.jpg,b.jpg 2x', [['a.jpg,b.jpg', 2]]],
  [
    'Cloudinary',
    `${cloudinary} 400w,${cloudinary} 800w`,
    [
      [cloudinary, 400],
      [cloudinary, 800],
    ],
  ],
  [
    'Wix',
    `${wix} 1x, ${wix} 2x`,
    [
      [wix, 1],
      [wix, 2],
    ],
  ],
  ['imgix', `${imgix} 800w`, [[imgix, 800]]],
  [
    'Shopify',
    '//cdn.shopify.com/a_180x.jpg 180w 120h,//cdn.shopify.com/a.jpg 2048w 1365h',
    [
      ['//cdn.shopify.com/a_180x.jpg', 180],
      ['//cdn.shopify.com/a.jpg', 2048],
    ],
  ],
  [
    'inline data',
    `${data} 1x, b.jpg 2x`,
    [
      [data, 1],
      ['b.jpg', 2],
    ],
  ],
  ['only inline data', data, [[data, 1]]],
  [
    'line ends and stray commas',
    '\n , a.jpg\t1x ,,\n b.jpg\f2x, ',
    [
      ['a.jpg', 1],
      ['b.jpg', 2],
    ],
  ],
  [
    'commas at the end of an address',
    'a.jpg,, b.jpg',
    [
      ['a.jpg', 1],
      ['b.jpg', 1],
    ],
  ],
  ['a comma in brackets', 'a.jpg type(a, b) , c.jpg 2x', [['c.jpg', 2]]],
  ['nothing from unclosed brackets', 'a.jpg (1x, b.jpg 2x', []],
  ['no address with a space', 'my photo.jpg 480w, b.jpg 960w', [['b.jpg', 960]]],
  [
    'sizes without a unit',
    'a.jpg 480, b.jpg 960',
    [
      ['a.jpg', 480],
      ['b.jpg', 960],
    ],
  ],
  ['no size that is not a positive number', 'a.jpg -5w, b.jpg Infinityx, c.jpg 0w', [['c.jpg', 1]]],
  ['an empty srcset', ' ,, ', []],
])('srcsetCandidates: reads %s', (_, srcset, candidates) => {
  expect(srcsetCandidates(srcset)).toEqual(candidates.map(([address, size]) => ({ address, size })));
});

it.each([',', ' ', '(', ')', 'a ', 'a,', 'a 1x,', 'a (', ' (', 'a 1 ', '1 '])(
  'srcsetCandidates: reads 300,000 times %j in linear time',
  (part) => {
    expect(srcsetCandidates(part.repeat(300_000)).length).toBeLessThanOrEqual(300_000);
  },
);
