import { describe, expect, test } from 'vitest';
import { retryAfterMsMax, retryTime, schedule } from './schedule.ts';

const now = Date.UTC(2031, 5, 14, 12, 0, 0);
const [minute, hour] = [60_000, 3_600_000];

describe('after an attempt that failed', () => {
  test.each([
    [1, 5_000],
    [2, 5 * minute],
    [3, 30 * minute],
    [4, 2 * hour],
    [5, 5 * hour],
    [6, 10 * hour],
    [7, 14 * hour],
    [8, 20 * hour],
    [9, 24 * hour],
  ])('the next one after %i comes %i ms later, or a tenth more', (attempts, pauseMs) => {
    expect(retryTime({ attempts }, schedule, now, 0)).toBe(now + pauseMs);
    expect(retryTime({ attempts }, schedule, now, 0.5)).toBe(now + pauseMs * 1.05);
    expect(retryTime({ attempts }, schedule, now, 1)).toBe(now + pauseMs * 1.1);
  });

  test.each([10, 11, 1_000])('number %i, none follows', (attempts) => {
    expect(retryTime({ attempts, retryAfterMs: 1_000 }, schedule, now, 0)).toBeNull();
  });
});

test('ten tries take 75 hours and 35 minutes', () => {
  expect(schedule).toHaveLength(9);
  expect(schedule.reduce((sum, pauseMs) => sum + pauseMs)).toBe(75 * hour + 35 * minute + 5_000);
});

test.each([
  ['a longer pause that was asked for', 1, 7_000, 7_000],
  ['a shorter one is not', 2, 7_000, 5 * minute],
  ['a day', 1, retryAfterMsMax, 24 * hour],
])('%s is kept', (_, attempts, retryAfterMs, expected) => {
  expect(retryTime({ attempts, retryAfterMs }, schedule, now, 0)).toBe(now + expected);
});
