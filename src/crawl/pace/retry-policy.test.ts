import { describe, expect, test } from 'vitest';
import { afterFailure, attemptsMax, isPassing, retryAfterMs } from './retry-policy.ts';

const error = { reason: 'connect', message: 'The host refused the connection.' } as const;
const policy = { baseMs: 1_000 };
const hour = 3_600_000;

describe('after an attempt that did not work', () => {
  test.each([
    // attempts before this one, chance, pause that the site requested, pause
    [0, 0, undefined, 500],
    [0, 1, undefined, 1_000],
    [1, 0, undefined, 2_000],
    [1, 1, undefined, 4_000],
    [2, 0.5, undefined, 12_000],
    [0, 1, 7_000, 7_000],
    [2, 1, 7_000, 16_000],
    [0, 0, 2 * hour, hour],
    [0, 0, 0, 500],
  ])('the one after %i, with chance %d and Retry-After %s, comes %i ms later', (attempts, random, asked, afterMs) => {
    const failure = { error, retryable: true, ...(asked !== undefined && { retryAfterMs: asked }) };
    expect(afterFailure(failure, attempts, policy, random)).toEqual({ kind: 'retry', afterMs, error });
  });

  test.each([
    ['the last attempt', attemptsMax - 1, true],
    ['what will not change', 0, false],
  ])('%s ends as failed', (_, attempts, retryable) => {
    expect(afterFailure({ error, retryable }, attempts, policy, 0)).toEqual({ kind: 'failed', error });
  });
});

test.each([
  [[408, 425, 429, 500, 502, 503, 504, 507, 520, 599], true],
  [[400, 401, 403, 404, 410, 418, 451, 501, 505, 600, 999], false],
])('%j: another attempt may work: %s', (statuses, expected) => {
  expect(statuses.map(isPassing)).toEqual(statuses.map(() => expected));
});

describe('Retry-After', () => {
  const now = Date.UTC(2031, 5, 14, 12, 0, 0);
  test.each([
    ['7', 7_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['86400', hour],
    ['9999999999', hour],
    ['Sat, 14 Jun 2031 12:00:30 GMT', 30_000],
    ['Sat, 14 Jun 2031 11:00:00 GMT', 0],
    ['Sun, 15 Jun 2031 12:00:00 GMT', hour],
    ['', undefined],
    ['soon', undefined],
    ['12345678901', undefined],
  ])('%j is %s ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
