import { expect, test } from 'vitest';
import { rangeIn } from './byte-range.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-99', { start: 0, end: 99 }],
  ['bytes=0-100', { start: 0, end: 99 }],
  ['bytes=99-', { start: 99, end: 99 }],
  ['bytes=-1', { start: 99, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  [' bytes=5-6 ', { start: 5, end: 6 }],
  // These are ignored, as RFC 9110 says.
  [undefined, undefined],
  ['', undefined],
  ['bytes=-', undefined],
  ['bytes=6-5', undefined],
  ['bytes=0-1,5-6', undefined],
  ['bytes=a-b', undefined],
  ['items=0-1', undefined],
  ['bytes=0-99999999999999999999', undefined],
])('rangeIn: reads the range %j of 100 bytes', (range, expected) => {
  expect(rangeIn({ range }, '"tag"', 100)).toEqual(expected);
});

test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])(
  'rangeIn: throws range_not_satisfiable for %s of 100 bytes',
  (range) => {
    expect(() => rangeIn({ range }, '"tag"', 100)).toThrow(expect.objectContaining({ code: 'range_not_satisfiable' }));
  },
);

test('rangeIn: ignores the range when If-Range names another version of the file', () => {
  const range = 'bytes=0-1';
  expect(rangeIn({ range, 'if-range': '"tag"' }, '"tag"', 100)).toEqual({ start: 0, end: 1 });
  expect(rangeIn({ range, 'if-range': '"old"' }, '"tag"', 100)).toBeUndefined();
  expect(rangeIn({ range, 'if-range': '"tag"' }, undefined, 100)).toBeUndefined();
});
