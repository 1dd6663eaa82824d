import { isTag } from 'domhandler';
import { expect, it } from 'vitest';
import { imageSource } from './image-source.ts';
import { parseHtml } from '../html/parse-html.ts';

it.each<[why: string, attributes: string, source: string | undefined]>([
  ['src', 'src="a.png"', 'a.png'],
  ['lazy before placeholder', 'src="blank.gif" data-src="a.png"', 'a.png'],
  ['not the data', 'src="data:image/gif;base64,R0lGOD" srcset="b.png"', 'b.png'],
  ['the widest', 'srcset="s.png 480w, l.png 1200w, m.png 800w"', 'l.png'],
  ['the densest', 'srcset="s.png,l.png 2x"', 's.png,l.png'],
  ['no space between two', 'srcset="s.png 375w,https://x.example/l.png 750w"', 'https://x.example/l.png'],
  ['late before placeholder', 'src="blank.gif" data-srcset="s.png 1x, l.png 2x"', 'l.png'],
  [
    'a loader of its own kind',
    'src="data:image/gif;base64,R0lGOD" nitro-lazy-src="https://x.example/a.png"',
    'https://x.example/a.png',
  ],
  ['its srcset', 'data-delay-srcset="/s.png 1x, /l.png 2x" data-delay="3"', '/l.png'],
  ['a relative address', 'data-img-url="img/a.png"', 'img/a.png'],
  ['nothing that a script reads', `v-ll-src="'https://x.example/' + a" data-src-tpl="/a_{width}.png"`, undefined],
  ['not the page of a picture', 'data-permalink="https://x.example/" data-pin-url="https://x.example/"', undefined],
  ['a place that a script fills', 'src="#" data-srcset="l.png 2x"', 'l.png'],
  ['the page itself', 'src="#"', undefined],
  ['none', 'src="data:image/gif;base64,R0lGOD"', undefined],
])('%s', (_, attributes, source) => {
  const [image] = parseHtml(`<img ${attributes}>`).children;
  expect(image !== undefined && isTag(image) ? imageSource(image) : 'no image').toBe(source);
});
