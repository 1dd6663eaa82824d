import { expect, test } from 'vitest';
import { Concurrency, type Entering } from './concurrency.ts';
import { Counts } from './counts.ts';

const nobody = (): void => {};
const requestOf = (jobId: string, kind: Entering['kind'] = 'page'): Entering => ({ jobId, kind });

test('Counts: forgets a name when nothing of it is left', () => {
  const counts = new Counts();
  const { all } = counts;
  for (const count of [1, 1, -1, -1] as const) counts.add('a', count);
  counts.add('b', 1);
  expect([...all]).toEqual([['b', 1]]);
  expect([counts.of('a'), counts.of('b')]).toEqual([0, 1]);
});

test('Concurrency: counts the pages of each job that have room, and nothing that waits or is a sitemap', () => {
  const openPages = new Counts();
  const rooms = new Concurrency(4, openPages);
  const requests = [requestOf('a'), requestOf('b'), requestOf('a'), requestOf('a', 'sitemap'), requestOf('c')];
  expect(requests.map((request) => rooms.tryEnter(request, nobody))).toEqual([true, true, true, true, false]);
  expect([...openPages.all]).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  for (const request of requests.slice(0, 4)) rooms.leave(request);
  expect([...openPages.all]).toEqual([]);
});
