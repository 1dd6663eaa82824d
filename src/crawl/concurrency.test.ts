import { expect, test } from 'vitest';
import { Concurrency } from './concurrency.ts';

const nobody = (): void => {};

test('lets in as many as there is room for', () => {
  const rooms = new Concurrency(2);
  expect([1, 2, 3].map(() => rooms.tryEnter(nobody))).toEqual([true, true, false]);
  rooms.leave();
  expect(rooms.tryEnter(nobody)).toBe(true);
});

test('calls who waits, in turn, and once however often they asked', () => {
  const rooms = new Concurrency(1);
  const called: string[] = [];
  const waiterOf = (name: string): (() => void) => {
    const retry = (): void => {
      called.push(name);
      rooms.tryEnter(retry);
    };
    return retry;
  };
  const [first, second] = [waiterOf('first'), waiterOf('second')];
  for (const retry of [nobody, first, second, first]) rooms.tryEnter(retry);
  rooms.leave();
  expect(called).toEqual(['first']);
  rooms.leave();
  expect(called).toEqual(['first', 'second']);
});

test('room that somebody has no use for any more goes to the next who waits', () => {
  const rooms = new Concurrency(1);
  let isIn = false;
  rooms.tryEnter(nobody);
  rooms.tryEnter(() => {});
  rooms.tryEnter(() => (isIn = rooms.tryEnter(nobody)));
  rooms.leave();
  expect(isIn).toBe(true);
});
