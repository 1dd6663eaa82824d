import { beforeEach, describe, expect, test } from 'vitest';
import { FairBudget } from './fair-budget.ts';

let budget: FairBudget;
const { signal } = new AbortController();
const waitMs = 60_000;
const refusal = 'Too many. Retry in a few seconds.';

beforeEach(() => {
  budget = new FairBudget({ max: 100, waitMs, refusal });
});

/** Returns true if the promise is still pending after a turn of the event loop. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve, 'waiting'));
  return (await Promise.race([promise, turn])) === 'waiting';
}

test('FairBudget: waits when the budget is used up, and continues when a share is given back', async () => {
  const first = await budget.take('a', 50, signal);
  await budget.take('b', 50, signal);
  const third = budget.take('c', 10, signal);
  expect(await isWaiting(third)).toBe(true);
  first.giveBack();
  expect(await isWaiting(third)).toBe(false);
});

test('FairBudget: limits one org to half, and does not keep other orgs waiting', async () => {
  await budget.take('a', 50, signal);
  const second = budget.take('a', 1, signal);
  expect(await isWaiting(budget.take('b', 50, signal))).toBe(false);
  expect(await isWaiting(second)).toBe(true);
});

test('FairBudget: admits a response larger than the whole budget, alone', async () => {
  const large = await budget.take('a', 1_000, signal);
  const small = budget.take('b', 1, signal);
  expect(await isWaiting(small)).toBe(true);
  large.giveBack();
  expect(await isWaiting(small)).toBe(false);
});

test('FairBudget: makes room at once when a share shrinks', async () => {
  const share = await budget.take('a', 50, signal);
  const other = budget.take('a', 40, signal);
  expect(await isWaiting(other)).toBe(true);
  share.shrinkTo(5);
  expect(await isWaiting(other)).toBe(false);
});

test('FairBudget: never grows a share, and gives it back only once', async () => {
  const share = await budget.take('a', 50, signal);
  share.shrinkTo(5_000);
  share.giveBack();
  share.giveBack();
  await budget.take('a', 50, signal);
  expect(await isWaiting(budget.take('a', 1, signal))).toBe(true);
});

describe('FairBudget without room', () => {
  test('FairBudget: throws overloaded when the wait time is over', async () => {
    budget = new FairBudget({ max: 100, waitMs: 1, refusal });
    await budget.take('a', 50, signal);
    await expect(budget.take('a', 50, signal)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('FairBudget: takes no share for a request that was aborted while waiting', async () => {
    const share = await budget.take('a', 50, signal);
    const gone = new AbortController();
    const waiting = budget.take('a', 50, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded' });
    share.giveBack();
    expect(await isWaiting(budget.take('a', 50, signal))).toBe(false);
  });
});
