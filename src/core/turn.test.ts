import { expect, test } from 'vitest';
import { requestsOfUse } from './turn.ts';

test.each([
  [0, 10_000, 50],
  [0, 1, 50],
  [10, 10_000, 50],
  [250, 10_000, 40],
  [400, 10_000, 25],
  [1_000, 10_000, 10],
  [1_000, 500, 1],
  [1_000, -5, 1],
  [1_001, 10_000, 1],
  [300_000, 10_000, 1],
])('requestsOfUse: with %i ms between requests and %i ms left returns %i', (delayMs, leftMs, wanted) => {
  expect(requestsOfUse({ delayMs, isKnown: true }, leftMs)).toBe(wanted);
});

test('requestsOfUse: returns two for a host that has never been requested', () => {
  expect(requestsOfUse({ delayMs: 0, isKnown: false }, 10_000)).toBe(2);
});
