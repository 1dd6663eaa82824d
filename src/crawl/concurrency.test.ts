import { expect, test } from 'vitest';
import { Concurrency, type Entering } from './concurrency.ts';

const nobody = (): void => {};
const one: Entering = { org: 'org', jobId: 'job' };

test('Concurrency: admits a request when there is room, and rejects it when there is none', () => {
  const rooms = new Concurrency(2);
  expect([1, 2, 3].map(() => rooms.tryEnter(one, nobody))).toEqual([true, true, false]);
  rooms.leave(one);
  expect(rooms.tryEnter(one, nobody)).toBe(true);
});

test('Concurrency: calls waiting requests in turn, each once, even if they asked several times', () => {
  const rooms = new Concurrency(1);
  const called: string[] = [];
  const waiterOf = (name: string): (() => void) => {
    const retry = (): void => {
      called.push(name);
      rooms.tryEnter(one, retry);
    };
    return retry;
  };
  const [first, second] = [waiterOf('first'), waiterOf('second')];
  for (const retry of [nobody, first, second, first]) rooms.tryEnter(one, retry);
  rooms.leave(one);
  expect(called).toEqual(['first']);
  rooms.leave(one);
  expect(called).toEqual(['first', 'second']);
});

test('Concurrency: offers unused room to the next waiting request', () => {
  const rooms = new Concurrency(1);
  let isIn = false;
  rooms.tryEnter(one, nobody);
  rooms.tryEnter(one, () => {});
  rooms.tryEnter(one, () => (isIn = rooms.tryEnter(one, nobody)));
  rooms.leave(one);
  expect(isIn).toBe(true);
});

test('Concurrency: gives room to the org, and then to the job, with the fewest requests in flight', () => {
  const rooms = new Concurrency(4);
  const many: Entering = { org: 'many', jobId: 'large' };
  for (let request = 0; request < 4; request++) rooms.tryEnter(many, nobody);
  const entered: string[] = [];
  const wait = (who: Entering, name: string): void => {
    const retry = (): void => {
      if (rooms.tryEnter(who, retry)) entered.push(name);
    };
    rooms.tryEnter(who, retry);
  };
  wait(many, 'large');
  wait({ org: 'many', jobId: 'small' }, 'small');
  wait({ org: 'other', jobId: 'x' }, 'other');
  for (let request = 0; request < 3; request++) rooms.leave(many);
  expect(entered).toEqual(['other', 'small', 'large']);
});

test('Concurrency: keeps the last room for urgent requests, and calls them before all others', () => {
  const rooms = new Concurrency(16);
  for (let request = 0; request < 15; request++) expect(rooms.tryEnter(one, nobody)).toBe(true);
  const entered: string[] = [];
  expect(rooms.tryEnter(one, () => entered.push('usual'))).toBe(false);
  const urgent = { ...one, isUrgent: true };
  expect(rooms.tryEnter(urgent, nobody)).toBe(true);
  expect(rooms.tryEnter(urgent, () => entered.push('urgent'))).toBe(false);
  rooms.leave(urgent);
  rooms.leave(one);
  expect(entered).toEqual(['urgent', 'usual']);
});
