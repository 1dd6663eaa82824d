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
  ['none', 'src="data:image/gif;base64,R0lGOD"', undefined],
])('%s', (_, attributes, source) => {
  const [image] = parseHtml(`<img ${attributes}>`).children;
  expect(image !== undefined && isTag(image) ? imageSource(image) : 'no image').toBe(source);
});
