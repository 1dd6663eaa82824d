import { expect, test } from 'vitest';
import { WorkerLoad, type WorkerLoadParts } from './worker-load.ts';

const idle = { fetching: () => 0, fetchesMax: 64, converting: () => 0, threads: 2, mainThread: () => 0.05 };
const longDue = { dueForMs: async () => 60_000 };

async function loadWith(parts: Partial<WorkerLoadParts>): Promise<number> {
  const load = new WorkerLoad({ ...idle, ...longDue, ...parts });
  for (let look = 0; look < 20; look++) await load.look();
  return load.mean;
}

const helps: Readonly<Record<string, readonly [Partial<WorkerLoadParts>, number]>> = {
  'all of its fetches are in use': [{ fetching: () => 64 }, 1],
  'as many pages wait as are converted': [{ converting: () => 4 }, 1],
  'pages wait in long queues': [{ converting: () => 500 }, 1],
  'its main thread is busy': [{ mainThread: () => 0.95 }, 0.95],
};
test.each(Object.entries(helps))('WorkerLoad: is high when hosts are due and %s', async (_, [parts, load]) => {
  expect(await loadWith(parts)).toBeCloseTo(load);
});

const helpsNot: Readonly<Record<string, readonly [Partial<WorkerLoadParts>, number]>> = {
  'hosts are due and lanes wait for a delay or the database': [{}, 0.05],
  'it is full and no host waits for a lane': [{ fetching: () => 64, dueForMs: async () => 0 }, 0.7],
  'it is full and a host has only just become due': [{ fetching: () => 64, dueForMs: async () => 500 }, 0.7],
};
test.each(Object.entries(helpsNot))('WorkerLoad: stays low when %s', async (_, [parts, load]) => {
  expect(await loadWith(parts)).toBeCloseTo(load);
});

test('WorkerLoad: is the mean of the last minute', async () => {
  let fetching = 64;
  const load = new WorkerLoad({ ...idle, ...longDue, mainThread: () => 0, fetching: () => fetching });
  expect(load.mean).toBe(0);
  for (let look = 0; look < 12; look++) await load.look();
  fetching = 0;
  for (let look = 0; look < 6; look++) await load.look();
  expect(load.mean).toBeCloseTo(0.5);
  for (let look = 0; look < 6; look++) await load.look();
  expect(load.mean).toBe(0);
});

test('WorkerLoad: measures the main thread of this process by default', async () => {
  const { fetching, fetchesMax, converting, threads } = idle;
  const load = new WorkerLoad({ ...longDue, fetching, fetchesMax, converting, threads });
  const until = performance.now() + 50;
  while (performance.now() < until);
  await load.look();
  expect(load.mean).toBeGreaterThan(0);
});
