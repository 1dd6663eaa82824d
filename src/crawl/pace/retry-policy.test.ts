import { describe, expect, test } from 'vitest';
import { afterFailure, attemptsMax, isPassing, retryAfterMs } from './retry-policy.ts';

const error = { reason: 'connect', message: 'The host refused the connection.' } as const;
const policy = { baseMs: 1_000 };
const hour = 3_600_000;

describe('afterFailure', () => {
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
  ])(
    'afterFailure: after %i attempts, with chance %d and Retry-After %s, retries after %i ms',
    (attempts, random, asked, afterMs) => {
      const failure = { error, retryable: true, ...(asked !== undefined && { retryAfterMs: asked }) };
      expect(afterFailure(failure, attempts, policy, random)).toEqual({ kind: 'retry', afterMs, error });
    },
  );

  test.each([
    ['the last attempt', attemptsMax - 1, true],
    ['a permanent failure', 0, false],
  ])('afterFailure: returns failed after %s', (_, attempts, retryable) => {
    expect(afterFailure({ error, retryable }, attempts, policy, 0)).toEqual({ kind: 'failed', error });
  });
});

test.each([
  [[408, 425, 429, 500, 502, 503, 504, 507, 520, 599], true],
  [[400, 401, 403, 404, 410, 418, 451, 501, 505, 600, 999], false],
])('isPassing: for each of %j returns %s', (statuses, expected) => {
  expect(statuses.map(isPassing)).toEqual(statuses.map(() => expected));
});

describe('retryAfterMs', () => {
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
  ])('retryAfterMs: reads %j as %s ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
