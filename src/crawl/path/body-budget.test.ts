import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyBudget, type BodyShare } from './body-budget.ts';

const KiB = 1024;

function never(): void {
  throw new Error('resumed');
}

describe('BodyBudget', () => {
  test('BodyBudget: does not count small bodies', () => {
    const budget = new BodyBudget(0);
    budget.share().hold(100 * KiB, never);
    expect(budget.share().hold(64 * KiB, never)).toBe(true);
  });

  test('BodyBudget: pauses a body when the budget is used up, and resumes it after a release', () => {
    const budget = new BodyBudget(1000 * KiB);
    const [first, second, third] = [budget.share(), budget.share(), budget.share()];
    expect(first.hold(500 * KiB, never)).toBe(true);
    expect(second.hold(500 * KiB, never)).toBe(true);
    // One body can exceed the budget.
    expect(third.hold(100 * KiB, never)).toBe(true);
    expect(third.hold(20_000 * KiB, never)).toBe(true);
    let resumed = 0;
    expect(first.hold(600 * KiB, () => resumed++)).toBe(false);
    second.release();
    expect(resumed).toBe(0);
    third.release();
    expect(resumed).toBe(1);
    expect(first.hold(600 * KiB, never)).toBe(true);
  });

  test('BodyBudget: resumes paused bodies in their order', () => {
    const budget = new BodyBudget(0);
    const resumed: string[] = [];
    const holder = budget.share();
    holder.hold(100 * KiB, never);
    const [first, second] = [budget.share(), budget.share()];
    first.hold(100 * KiB, () => resumed.push('first'));
    second.hold(100 * KiB, () => resumed.push('second'));
    holder.release();
    expect(resumed).toEqual(['first']);
    first.release();
    expect(resumed).toEqual(['first', 'second']);
  });

  test('BodyBudget: does not resume a released body, and does not delay the next one', () => {
    const budget = new BodyBudget(0);
    const resumed: string[] = [];
    const holder = budget.share();
    holder.hold(100 * KiB, never);
    const [first, second] = [budget.share(), budget.share()];
    first.hold(100 * KiB, never);
    second.hold(100 * KiB, () => resumed.push('second'));
    first.release();
    holder.release();
    expect(resumed).toEqual(['second']);
  });

  test('BodyBudget: pauses a body again when it needs more while it is resumed', () => {
    const budget = new BodyBudget(400 * KiB);
    const [first, second, third] = [budget.share(), budget.share(), budget.share()];
    first.hold(300 * KiB, never);
    second.hold(200 * KiB, never);
    let resumed = 0;
    third.hold(100 * KiB, () => {
      resumed++;
      expect(third.hold(300 * KiB, () => resumed++)).toBe(false);
    });
    first.release();
    expect(resumed).toBe(1);
    second.release();
    expect(resumed).toBe(2);
  });

  test('BodyBudget: is exceeded by at most one body, resumes every body, and is whole again at the end', () => {
    const most = 1000 * KiB;
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 4 }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat()), (bodies, choices) => {
        const budget = new BodyBudget(most);
        const reading = bodies.map((steps) => ({
          share: budget.share(),
          steps: steps.toSorted((one, other) => one - other).map((kib) => kib * KiB),
          held: 0,
          isPaused: false,
        }));
        const held = (): number[] => reading.map((body) => (body.held > 64 * KiB ? body.held : 0));
        while (reading.length > 0) {
          const able = reading.filter(({ isPaused }) => !isPaused);
          expect(able.length).toBeGreaterThan(0);
          const body = able[(choices.next().value ?? 0) % able.length];
          if (body === undefined) throw new Error('nobody');
          const wanted = body.steps.shift();
          if (wanted === undefined) {
            reading.splice(reading.indexOf(body), 1);
            body.share.release();
          } else {
            body.isPaused = !body.share.hold(wanted, () => {
              body.isPaused = false;
              body.held = wanted;
            });
            if (!body.isPaused) body.held = wanted;
          }
          const all = held();
          const sum = all.reduce((total, bytes) => total + bytes, 0);
          expect(sum - Math.max(0, ...all)).toBeLessThanOrEqual(most);
        }
        const whole: BodyShare = budget.share();
        expect(whole.hold(most, never)).toBe(true);
        expect(budget.share().hold(100 * KiB, never)).toBe(true);
        expect(budget.share().hold(100 * KiB, never)).toBe(false);
      }),
    );
  });
});
