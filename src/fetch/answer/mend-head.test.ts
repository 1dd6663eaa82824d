import { describe, expect, test } from 'vitest';
import { mendHead } from './mend-head.ts';

const status = 'HTTP/1.1 200 OK\r\n';

describe('a head in which nothing is wrong is the same', () => {
  test.each([
    ['without headers', `${status}\r\n`],
    ['without a reason', 'HTTP/1.1 200\r\n\r\n'],
    ['ordinary', `${status}Content-Type: text/html\r\nContent-Length: 5\r\nX-Y_Z!#$%&'*+.^|~\`: \ta\t b \r\n\r\n`],
    ['with bytes beyond ASCII in a value', `${status}X: Z\u00c3\u00bcrich\r\n\r\n`],
    ['with an empty value', `${status}X:\r\n\r\n`],
    ['with a status line that no parser takes', `HTTP/3 yes\r\nX: y\r\n\r\n`],
    ['with markup, where the empty line is missing', `${status}X: y\r\n<!doctype html>\r\n\r\n`],
    ['with commas in other headers', `${status}Content-Length: 5\r\nVary: a, b\r\n\r\n`],
  ])('%s', (_, head) => {
    expect(mendHead(head)).toBe(head);
  });
});

describe('a head in which something is wrong', () => {
  test.each([
    ['LF alone', 'HTTP/1.1 200 OK\nA: b\n\n', `${status}A: b\r\n\r\n`],
    ['LF alone at the end', `${status}A: b\r\n\n`, `${status}A: b\r\n\r\n`],
    ['two CR', `${status}A: b\r\r\n\r\n`, `${status}A: b \r\n\r\n`],
    ['a CR within', `${status}A: b\rC: d\r\n\r\n`, `${status}A: b C: d\r\n\r\n`],
    ['control characters in a value', `${status}A: b\0\x01\x7fc\td\r\n\r\n`, `${status}A: b   c\td\r\n\r\n`],
    ['no colon', `${status}nothing\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['no name', `${status}: x\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a name of two words', `${status}X Y: z\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a NUL in a name', `${status}X\0: z\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['white space before the colon', `${status}A \t: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a folded line', `${status}A: b\r\n \t c\r\nD: e\r\n\r\n`, `${status}A: b c\r\nD: e\r\n\r\n`],
    ['a folded line after one that is dropped', `${status}A: b\r\nx\r\n c\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a folded line before all', `${status} c\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    [
      'a length twice',
      `${status}Content-Length: 5\r\nA: b\r\ncontent-length:5 \r\n\r\n`,
      `${status}A: b\r\nContent-Length: 5\r\n\r\n`,
    ],
    ['a length twice in a line', `${status}Content-Length: 5, 5\r\n\r\n`, `${status}Content-Length: 5\r\n\r\n`],
  ])('is mended: %s', (_, head, expected) => {
    expect(mendHead(head)).toBe(expected);
    expect(mendHead(expected)).toBe(expected);
  });

  test.each([
    ['two lengths', `${status}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
    ['two lengths in a line', `${status}Content-Length: 5, 6\r\n\r\n`],
    ['two lengths, one of them after white space', `${status}Content-Length: 5\r\nContent-Length : 6\r\n\r\n`],
    ['two lengths, in lines that end with LF', 'HTTP/1.1 200 OK\nContent-Length: 6\nContent-Length: 5\n\n'],
  ])('still contradicts itself: %s', (_, head) => {
    expect(mendHead(head).match(/^Content-Length: [56]\r$/gmu)).toHaveLength(2);
  });

  test.each([
    ['a length that is folded', `${status}Content-Length: 1\r\n 1\r\n\r\n`, /\r\nContent-Length: 1 1\r\n/u],
    [
      'chunks and a length',
      `${status}Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\n`,
      /Encoding: chunked\r\nContent-Length: 5\r\n/u,
    ],
  ])('is for the parser to refuse: %s', (_, head, expected) => {
    expect(mendHead(head)).toMatch(expected);
  });
});

test.each([
  ['CR', `${status}${'\r'.repeat(128_000)}x\r\n\r\n`],
  ['CR LF CR', `${status}${'\r\n\r'.repeat(40_000)}x\r\n\r\n`],
  ['names without a colon', `${status}${'a'.repeat(128_000)}\r\n\r\n`],
  ['short headers', `${status}${'a:\r\n'.repeat(32_000)}\0\r\n\r\n`],
  ['folded lines', `${status}A: b\r\n${' \r\n'.repeat(40_000)}\r\n`],
  ['white space before a colon', `${status}A${' '.repeat(128_000)}b:\r\n\r\n`],
  ['lengths', `${status}${'Content-Length:5\r\n'.repeat(7_000)}\r\n`],
  [
    'lengths that differ',
    `${status}Content-Length:${Array.from({ length: 25_000 }, (_, index) => index).join(',')}\r\n\r\n`,
  ],
  ['one length, and lines like it', `${status}Content-Length:5\r\n${'content-lengt:5\r\n'.repeat(7_000)}\r\n`],
])('takes linear time: %s', (_, head) => {
  const startedAt = performance.now();
  for (let index = 0; index < 10; index++) mendHead(head);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
