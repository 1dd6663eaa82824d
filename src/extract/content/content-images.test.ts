import { expect, test } from 'vitest';
import { contentImages } from './content-images.ts';
import { parseHtml } from '../html/parse-html.ts';

const imagesOf = (html: string): string[] =>
  contentImages({ nodes: parseHtml(html, { keepsAll: false }).children, skipped: new Set() }, 100);

test('contentImages: returns images at any depth in their order', () => {
  expect(
    imagesOf(
      '<p>a<img src=/1.jpg></p><figure><a href=/x><picture><img data-src=/2.jpg src=x.gif></picture></a></figure>',
    ),
  ).toEqual(['/1.jpg', '/2.jpg']);
});

test('contentImages: skips tracking pixels and inline data', () => {
  expect(imagesOf('<img src=/count.gif width=1 height=1><img src="data:image/png;base64,AA"><img alt=x>')).toEqual([]);
});

test('contentImages: returns the first hundred images', () => {
  expect(imagesOf('<img src=/i.jpg>'.repeat(5_000))).toHaveLength(100);
});
