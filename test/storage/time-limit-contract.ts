// What every store promises about jobs whose time is up, and about what else ends by the clock: a part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  getJob,
  leaseAndTake,
  ledgerOf,
  links,
  listAll,
  org,
  pagesOf,
  settlement,
  type TestDatabase,
  unreachable,
} from './test-data.ts';

const startLinks = links(3, '/', { depth: 0 });

export function describeTimeLimits(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  /** A sweep as it is at a time. */
  const sweepAt = async (now: number): Promise<void> => {
    while ((await store.sweep(now)).more);
  };

  describe('jobs beyond their time limit', () => {
    it('sweep: ends a job at its time limit, discards the rest, and late settlements change nothing', async () => {
      const job = await createJob(store, { startLinks, spec: { timeLimitSeconds: 60 } });
      const { held, requests } = await leaseAndTake(store, 2);
      await store.frontier.settle(held, [settlement(requests[0]!)]);
      await sweepAt(job.createdAt + 59_999);
      expect((await getJob(store, job.id)).status).toBe('running');
      const endedAt = job.createdAt + 60_000;
      await sweepAt(endedAt);
      const ended = await getJob(store, job.id);
      expect(ended).toMatchObject({
        status: 'succeeded',
        finishedAt: endedAt,
        resultsGoneAt: endedAt + 60_000,
        progress: { queued: 0, inFlight: 0, scraped: 1, discarded: 2, failed: 0, outside: 0 },
        reasons: { time_limit: 2 },
      });
      expect(await ledgerOf(store, job.id)).toEqual({
        '/1': 'scraped',
        '/2': 'discarded time_limit',
        '/3': 'discarded time_limit',
      });
      await store.frontier.settle(held, [settlement(requests[1]!)]);
      await store.frontier.release(held);
      expect(await crawl(store)).toEqual([]);
      expect(await getJob(store, job.id)).toEqual(ended);
      expect(Object.keys(await pagesOf(store, job.id))).toEqual(['1']);
    });

    it('sweep: ends a job at its time limit as failed when URLs failed and none was scraped', async () => {
      const job = await createJob(store, { startLinks, spec: { timeLimitSeconds: 60 } });
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.settle(held, [settlement(requests[0]!, { kind: 'failed', error: unreachable })]);
      await sweepAt(job.createdAt + 60_000);
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'failed',
        progress: { failed: 1, discarded: 2 },
        reasons: { time_limit: 2, connect: 1 },
      });
    });

    it('sweep: ends a job at its time limit as failed when no URL was requested', async () => {
      const job = await createJob(store, { spec: { timeLimitSeconds: 60 } });
      await sweepAt(job.createdAt + 60_000);
      expect(await getJob(store, job.id)).toMatchObject({ status: 'failed', progress: { discarded: 1 } });
    });

    it('take: ends a job beyond its time limit before a sweep', async () => {
      const late = await createJob(store, {
        startLinks,
        createdAt: Date.now() - 60_000,
        spec: { timeLimitSeconds: 60 },
      });
      const other = await createJob(store, { startLinks });
      expect(await crawl(store)).toHaveLength(3);
      expect(await getJob(store, late.id)).toMatchObject({ status: 'failed', reasons: { time_limit: 3 } });
      expect(await getJob(store, other.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 3 } });
    });

    it('endedJobs: ends a job beyond its time limit', async () => {
      const late = await createJob(store, {
        startLinks,
        createdAt: Date.now() - 60_000,
        spec: { timeLimitSeconds: 60 },
      });
      const other = await createJob(store, { startLinks });
      expect(await store.frontier.endedJobs([late.id, other.id])).toEqual([late.id]);
      expect(await getJob(store, late.id)).toMatchObject({ status: 'failed', reasons: { time_limit: 3 } });
      expect(await getJob(store, other.id)).toMatchObject({ status: 'starting' });
    });

    it('waitForChange: returns when the time limit ends the job', async () => {
      const job = await createJob(store, { startLinks, spec: { timeLimitSeconds: 60 } });
      const changed = store.jobs.waitForChange(job.id, 60_000, new AbortController().signal);
      await sweepAt(job.createdAt + 60_000);
      await changed;
      expect((await getJob(store, job.id)).status).toBe('failed');
    });

    it('sweep: leaves ended jobs and jobs below their time limit unchanged', async () => {
      const cancelled = await createJob(store, { spec: { timeLimitSeconds: 60, outputExpirySeconds: 3_600 } });
      await store.jobs.cancel(org, cancelled.id, cancelled.createdAt + 1);
      const [before, ledger] = [await getJob(store, cancelled.id), await listAll(store, cancelled.id)];
      const longer = await createJob(store, { spec: { timeLimitSeconds: 61 } });
      await sweepAt(longer.createdAt + 60_000);
      expect(await getJob(store, cancelled.id)).toEqual(before);
      expect(await listAll(store, cancelled.id)).toEqual(ledger);
      expect((await getJob(store, longer.id)).status).toBe('starting');
    });

    it('sweep: ends 120 jobs beyond their time limit', async () => {
      const jobs = await Promise.all(
        Array.from({ length: 120 }, () => createJob(store, { spec: { timeLimitSeconds: 60 } })),
      );
      await sweepAt(Math.max(...jobs.map(({ createdAt }) => createdAt)) + 60_000);
      expect(await store.jobs.countUnfinished(org)).toBe(0);
    });
  });

  it('jobs.countUnfinished: counts the unfinished jobs of an org', async () => {
    expect(await store.jobs.countUnfinished(org)).toBe(0);
    const cancelled = await createJob(store, { startLinks });
    await createJob(store, { startLinks });
    await createJob(store, { org: 'other', startLinks });
    expect(await store.jobs.countUnfinished(org)).toBe(2);
    await leaseAndTake(store, 1);
    expect(await store.jobs.countUnfinished(org)).toBe(2);
    await store.jobs.cancel(org, cancelled.id, Date.now());
    expect([await store.jobs.countUnfinished(org), await store.jobs.countUnfinished('other')]).toEqual([1, 1]);
    expect(await store.jobs.countUnfinished('nobody')).toBe(0);
  });

  it('tokens.find: returns the expiry of a token', async () => {
    const token = {
      id: 't1',
      org,
      name: '',
      permissions: ['read'],
      createdAt: 1,
      revokedAt: null,
      expiresAt: 2,
    } as const;
    const lasting = { ...token, id: 't2', createdAt: 2, expiresAt: null } as const;
    await store.tokens.add(token, 'hash');
    await store.tokens.add(lasting, 'other');
    expect(await store.tokens.find('hash')).toEqual(token);
    expect(await store.tokens.list()).toEqual([token, lasting]);
  });
}
