// Jobs that their user stopped: nobody takes their requests before they are resumed. A part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  getJob,
  hostB,
  lease,
  leaseAndTake,
  ledgerOf,
  link,
  links,
  org,
  scraped,
  settlement,
  type TestDatabase,
  tryLease,
  unreachable,
} from './test-data.ts';

const startLinks = links(3, '/', { depth: 0 });
const onB = (path: string): ReturnType<typeof link> => link(path, { depth: 0, host: hostB });

export function describeStoppedJobs(createDatabase: () => Promise<TestDatabase>): void {
  describe('stopped jobs', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const restart = async (): Promise<void> => {
      await store.close();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    };
    const stopped = async (id: string): Promise<void> => {
      expect(await store.jobs.stop(org, id, 1_000)).toMatchObject({ id, stoppedAt: 1_000, finishedAt: null });
    };

    it('jobs.stop: keeps the status and the URLs of a job, and nobody takes them, also after a restart', async () => {
      const job = await createJob(store, { startLinks });
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.settle(held, [settlement(requests[0]!)]);
      await store.frontier.release(held);
      await stopped(job.id);
      expect(await crawl(store)).toEqual([]);
      await restart();
      expect(await crawl(store)).toEqual([]);
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'running',
        stoppedAt: 1_000,
        progress: { queued: 2, inFlight: 0, scraped: 1 },
      });
    });

    it('jobs.stop: does not make the hosts of the job due again and again', async () => {
      const job = await createJob(store, { startLinks });
      await stopped(job.id);
      expect(await crawl(store)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect(await tryLease(store)).toBeUndefined();
    });

    it('jobs.stop: finishes what is in flight, and what that finds waits', async () => {
      const job = await createJob(store, { startLinks });
      const { held, requests } = await leaseAndTake(store, 2);
      await stopped(job.id);
      await store.frontier.settle(held, [settlement(requests[0]!, scraped(requests[0]!, links(2, '/found')))]);
      expect(await store.frontier.take(held, 10)).toEqual([]);
      await store.frontier.release(held);
      expect(await crawl(store)).toEqual([]);
      expect((await getJob(store, job.id)).progress).toEqual({
        queued: 4,
        inFlight: 0,
        scraped: 1,
        discarded: 0,
        failed: 0,
        outside: 0,
      });
    });

    it('jobs.stop: leaves the hosts of the job to other jobs', async () => {
      const [one, other] = [await createJob(store, { startLinks }), await createJob(store, { startLinks })];
      await stopped(one.id);
      expect(await crawl(store)).toHaveLength(3);
      expect((await getJob(store, other.id)).status).toBe('succeeded');
      expect((await getJob(store, one.id)).progress.queued).toBe(3);
    });

    it('jobs.resume: lets a job be crawled to the end on every host by the same process', async () => {
      const job = await createJob(store, { startLinks: [...startLinks, onB('/b')] });
      await stopped(job.id);
      expect(await crawl(store)).toEqual([]);
      expect(await store.jobs.resume(org, job.id)).toMatchObject({ stoppedAt: null, status: 'starting' });
      expect(await crawl(store)).toHaveLength(4);
      expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', stoppedAt: null });
    });

    it('jobs.stop and jobs.resume: work from a process that does not crawl', async () => {
      const job = await createJob(store, { startLinks });
      const other = await database.open();
      await other.jobs.stop(org, job.id, 1_000);
      expect(await crawl(store)).toEqual([]);
      expect((await other.jobs.listStopped()).map(({ id }) => id)).toEqual([job.id]);
      await other.jobs.resume(org, job.id);
      await restart();
      expect(await crawl(store)).toHaveLength(3);
    });

    it('jobs.resume: works while a lane holds the host', async () => {
      const job = await createJob(store, { startLinks });
      const held = await lease(store);
      await stopped(job.id);
      expect(await store.frontier.take(held, 10)).toEqual([]);
      await store.jobs.resume(org, job.id);
      await store.frontier.release(held);
      expect(await crawl(store)).toHaveLength(3);
    });

    it('jobs.stop: keeps a retry, and resume lets it be taken', async () => {
      const job = await createJob(store);
      const { held, requests } = await leaseAndTake(store);
      const later: Outcome = { kind: 'retry', afterMs: 50, error: unreachable };
      await store.frontier.settle(held, [settlement(requests[0]!, later)]);
      await store.frontier.release(held);
      await stopped(job.id);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await crawl(store)).toEqual([]);
      await store.jobs.resume(org, job.id);
      expect(await crawl(store)).toHaveLength(1);
    });

    it('jobs.stop: loses nothing when a host is given up for other jobs', async () => {
      const [one, other] = [await createJob(store, { startLinks }), await createJob(store, { startLinks })];
      await stopped(one.id);
      const held = await lease(store);
      const gone = { code: 'host_unresponsive', message: 'The host does not respond.' } as const;
      expect(await store.frontier.giveUp(held, unreachable, gone)).toBe(false);
      await store.frontier.release(held);
      expect((await getJob(store, other.id)).status).toBe('failed');
      expect((await getJob(store, one.id)).progress).toMatchObject({ queued: 3, failed: 0 });
    });

    it('jobs.cancel: ends a stopped job, which is then no longer stopped', async () => {
      const job = await createJob(store, { startLinks });
      await stopped(job.id);
      expect(await store.jobs.cancel(org, job.id)).toMatchObject({ status: 'cancelled', stoppedAt: null });
      expect(await ledgerOf(store, job.id)).toEqual({
        '/1': 'discarded cancelled',
        '/2': 'discarded cancelled',
        '/3': 'discarded cancelled',
      });
      expect(await store.jobs.listStopped()).toEqual([]);
      expect(await store.jobs.resume(org, job.id)).toMatchObject({ status: 'cancelled' });
      expect(await crawl(store)).toEqual([]);
    });

    it('jobs.stop: keeps the first time, and ignores ended jobs and those of other orgs', async () => {
      const job = await createJob(store, { startLinks });
      await stopped(job.id);
      expect(await store.jobs.stop(org, job.id, 2_000)).toMatchObject({ stoppedAt: 1_000 });
      expect(await store.jobs.stop('other', job.id)).toBeUndefined();
      expect(await store.jobs.resume('other', job.id)).toBeUndefined();
      const ended = await createJob(store);
      await crawl(store);
      expect(await store.jobs.stop(org, ended.id)).toMatchObject({ status: 'succeeded', stoppedAt: null });
    });

    it('jobs.listStopped: lists stopped jobs newest first, and they count as no load', async () => {
      const [one, other] = [await createJob(store, { startLinks }), await createJob(store, { startLinks })];
      await createJob(store);
      for (const { id } of [one, other]) await stopped(id);
      expect((await store.jobs.listStopped()).map(({ id }) => id)).toEqual([other.id, one.id]);
      expect(await store.jobs.listStopped(org)).toHaveLength(2);
      expect(await store.jobs.listStopped('other')).toEqual([]);
      expect(await store.crawlStatus.load()).toMatchObject({ starting: 1, running: 0, queued: 1 });
      expect(await store.crawlStatus.unfinished(10)).toHaveLength(1);
      expect((await store.jobs.hosts(org, { after: 0, limit: 10, jobId: one.id })).hosts).toEqual([]);
    });
  });
}
