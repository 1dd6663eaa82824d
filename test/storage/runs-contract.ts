// What every store promises about the runs of a schedule: each is compared with the last one that can be.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { Outcome, Request } from '../../src/core/request.ts';
import type { DueDelivery } from '../../src/core/webhook.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import type { ScheduleWorkParts } from '../../src/jobs/schedules/work-on-schedule.ts';
import { away, runDays, type RunDays, site } from './run-days.ts';
import { getJob, type OpenDatabase, org, wholeJob } from './test-data.ts';

const allAdded = { added: 4, changed: 0, moved: 0, unchanged: 0, removed: 0, unknown: 0 };

export function describeRuns(createDatabase: () => Promise<OpenDatabase>): void {
  let database: OpenDatabase;
  let store: Store;
  let add: RunDays['add'];
  let runs: RunDays['runs'];
  let begin: RunDays['begin'];
  let end: RunDays['end'];
  let cancel: RunDays['cancel'];

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
    ({ add, runs, begin, end, cancel } = runDays(store));
  });
  afterEach(() => database.remove());

  const earlierOf = ({ spec }: Job): string | undefined => spec.baseline?.of;

  it('runs: the first is a crawl in full, and each later one says what changed since the one before', async () => {
    const schedule = await add();
    const one = await end(await begin(schedule));
    expect(one).toMatchObject({ schedule: schedule.id, changes: allAdded, progress: { scraped: 4 } });
    const two = await end(await begin(schedule), (request) =>
      request.url.endsWith('/2') ? site(request, 'another') : site(request),
    );
    expect(two.spec.baseline).toEqual({ of: one.id, isSame: true });
    expect(two.changes).toEqual({ added: 0, changed: 1, moved: 0, unchanged: 3, removed: 0, unknown: 0 });
    const three = await end(await begin(schedule), () => ({ kind: 'unchanged', evidence: '304', statusCode: 304 }));
    expect(earlierOf(three)).toBe(two.id);
    expect(three.changes).toMatchObject({ unchanged: 4 });
  });

  it('runs: a run tells the webhook what it changed, after its end, and one that changed nothing does not', async () => {
    const schedule = await add({ job: { webhook_url: 'https://receiver.test/' } });
    const told: DueDelivery[] = [];
    const dayEnds = async (outcomeOf?: (request: Request) => Outcome): Promise<Job> => {
      const run = await end(await begin(schedule), outcomeOf);
      for (let due = [run.id]; due.length > 0;) {
        const claimed = await store.outbox.claim({ max: 10, originMax: 10, busyUrls: [] });
        for (const { id } of claimed) await store.outbox.settle(id, { kind: 'delivered', statusCode: 200 });
        told.push(...claimed);
        due = claimed.map(({ owner }) => owner);
      }
      return run;
    };
    const first = await dayEnds();
    const quiet = await dayEnds();
    const busy = await dayEnds((request) => site(request, request.url.endsWith('/2') ? 'another' : undefined));
    const eventsOf = ({ id }: Job): string[] => told.filter(({ owner }) => owner === id).map(({ event }) => event);
    expect(eventsOf(quiet)).toEqual(['job.started', 'job.progress', 'job.finished']);
    for (const run of [first, busy]) {
      expect(eventsOf(run).slice(-2)).toEqual(['job.finished', 'schedule.changed']);
      const { facts } = told.find(({ owner, event }) => owner === run.id && event === 'schedule.changed')!;
      expect(facts).toEqual({ schedule: schedule.id, job: run.id, changes: run.changes });
    }
  });

  it('runs: are compared with the last one that is left, and are crawls in full when none is', async () => {
    const schedule = await add();
    const one = await end(await begin(schedule));
    const two = await end(await begin(schedule));
    await store.jobs.delete(org, two.id);
    const three = await end(await begin(schedule));
    expect(earlierOf(three)).toBe(one.id);
    await store.jobs.delete(org, one.id);
    await store.jobs.delete(org, three.id);
    const four = await end(await begin(schedule));
    expect(four).toMatchObject({ changes: allAdded, progress: { scraped: 4 }, status: 'succeeded' });
  });

  it('runs: one whose earlier run is deleted while it is made is made all the same', async () => {
    const schedule = await add({ keep: 5 });
    const ended: Job[] = [];
    for (let n = 0; n < 5; n++) ended.unshift(await end(await begin(schedule)));
    const deleting = (most: number): ScheduleWorkParts['store'] => ({
      ...store,
      schedules: {
        ...store.schedules,
        kept: async (...query) => {
          const kept = await store.schedules.kept(...query);
          const newest = kept.find(({ status }) => status === 'succeeded');
          if (newest && most-- > 0) await store.jobs.delete(org, newest.id);
          return kept;
        },
      },
    });
    const next = await begin(schedule, deleting(1));
    expect(earlierOf(next)).toBe(ended[1]!.id);
    await cancel(next);
    const last = await begin(schedule, deleting(Infinity));
    expect(earlierOf(last)).toBeUndefined();
    expect((await end(last)).status).toBe('succeeded');
  });

  it('runs: one that knows no page is passed over, and so is one that was cancelled before it had its pages', async () => {
    const schedule = await add();
    await end(await begin(schedule), away);
    const two = await end(await begin(schedule));
    expect(two.changes).toEqual(allAdded);
    await cancel(await begin(schedule));
    const four = await begin(schedule);
    expect(earlierOf(four)).toBe(two.id);
    expect((await end(four)).changes).toMatchObject({ unchanged: 4 });
  });

  it('runs: a night on which the site is away removes nothing, and the next run knows all', async () => {
    const schedule = await add();
    await end(await begin(schedule));
    const night = await end(await begin(schedule), away);
    expect(night).toMatchObject({ progress: { scraped: 0 }, changes: { removed: 0, unknown: 4 } });
    const next = await end(await begin(schedule));
    expect(earlierOf(next)).toBe(night.id);
    expect(next.changes).toEqual({ added: 0, changed: 0, moved: 0, unchanged: 4, removed: 0, unknown: 0 });
  });

  it('runs: keep removes earlier runs, but no text that a later one names, and not the one to compare with', async () => {
    const schedule = await add({ keep: 1 });
    const one = await end(await begin(schedule));
    const two = await end(await begin(schedule));
    for (let steps = 0; (await store.sweep()).more; steps++) expect(steps).toBeLessThan(200);
    expect(await getJob(store, one.id)).toMatchObject({ areResultsGone: true });
    const slice = await store.pages.read({ ...wholeJob, jobId: two.id, withText: true });
    expect(slice?.pages.map(({ body }) => body?.length ?? 0).filter((length) => length > 0)).toHaveLength(4);
    await cancel(await begin(schedule));
    expect(await getJob(store, two.id)).toMatchObject({ areResultsGone: false });
    const four = await end(await begin(schedule));
    expect(four.changes).toMatchObject({ unchanged: 4 });
    expect((await runs(schedule)).map(({ areResultsGone }) => areResultsGone)).toEqual([false, true, true, true]);
  });

  it('runs: with deliver changed, the first delivers all, and each later one what changed', async () => {
    const schedule = await add({ job: { deliver: 'changed' } });
    const one = await end(await begin(schedule));
    expect(one).toMatchObject({ spec: { deliver: 'all' }, progress: { scraped: 4 } });
    const two = await end(await begin(schedule), (request) =>
      request.url.endsWith('/2') ? site(request, 'another') : site(request),
    );
    expect(two).toMatchObject({ spec: { deliver: 'changed' }, progress: { scraped: 1, discarded: 3 } });
    const three = await end(await begin(schedule), () => ({ kind: 'unchanged', evidence: '304', statusCode: 304 }));
    expect(three).toMatchObject({ progress: { scraped: 0 }, changes: { unchanged: 4 } });
    expect(earlierOf(await begin(schedule))).toBe(three.id);
  });

  it('schedules.kept: names ended runs with results, newest first, in pages', async () => {
    const schedule = await add({ keep: 9 });
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.unshift((await end(await begin(schedule))).id);
    await begin(schedule);
    await store.jobs.delete(org, ids[1]!);
    const kept = async (after: string): Promise<string[]> =>
      (await store.schedules.kept(schedule.id, { after, limit: 2 })).map(({ id }) => id);
    expect(await kept('')).toEqual([ids[0], ids[2]]);
    expect(await kept(ids[2]!)).toEqual([ids[3]]);
    expect(await store.schedules.kept('other', { after: '', limit: 2 })).toEqual([]);
  });
}
