// Jobs that need a browser: which process takes their requests, and what happens when none can.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CrawlError, Request } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import {
  createJob,
  getJob,
  hostB,
  lease,
  leaseAndTake,
  leaseHost,
  ledgerOf,
  link,
  links,
  listAll,
  newJob,
  scraped,
  settlement,
  type TestDatabase,
  tryLease,
  unreachable,
} from './test-data.ts';

const missing: CrawlError = { reason: 'browser_missing', message: 'No process has a browser.' };
const forBrowser = { useBrowser: true } as const;
const hourMs = 3_600_000;

export function describeBrowserJobs(createDatabase: () => Promise<TestDatabase>): void {
  describe('jobs that need a browser', () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
    });
    afterEach(() => database.remove());

    const begin = (hasBrowser: boolean): Promise<unknown> => store.frontier.recover({ delayMs: 0, hasBrowser });
    const restart = async (hasBrowser: boolean): Promise<void> => {
      await store.close();
      store = await database.open({ crawling: true });
      await begin(hasBrowser);
    };
    /** Takes and scrapes until no host is due; returns the jobs and URLs. */
    const crawled = async (): Promise<string[]> => {
      const seen: string[] = [];
      for (;;) {
        const leased = await leaseHost(store.frontier, { takes: true });
        if (!leased) return seen.toSorted();
        const { lease: held, mayHaveMore } = leased;
        let { requests } = leased;
        if (requests.length === 0 && mayHaveMore) requests = await store.frontier.take(held, 100);
        while (requests.length > 0) {
          seen.push(...requests.map(({ jobId, url }) => `${jobId} ${new URL(url).pathname}`));
          await store.frontier.settle(
            held,
            requests.map((request) => settlement(request)),
          );
          requests = await store.frontier.take(held, 100);
        }
        await store.frontier.release(held);
      }
    };
    const failAll = async (): Promise<void> => {
      while (await store.frontier.giveUpForBrowser(missing));
    };

    it('leaseHost: leases hosts of jobs for a browser like others when the process has a browser', async () => {
      await begin(true);
      const [plain, needs] = [await createJob(store), await createJob(store, { spec: forBrowser })];
      expect(await crawled()).toEqual([`${plain.id} /`, `${needs.id} /`].toSorted());
    });

    it('leaseHost: leases no host of a job for a browser when the process has none, not even an urgent one', async () => {
      await begin(false);
      await createJob(store, { spec: forBrowser, isInteractive: true });
      expect(await crawled()).toEqual([]);
      expect(await store.frontier.leaseUrgentHosts(1)).toBe('none');
      expect(await tryLease(store)).toBeUndefined();
      await restart(true);
      expect(await crawled()).toHaveLength(1);
    });

    it('take: takes only requests that need no browser when the process has none and both wait for one host', async () => {
      await begin(false);
      const needs = await createJob(store, { spec: forBrowser, startLinks: links(3, '/', { depth: 0 }) });
      const plain = await createJob(store, { startLinks: links(40, '/', { depth: 0 }) });
      expect((await crawled()).filter((url) => url.startsWith(plain.id))).toHaveLength(40);
      expect(await tryLease(store)).toBeUndefined();
      expect(await getJob(store, needs.id)).toMatchObject({ progress: { queued: 3, scraped: 0 } });
      await restart(true);
      expect(await crawled()).toHaveLength(3);
    });

    it('leaseHost: finds a job without a browser that is created after one for a browser', async () => {
      await begin(false);
      await createJob(store, { spec: forBrowser });
      expect(await crawled()).toEqual([]);
      const plain = await createJob(store);
      expect(await crawled()).toEqual([`${plain.id} /`]);
    });

    it('leaseHost: finds a due retry on a host where only pages for a browser wait', async () => {
      await begin(false);
      const plain = await createJob(store);
      await createJob(store, { spec: forBrowser });
      const { held, requests } = await leaseAndTake(store);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, { kind: 'retry', afterMs: 2_000, error: unreachable })),
      );
      await store.frontier.release(held);
      expect(await tryLease(store)).toBeUndefined();
      const again = await lease(store);
      expect((await store.frontier.take(again, 10)).map(({ jobId }) => jobId)).toEqual([plain.id]);
    });

    it('leaseHost: finds no host without a browser when only a retry for a browser is due', async () => {
      await begin(true);
      await createJob(store, { spec: forBrowser });
      const { held, requests } = await leaseAndTake(store);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, { kind: 'retry', afterMs: 1, error: unreachable })),
      );
      await store.frontier.release(held);
      await restart(false);
      expect(await crawled()).toEqual([]);
      await restart(true);
      expect(await crawled()).toHaveLength(1);
    });

    it('leaseHost: finds the one job without a browser among a hundred for a browser on its host', async () => {
      await begin(false);
      for (let job = 0; job < 100; job++) await createJob(store, { spec: forBrowser });
      const plain = await createJob(store);
      const seen: string[] = [];
      for (let looks = 0; seen.length === 0 && looks < 100; looks++) {
        seen.push(...(await crawled()));
        if (seen.length === 0) await store.frontier.waitForWork(200, AbortSignal.timeout(5_000));
      }
      expect(seen).toEqual([`${plain.id} /`]);
    }, 60_000);

    it('settle: lets redirects and new links of a job for a browser wait for a browser', async () => {
      await begin(true);
      const job = await createJob(store, { spec: forBrowser });
      const { held, requests } = await leaseAndTake(store);
      const outcome = (request: Request): ReturnType<typeof scraped> =>
        scraped(request, [...links(5), link('/', { host: hostB })]);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, outcome(request))),
      );
      await store.frontier.release(held);
      await restart(false);
      expect(await crawled()).toEqual([]);
      await restart(true);
      expect(await crawled()).toHaveLength(6);
      expect((await getJob(store, job.id)).status).toBe('succeeded');
    });

    it('recover: lets requests that were in flight with a browser wait for the next process with one', async () => {
      await begin(true);
      await createJob(store, { spec: forBrowser, startLinks: links(10, '/', { depth: 0 }) });
      await leaseAndTake(store, 5);
      await restart(false);
      expect(await crawled()).toEqual([]);
      await restart(true);
      expect(await crawled()).toHaveLength(10);
    });

    it('giveUpForBrowser: fails and lists each remaining URL of jobs for a browser, and leaves other jobs alone', async () => {
      await begin(true);
      const needs = await createJob(store, {
        spec: forBrowser,
        startLinks: [...links(1_200, '/', { depth: 0 }), link('/', { depth: 0, host: hostB })],
      });
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request)),
      );
      const later = await store.frontier.take(held, 1);
      await store.frontier.settle(
        held,
        later.map((request) => settlement(request, { kind: 'retry', afterMs: hourMs, error: unreachable })),
      );
      await store.frontier.release(held);
      expect(await store.frontier.giveUpForBrowser(missing)).toBe(false);
      await restart(false);
      const plain = await createJob(store, { startLinks: links(2, '/plain', { depth: 0 }) });
      await failAll();
      const job = await getJob(store, needs.id);
      expect(job).toMatchObject({ status: 'succeeded', progress: { queued: 0, inFlight: 0 } });
      const { scraped: done, failed } = job.progress;
      expect([done + failed, done <= 1]).toEqual([1_201, true]);
      const listed = await listAll(store, needs.id);
      expect(listed.filter(({ reason }) => reason === 'browser_missing')).toHaveLength(failed);
      expect((await getJob(store, plain.id)).progress).toMatchObject({ queued: 2, failed: 0 });
      expect(await crawled()).toHaveLength(2);
      await failAll();
    });

    it('giveUpForBrowser: ends a job without a page as failed, and the job can be retried', async () => {
      await begin(false);
      const job = await createJob(store, { spec: forBrowser, origins: [link('/origin')] });
      await failAll();
      expect(await getJob(store, job.id)).toMatchObject({ status: 'failed', progress: { failed: 1 } });
      expect(await ledgerOf(store, job.id)).toMatchObject({ '/': 'failed browser_missing' });
      const { spec } = newJob({ spec: forBrowser });
      const again = await store.jobs.retry(job.org, job.id, {
        id: `again-${job.id}`,
        spec,
        createdAt: Date.now(),
        headers: {},
      });
      expect(again).toMatchObject({ progress: { queued: 1 } });
      expect(await crawled()).toEqual([]);
    });

    it('giveUpForBrowser: leaves a job unchanged when it has ended', async () => {
      await begin(false);
      const job = await createJob(store, { spec: forBrowser });
      await store.jobs.cancel(job.org, job.id);
      await failAll();
      expect(await getJob(store, job.id)).toMatchObject({ status: 'cancelled', progress: { failed: 0, discarded: 1 } });
    });
  });
}
