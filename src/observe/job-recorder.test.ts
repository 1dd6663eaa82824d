import { beforeEach, expect, test } from 'vitest';
import { readSeries, stepsSince } from '../core/job-series.ts';
import type { CrawlStatus, JobSample } from '../core/ports/crawl-status.ts';
import type { Frontier, HostLease, Settlement } from '../core/ports/frontier.ts';
import { JobRecorder, storeSeriesMs } from './job-recorder.ts';

const start = 1_769_860_800_000;
let counters: Map<string, JobSample>;
let stored: Map<string, string>;
let writes: number;

beforeEach(() => {
  counters = new Map();
  stored = new Map();
  writes = 0;
});

const newRecorder = (): JobRecorder =>
  new JobRecorder(
    { sample: async (ids: readonly string[]) => ids.flatMap((id) => counters.get(id) ?? []) } as unknown as CrawlStatus,
    {
      readSeries: async (id) => stored.get(id),
      writeSeries: async (id, series) => {
        writes++;
        stored.set(id, series);
      },
    },
  );

/** A page of a job is settled. */
async function settle(recorder: JobRecorder, id: string, scraped: number, hasEnded = false): Promise<void> {
  const progress = { queued: 0, inFlight: 0, scraped, discarded: 0, failed: 0, outside: 0 };
  counters.set(id, { id, hasEnded, findings: [], progress, bytes: 0 });
  const settlement = { request: { jobId: id } } as Settlement;
  await recorder.frontier({ settle: async () => {} } as unknown as Frontier).settle({} as HostLease, [settlement]);
}

const stepsOf = (id: string): readonly number[] =>
  stepsSince(readSeries(stored.get(id) ?? '')!, 0).steps.map(({ scraped }) => scraped);

test('JobRecorder: stores a running job every few seconds, an ended job at once, and an unchanged job never', async () => {
  const recorder = newRecorder();
  await settle(recorder, 'a', 1);
  await recorder.sample(start);
  expect(writes).toBe(0);
  await settle(recorder, 'a', 4);
  await recorder.sample(start + storeSeriesMs);
  expect(stepsOf('a')).toEqual([1, 3]);
  await recorder.sample(start + 3 * storeSeriesMs);
  expect(writes).toBe(1);
  await settle(recorder, 'a', 5, true);
  await recorder.sample(start + 3 * storeSeriesMs + 1_000);
  expect(stepsOf('a')).toEqual([1, 3, 1]);
});

test('JobRecorder: continues the stored series of another process', async () => {
  const before = newRecorder();
  await settle(before, 'a', 2);
  await before.finish(start);
  await settle(before, 'a', 3);
  await before.sample(start + 1_000);
  const after = newRecorder();
  await settle(after, 'a', 7);
  await after.finish(start + 2_000);
  expect(stepsOf('a')).toEqual([2, 5]);
});

test('JobRecorder: stores all jobs when there are more than it keeps in memory', async () => {
  const recorder = newRecorder();
  for (let job = 0; job < 1_200; job++) await settle(recorder, `job ${job}`, 1);
  for (let second = 0; second < 4; second++) await recorder.sample(start + second * 1_000);
  await recorder.finish(start + 5_000);
  expect(stored.size).toBe(1_200);
});

test('JobRecorder: samples a job later when the store cannot be read', async () => {
  const recorder = newRecorder();
  await settle(recorder, 'a', 1);
  const { get } = counters;
  counters.get = () => {
    throw new Error('away');
  };
  await expect(recorder.sample(start)).rejects.toThrow('away');
  counters.get = get;
  await recorder.finish(start + 1_000);
  expect(stepsOf('a')).toEqual([1]);
});
