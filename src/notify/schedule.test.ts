import { describe, expect, test } from 'vitest';
import { retryAfterMsMax, retryTime, schedule } from './schedule.ts';

const now = Date.UTC(2031, 5, 14, 12, 0, 0);
const [minute, hour] = [60_000, 3_600_000];

describe('retryTime', () => {
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
  ])('retryTime: after %i attempts is %i ms later, or up to a tenth more', (attempts, pauseMs) => {
    expect(retryTime({ attempts }, schedule, now, 0)).toBe(now + pauseMs);
    expect(retryTime({ attempts }, schedule, now, 0.5)).toBe(now + pauseMs * 1.05);
    expect(retryTime({ attempts }, schedule, now, 1)).toBe(now + pauseMs * 1.1);
  });

  test.each([10, 11, 1_000])('retryTime: is null after %i attempts', (attempts) => {
    expect(retryTime({ attempts, retryAfterMs: 1_000 }, schedule, now, 0)).toBeNull();
  });
});

test('schedule: has ten attempts within 75 hours and 35 minutes', () => {
  expect(schedule).toHaveLength(9);
  expect(schedule.reduce((sum, pauseMs) => sum + pauseMs)).toBe(75 * hour + 35 * minute + 5_000);
});

test.each([
  ['applies a longer Retry-After', 1, 7_000, 7_000],
  ['ignores a shorter Retry-After', 2, 7_000, 5 * minute],
  ['allows a Retry-After of a day', 1, retryAfterMsMax, 24 * hour],
])('retryTime: %s', (_, attempts, retryAfterMs, expected) => {
  expect(retryTime({ attempts, retryAfterMs }, schedule, now, 0)).toBe(now + expected);
});
