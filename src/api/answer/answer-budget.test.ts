import { beforeEach, describe, expect, test } from 'vitest';
import { AnswerBudget } from './answer-budget.ts';

let budget: AnswerBudget;
const { signal } = new AbortController();
const waitMs = 60_000;

beforeEach(() => {
  budget = new AnswerBudget(100, waitMs);
});

/** Returns true if the promise is still pending after a turn of the event loop. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve, 'waiting'));
  return (await Promise.race([promise, turn])) === 'waiting';
}

test('AnswerBudget: waits when the budget is used up, and continues when a share is given back', async () => {
  const first = await budget.take('a', 50, signal);
  await budget.take('b', 50, signal);
  const third = budget.take('c', 10, signal);
  expect(await isWaiting(third)).toBe(true);
  first.giveBack();
  expect(await isWaiting(third)).toBe(false);
});

test('AnswerBudget: limits one org to half, and does not keep other orgs waiting', async () => {
  await budget.take('a', 50, signal);
  const second = budget.take('a', 1, signal);
  expect(await isWaiting(budget.take('b', 50, signal))).toBe(false);
  expect(await isWaiting(second)).toBe(true);
});

test('AnswerBudget: admits a response larger than the whole budget, alone', async () => {
  const large = await budget.take('a', 1_000, signal);
  const small = budget.take('b', 1, signal);
  expect(await isWaiting(small)).toBe(true);
  large.giveBack();
  expect(await isWaiting(small)).toBe(false);
});

test('AnswerBudget: makes room at once when a share shrinks', async () => {
  const share = await budget.take('a', 50, signal);
  const other = budget.take('a', 40, signal);
  expect(await isWaiting(other)).toBe(true);
  share.shrinkTo(5);
  expect(await isWaiting(other)).toBe(false);
});

test('AnswerBudget: never grows a share, and gives it back only once', async () => {
  const share = await budget.take('a', 50, signal);
  share.shrinkTo(5_000);
  share.giveBack();
  share.giveBack();
  await budget.take('a', 50, signal);
  expect(await isWaiting(budget.take('a', 1, signal))).toBe(true);
});

describe('AnswerBudget without room', () => {
  test('AnswerBudget: throws overloaded when the wait time is over', async () => {
    budget = new AnswerBudget(100, 1);
    await budget.take('a', 50, signal);
    await expect(budget.take('a', 50, signal)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('AnswerBudget: takes no share for a request that was aborted while waiting', async () => {
    const share = await budget.take('a', 50, signal);
    const gone = new AbortController();
    const waiting = budget.take('a', 50, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded' });
    share.giveBack();
    expect(await isWaiting(budget.take('a', 50, signal))).toBe(false);
  });
});
