import { describe, expect, test } from 'vitest';
import { mendHead } from './mend-head.ts';

const status = 'HTTP/1.1 200 OK\r\n';

describe('mendHead: correct heads', () => {
  test.each([
    ['without headers', `${status}\r\n`],
    ['without a reason phrase', 'HTTP/1.1 200\r\n\r\n'],
    [
      'with ordinary headers',
      `${status}Content-Type: text/html\r\nContent-Length: 5\r\nX-Y_Z!#$%&'*+.^|~\`: \ta\t b \r\n\r\n`,
    ],
    ['with bytes beyond ASCII in a value', `${status}X: Z\u00c3\u00bcrich\r\n\r\n`],
    ['with an empty value', `${status}X:\r\n\r\n`],
    ['with a status line that no parser accepts', `HTTP/3 yes\r\nX: y\r\n\r\n`],
    ['with markup and no empty line', `${status}X: y\r\n<!doctype html>\r\n\r\n`],
    ['with commas in other headers', `${status}Content-Length: 5\r\nVary: a, b\r\n\r\n`],
  ])('mendHead: does not change a head %s', (_, head) => {
    expect(mendHead(head)).toBe(head);
  });
});

describe('mendHead: broken heads', () => {
  test.each([
    ['LF line ends', 'HTTP/1.1 200 OK\nA: b\n\n', `${status}A: b\r\n\r\n`],
    ['LF at the end only', `${status}A: b\r\n\n`, `${status}A: b\r\n\r\n`],
    ['CR CR LF', `${status}A: b\r\r\n\r\n`, `${status}A: b \r\n\r\n`],
    ['a CR in a value', `${status}A: b\rC: d\r\n\r\n`, `${status}A: b C: d\r\n\r\n`],
    ['control characters in a value', `${status}A: b\0\x01\x7fc\td\r\n\r\n`, `${status}A: b   c\td\r\n\r\n`],
    ['a line without a colon', `${status}nothing\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a header without a name', `${status}: x\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a space in a name', `${status}X Y: z\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a NUL in a name', `${status}X\0: z\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['white space before the colon', `${status}A \t: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a folded line', `${status}A: b\r\n \t c\r\nD: e\r\n\r\n`, `${status}A: b c\r\nD: e\r\n\r\n`],
    ['a folded line after a removed line', `${status}A: b\r\nx\r\n c\r\n\r\n`, `${status}A: b\r\n\r\n`],
    ['a folded line before all headers', `${status} c\r\nA: b\r\n\r\n`, `${status}A: b\r\n\r\n`],
    [
      'the same Content-Length twice',
      `${status}Content-Length: 5\r\nA: b\r\ncontent-length:5 \r\n\r\n`,
      `${status}A: b\r\nContent-Length: 5\r\n\r\n`,
    ],
    [
      'the same length twice in one Content-Length',
      `${status}Content-Length: 5, 5\r\n\r\n`,
      `${status}Content-Length: 5\r\n\r\n`,
    ],
  ])('mendHead: repairs %s', (_, head, expected) => {
    expect(mendHead(head)).toBe(expected);
    expect(mendHead(expected)).toBe(expected);
  });

  test.each([
    ['in two headers', `${status}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
    ['in one header', `${status}Content-Length: 5, 6\r\n\r\n`],
    ['of which one has white space before the colon', `${status}Content-Length: 5\r\nContent-Length : 6\r\n\r\n`],
    ['in lines with LF ends', 'HTTP/1.1 200 OK\nContent-Length: 6\nContent-Length: 5\n\n'],
  ])('mendHead: keeps two different lengths %s', (_, head) => {
    expect(mendHead(head).match(/^Content-Length: [56]\r$/gmu)).toHaveLength(2);
  });

  test.each([
    ['a folded Content-Length', `${status}Content-Length: 1\r\n 1\r\n\r\n`, /\r\nContent-Length: 1 1\r\n/u],
    [
      'Transfer-Encoding next to Content-Length',
      `${status}Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\n`,
      /Encoding: chunked\r\nContent-Length: 5\r\n/u,
    ],
  ])('mendHead: leaves %s for the parser to reject', (_, head, expected) => {
    expect(mendHead(head)).toMatch(expected);
  });
});

test.each([
  ['CR', `${status}${'\r'.repeat(128_000)}x\r\n\r\n`],
  ['CR LF CR', `${status}${'\r\n\r'.repeat(40_000)}x\r\n\r\n`],
  ['names without a colon', `${status}${'a'.repeat(128_000)}\r\n\r\n`],
  ['short header lines', `${status}${'a:\r\n'.repeat(32_000)}\0\r\n\r\n`],
  ['folded lines', `${status}A: b\r\n${' \r\n'.repeat(40_000)}\r\n`],
  ['white space before a colon', `${status}A${' '.repeat(128_000)}b:\r\n\r\n`],
  ['lengths', `${status}${'Content-Length:5\r\n'.repeat(7_000)}\r\n`],
  [
    'different lengths',
    `${status}Content-Length:${Array.from({ length: 25_000 }, (_, index) => index).join(',')}\r\n\r\n`,
  ],
  ['one length and similar lines', `${status}Content-Length:5\r\n${'content-lengt:5\r\n'.repeat(7_000)}\r\n`],
])('mendHead: takes linear time for %s', (_, head) => {
  const before = process.cpuUsage();
  for (let index = 0; index < 10; index++) mendHead(head);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
