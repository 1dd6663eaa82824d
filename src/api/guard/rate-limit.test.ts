import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countedMax } from '../limits.ts';
import { RateLimit } from './rate-limit.ts';

let now = 0;
const limitOf = (perMinute: number): RateLimit => {
  now = 0;
  return new RateLimit(perMinute, () => now);
};

test('RateLimit: admits the limit of requests within a minute, and no more', () => {
  const limit = limitOf(3);
  expect([limit.hit('a'), limit.hit('a'), limit.hit('a')]).toEqual([0, 0, 0]);
  expect(limit.hit('a')).toBeGreaterThan(0);
});

test('RateLimit: counts each caller separately', () => {
  const limit = limitOf(1);
  limit.hit('a');
  expect(limit.hit('b')).toBe(0);
});

test('RateLimit: does not count refused requests', () => {
  const limit = limitOf(2);
  for (let index = 0; index < 100; index++) limit.hit('a');
  now += 120_000;
  expect(limit.hit('a')).toBe(0);
});

describe('RateLimit.secondsToWait', () => {
  test('RateLimit: admits a caller after the wait it was given, and not a second earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 60 }),
        (perMinute, pauses) => {
          const limit = limitOf(perMinute);
          for (const pause of pauses) {
            now += pause;
            let wait = limit.hit('a');
            while (wait === 0) wait = limit.hit('a');
            expect(wait).toBeLessThanOrEqual(120);
            const refusedAt = now;
            now = refusedAt + (wait - 1) * 1000;
            expect(limit.secondsToWait('a') > 0 || wait === 1).toBe(true);
            now = refusedAt + wait * 1000;
            expect(limit.secondsToWait('a')).toBe(0);
            now = refusedAt;
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

test('RateLimit: admits fewer than one and a half limits in any minute, and nearly the full limit over time', () => {
  const limit = limitOf(60);
  const passed: number[] = [];
  for (; now < 600_000; now += 100) if (limit.hit('a') === 0) passed.push(now);
  const inMinuteFrom = (start: number): number => passed.filter((at) => at >= start && at < start + 60_000).length;
  const most = Math.max(...passed.map(inMinuteFrom));
  expect(most).toBeLessThan(90);
  // Over a long time, nearly the full limit passes.
  expect(passed.length).toBeGreaterThan(0.95 * 600);
});

test('RateLimit: forgets the callers that were quiet longest when too many are remembered', () => {
  const limit = limitOf(1);
  for (let index = 0; index < countedMax; index++) limit.hit(`old ${index}`);
  now += 125_000;
  limit.hit('busy');
  for (let index = 1; index < countedMax; index++) limit.hit(`new ${index}`);
  expect(limit.secondsToWait('busy')).toBeGreaterThan(0);
  limit.hit('one too many');
  expect(limit.secondsToWait('busy')).toBe(0);
});
