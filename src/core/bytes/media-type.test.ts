import { expect, test } from 'vitest';
import { mediaType } from './media-type.ts';

test.each([
  ['text/html', 'text/html'],
  [' Text/HTML ; charset=UTF-8', 'text/html'],
  ['text/html charset=utf-8', 'text/html'],
  ['text/html;charset="', 'text/html'],
  ['text/plain, text/html; charset=utf-8', 'text/html'],
  ['text/html, nonsense', 'text/html'],
  ['application/xhtml+xml', 'application/xhtml+xml'],
  ['', ''],
  ['texthtml', ''],
  ['text/', ''],
  ['/html', ''],
  ['a'.repeat(10_000), ''],
  ['x/y,'.repeat(10_000), 'x/y'],
])('mediaType: reads "$0" as "$1"', (header, expected) => {
  expect(mediaType(header)).toBe(expected);
});
