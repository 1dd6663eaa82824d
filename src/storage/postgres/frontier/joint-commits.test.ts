import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JointCommits } from './joint-commits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each item is its job. Transactions end when the test says so. */
function start() {
  const written: number[][] = [];
  const ends: (() => void)[] = [];
  const commits = new JointCommits<number, number>({
    commitsMax: 3,
    jobsOf: (job) => [job],
    fits: () => true,
    write: async (items) => {
      written.push([...items]);
      await new Promise<void>((resolve) => void ends.push(resolve));
      return items.map((result) => ({ result }));
    },
  });
  const add = (jobs: readonly number[], isPatient: boolean): void => {
    for (const job of jobs) void commits.add(job, { isPatient });
  };
  /** Begins a transaction that works on this job. */
  const begin = async (job: number): Promise<void> => {
    add([job], false);
    await vi.advanceTimersByTimeAsync(0);
    written.length = 0;
  };
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { written, begin, end, add };
}

test.each([[[1, 2, 3]], [[3, 1, 2]]])(
  'JointCommits: writes patient items %j together when a busy job of one of them is free',
  async (jobs) => {
    const { written, begin, end, add } = start();
    await begin(2);
    add(jobs, true);
    await vi.advanceTimersByTimeAsync(300);
    expect(written).toEqual([]);
    await end();
    expect(written).toEqual([jobs]);
  },
);

test('JointCommits: writes patient items with an item that is not', async () => {
  const { written, begin, add } = start();
  await begin(2);
  add([1, 2], true);
  await vi.advanceTimersByTimeAsync(10);
  add([4], false);
  await vi.advanceTimersByTimeAsync(10);
  expect(written).toEqual([[1, 4]]);
});

test('JointCommits: writes patient items without those whose job stays busy for long', async () => {
  const { written, begin, end, add } = start();
  await begin(2);
  add([1, 2], true);
  await vi.advanceTimersByTimeAsync(390);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(written).toEqual([[1]]);
  await end();
  expect(written).toEqual([[1], [2]]);
});

test('JointCommits: lets what is not patient wait for nothing', async () => {
  const { written, begin, add } = start();
  await begin(2);
  add([1, 2], false);
  await vi.advanceTimersByTimeAsync(0);
  expect(written).toEqual([[1]]);
});
