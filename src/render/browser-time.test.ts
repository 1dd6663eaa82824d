import { describe, expect, test } from 'vitest';
import { shareBetween } from './browser-time.ts';

const use = (ranMs: number, waitedMs: number) => ({ ranMs, waitedMs });

describe('the share of the processor that a browser got', () => {
  test.each([
    ['nothing wanted', [[1, use(50, 50)]], [[1, use(50, 50)]], 1],
    ['never waited', [[1, use(50, 0)]], [[1, use(90, 0)]], 1],
    ['waited three times as long as it ran', [[1, use(50, 50)]], [[1, use(150, 350)]], 0.25],
    ['a new thread counts from its beginning', [], [[7, use(10, 10)]], 0.5],
    ['a thread that ended no longer counts', [[1, use(0, 900)]], [[2, use(10, 0)]], 1],
    ['an id that was used again is no negative time', [[1, use(500, 500)]], [[1, use(30, 10)]], 1],
  ] as const)('%s', (_, before, after, share) => {
    expect(shareBetween(new Map(before), new Map(after))).toBe(share);
  });
});
