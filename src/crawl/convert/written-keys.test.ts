import { expect, test } from 'vitest';
import { writtenKeys } from './written-keys.ts';

const keyOf = (number: number, ways: readonly number[]): string | undefined =>
  writtenKeys({
    title: `Page ${number}`,
    plainText: `This is page ${number} of many.`,
    links: ways.map((way) => `https://a.test/page/${number + way}`),
    images: [],
    fetched: new URL(`https://a.test/page/${number}`),
    isSelfFed: true,
  }).undated;

test('writtenKeys: pages of a list without end are the same but for their number', () => {
  expect(keyOf(7, [1])).toBeDefined();
  expect(keyOf(7, [1])).toBe(keyOf(8, [1]));
  expect(keyOf(7, [-1, 1])).toBe(keyOf(8, [-1, 1]));
  expect(keyOf(7, [20])).toBe(keyOf(8, [20]));
});

test('writtenKeys: pages that lead to others by other ways, or only back, are not the same', () => {
  expect(keyOf(7, [1])).not.toBe(keyOf(8, [2]));
  expect(keyOf(9, [-3, -7])).toBeUndefined();
});
