import { isTag } from 'domhandler';
import { expect, it } from 'vitest';
import { imageSource } from './image-source.ts';
import { parseHtml } from '../html/parse-html.ts';

it.each<[why: string, attributes: string, source: string | undefined]>([
  ['src', 'src="a.png"', 'a.png'],
  ['the lazy address instead of a placeholder', 'src="blank.gif" data-src="a.png"', 'a.png'],
  ['src instead of a switch of a lazy loader', 'src="a.png" data-src="false" data-lazy="1"', 'a.png'],
  ['the densest of a list in src', 'src="/s.png, /l.png 2x" srcset="/s.png, /l.png 2x"', '/l.png'],
  ['the widest of a list in a lazy attribute', 'src="blank.gif" data-src="l.png 900w, s.png 300w"', 'l.png'],
  ['an address with a space and a size', 'src="two rakes 2x.png"', 'two rakes 2x.png'],
  ['srcset instead of inline data', 'src="data:image/gif;base64,R0lGOD" srcset="b.png"', 'b.png'],
  ['the widest of srcset', 'srcset="s.png 480w, l.png 1200w, m.png 800w"', 'l.png'],
  ['the densest of srcset', 'srcset="s.png,l.png 2x"', 's.png,l.png'],
  [
    'the widest of srcset without spaces between',
    'srcset="s.png 375w,https://x.example/l.png 750w"',
    'https://x.example/l.png',
  ],
  ['the lazy srcset instead of a placeholder', 'src="blank.gif" data-srcset="s.png 1x, l.png 2x"', 'l.png'],
  [
    'the address of an unknown lazy loader',
    'src="data:image/gif;base64,R0lGOD" nitro-lazy-src="https://x.example/a.png"',
    'https://x.example/a.png',
  ],
  ['the srcset of a lazy loader', 'data-delay-srcset="/s.png 1x, /l.png 2x" data-delay="3"', '/l.png'],
  ['a relative address', 'data-img-url="img/a.png"', 'img/a.png'],
  ['nothing from templates of scripts', `v-ll-src="'https://x.example/' + a" data-src-tpl="/a_{width}.png"`, undefined],
  [
    'nothing from the page of a picture',
    'data-permalink="https://x.example/" data-pin-url="https://x.example/"',
    undefined,
  ],
  ['srcset instead of an empty fragment', 'src="#" data-srcset="l.png 2x"', 'l.png'],
  ['nothing for an empty fragment', 'src="#"', undefined],
  ['nothing for inline data only', 'src="data:image/gif;base64,R0lGOD"', undefined],
])('imageSource: returns %s', (_, attributes, source) => {
  const [image] = parseHtml(`<img ${attributes}>`).children;
  expect(image !== undefined && isTag(image) ? imageSource(image) : 'no image').toBe(source);
});

it.each(['<img src=a.png>', '<picture><source srcset=b.webp><img src=a.png></picture>'])(
  'imageSource: returns what a page without scripts would show: %s',
  (twin) => {
    const [image] = parseHtml(`<img src="data:image/gif;base64,R0lGOD"><noscript>${twin}</noscript>`).children;
    expect(image !== undefined && isTag(image) ? imageSource(image) : 'no image').toBe('a.png');
  },
);
