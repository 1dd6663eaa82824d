import { expect, test } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

const now = Date.UTC(2031, 5, 14, 12, 0, 0);

test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['61', 60_000],
  ['9999999999', 60_000],
  ['Sat, 14 Jun 2031 12:00:30 GMT', 30_000],
  ['Sat, 14 Jun 2031 11:00:00 GMT', 0],
  ['Sun, 15 Jun 2031 12:00:00 GMT', 60_000],
  ['', undefined],
  ['soon', undefined],
  ['12345678901', undefined],
])('readRetryAfter: reads %j as %s ms when the limit is a minute', (header, expected) => {
  expect(readRetryAfter(header, now, 60_000)).toBe(expected);
});
