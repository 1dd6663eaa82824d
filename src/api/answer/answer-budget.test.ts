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

test('there is room until it is used up; who waits is served when some is given back', async () => {
  const first = await budget.take('a', 50, signal);
  await budget.take('b', 50, signal);
  const third = budget.take('c', 10, signal);
  expect(await isWaiting(third)).toBe(true);
  first.giveBack();
  expect(await isWaiting(third)).toBe(false);
});

test('one org has half at most, and the others are not kept waiting by it', async () => {
  await budget.take('a', 50, signal);
  const second = budget.take('a', 1, signal);
  expect(await isWaiting(budget.take('b', 50, signal))).toBe(false);
  expect(await isWaiting(second)).toBe(true);
});

test('what is larger than all there is gets through alone', async () => {
  const large = await budget.take('a', 1_000, signal);
  const small = budget.take('b', 1, signal);
  expect(await isWaiting(small)).toBe(true);
  large.giveBack();
  expect(await isWaiting(small)).toBe(false);
});

test('what turns out to be smaller makes room at once', async () => {
  const share = await budget.take('a', 50, signal);
  const other = budget.take('a', 40, signal);
  expect(await isWaiting(other)).toBe(true);
  share.shrinkTo(5);
  expect(await isWaiting(other)).toBe(false);
});

test('larger than it was it does not get, and nothing is given back twice', async () => {
  const share = await budget.take('a', 50, signal);
  share.shrinkTo(5_000);
  share.giveBack();
  share.giveBack();
  await budget.take('a', 50, signal);
  expect(await isWaiting(budget.take('a', 1, signal))).toBe(true);
});

describe('who does not get room', () => {
  test('in time is told so', async () => {
    budget = new AnswerBudget(100, 1);
    await budget.take('a', 50, signal);
    await expect(budget.take('a', 50, signal)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('before he has gone takes none', async () => {
    const share = await budget.take('a', 50, signal);
    const gone = new AbortController();
    const waiting = budget.take('a', 50, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded' });
    share.giveBack();
    expect(await isWaiting(budget.take('a', 50, signal))).toBe(false);
  });
});
