import { describe, expect, test } from 'vitest';
import { shareBetween } from './browser-time.ts';

const use = (ranMs: number, waitedMs: number) => ({ ranMs, waitedMs });

describe('shareBetween', () => {
  test.each([
    ['is 1 when no thread needed the processor', [[1, use(50, 50)]], [[1, use(50, 50)]], 1],
    ['is 1 when no thread waited', [[1, use(50, 0)]], [[1, use(90, 0)]], 1],
    ['is a quarter when a thread waited three times as long as it ran', [[1, use(50, 50)]], [[1, use(150, 350)]], 0.25],
    ['counts a new thread from its beginning', [], [[7, use(10, 10)]], 0.5],
    ['does not count a thread that ended', [[1, use(0, 900)]], [[2, use(10, 0)]], 1],
    ['counts no negative time when a thread id was reused', [[1, use(500, 500)]], [[1, use(30, 10)]], 1],
  ] as const)('shareBetween: %s', (_, before, after, share) => {
    expect(shareBetween(new Map(before), new Map(after))).toBe(share);
  });
});
