import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adapt, type Allowance, firstAllowance, type Observation } from './adaptive-concurrency.ts';

const quick: Observation = { latencyMs: 50, isStrained: false, isDown: false };
const strained: Observation = { latencyMs: 50, isStrained: true, isDown: true };
const slow: Observation = { latencyMs: 2_000, isStrained: false, isDown: false };

function after(observations: readonly Observation[], max = 8, from: Allowance = firstAllowance): Allowance {
  return observations.reduce((allowance, seen) => adapt(allowance, seen, max), from);
}
const times = (count: number, seen: Observation): Observation[] => Array.from({ length: count }, () => seen);

describe('the delay between two requests', () => {
  test('doubles where one at a time is still too much for the host, and goes with its answers', () => {
    const refused = after(times(6, strained));
    expect(refused).toMatchObject({ requests: 1, delayMs: 250 * 2 ** 4 });
    expect(after([quick], 8, refused).delayMs).toBe(3_600);
    expect(after(times(60, quick), 8, refused)).toMatchObject({ delayMs: 0 });
  });

  test('does not begin with pages that are broken', () => {
    expect(after(times(50, { ...strained, isDown: false }))).toMatchObject({ requests: 1, delayMs: 0 });
  });
});

describe('the requests that a host bears', () => {
  test('begin with two, and grow by one with each answer until the limit', () => {
    expect(firstAllowance.requests).toBe(2);
    expect(times(8, quick).map((_, index) => after(times(index, quick)).requests)).toEqual([2, 3, 4, 5, 6, 7, 8, 8]);
  });

  test('are halved when it says that it is too much, once for all that were under way', () => {
    const full = after(times(10, quick));
    expect(after([strained], 8, full).requests).toBe(4);
    expect(after(times(4, strained), 8, full).requests).toBe(4);
    expect(after(times(6, strained), 8, full).requests).toBe(2);
    expect(after(times(100, strained), 8, full).requests).toBe(1);
  });

  test('grow slowly afterwards: by about one with each round of answers', () => {
    const halved = after([...times(10, quick), strained]);
    const later = after(times(4, quick), 8, halved).requests;
    expect(later).toBeGreaterThan(4.8);
    expect(later).toBeLessThan(5.1);
    expect(after(times(60, quick), 8, halved).requests).toBe(8);
  });

  test('fall while answers become slow, and rise again when they are quick', () => {
    const full = after(times(10, quick));
    const slowed = after(times(60, slow), 8, full);
    expect(slowed.requests).toBeLessThan(4);
    expect(after(times(80, quick), 8, slowed).requests).toBe(8);
  });

  test('do not fall for a host that has always been slow, nor for noise', () => {
    expect(after(times(10, slow)).requests).toBe(8);
    const noise = Array.from({ length: 100 }, (_, index) => ({
      latencyMs: index % 2 === 0 ? 20 : 180,
      isStrained: false,
      isDown: false,
    }));
    expect(after(noise).requests).toBe(8);
  });

  test('stay from one to the limit, whatever is seen', () => {
    const seen = fc.record({ latencyMs: fc.nat(60_000), isStrained: fc.boolean(), isDown: fc.boolean() });
    fc.assert(
      fc.property(fc.array(seen), fc.integer({ min: 2, max: 64 }), (observations, max) => {
        const { requests } = after(observations, max);
        expect(requests).toBeGreaterThanOrEqual(1);
        expect(requests).toBeLessThanOrEqual(max);
      }),
    );
  });
});
