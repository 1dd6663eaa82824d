// What every store promises to those who watch over it, and about how many jobs an org may have: a part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  hostA,
  hostB,
  leaseAndTake,
  link,
  links,
  newJob,
  org,
  scraped,
  settlement,
  type TestDatabase,
  unreachable,
  tryLease,
} from './test-data.ts';

const hourMs = 3_600_000;
const retryLater = { kind: 'retry', afterMs: hourMs, error: unreachable } as const satisfies Outcome;

export function describeCrawlStatus(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  describe('crawlStatus.load', () => {
    it('crawlStatus.load: returns zeros before any job and after all jobs have ended', async () => {
      const nothing = { starting: 0, running: 0, queued: 0, inFlight: 0, dueSince: null, deliveries: 0 };
      expect(await store.crawlStatus.load()).toEqual(nothing);
      await createJob(store);
      await crawl(store);
      expect(await store.crawlStatus.load()).toEqual(nothing);
    });

    it('crawlStatus.load: counts the jobs and URLs of every org', async () => {
      const before = Date.now();
      await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
      await createJob(store, { org: 'other', startLinks: [link('/', { depth: 0, host: hostB })] });
      const { dueSince, ...load } = await store.crawlStatus.load();
      expect(load).toEqual({ starting: 2, running: 0, queued: 4, inFlight: 0, deliveries: 0 });
      expect(dueSince).toBeGreaterThanOrEqual(before);
      const { held } = await leaseAndTake(store, 2);
      const taken = await store.crawlStatus.load();
      expect(taken).toMatchObject({ starting: 1, running: 1 });
      expect(taken.queued + taken.inFlight).toBe(4);
      expect(taken.inFlight).toBeGreaterThan(0);
      await store.frontier.release(held);
    });
  });

  describe('crawlStatus.unfinished', () => {
    it('crawlStatus.unfinished: returns jobs with their counters, oldest first, up to the limit', async () => {
      const first = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
      const second = await createJob(store, { origins: [link('', { depth: 0 })] });
      const [one, two] = await store.crawlStatus.unfinished(10);
      expect(one).toEqual({ id: first.id, org, progress: first.progress, control: 0, reasons: 0 });
      expect(two).toMatchObject({ id: second.id, control: 1 });
      expect((await store.crawlStatus.unfinished(1)).map(({ id }) => id)).toEqual([first.id]);
      await store.jobs.cancel(org, first.id, Date.now());
      expect((await store.crawlStatus.unfinished(10)).map(({ id }) => id)).toEqual([second.id]);
    });

    it('crawlStatus.unfinished: counts a reason for each URL that was discarded, failed or is outside', async () => {
      const discard = { reason: 'off_host' } as const;
      const { id } = await createJob(store, {
        startLinks: [link('/', { depth: 0 }), link('/2', { depth: 0, discard }), link('/3', { depth: 0, discard })],
      });
      expect(await store.crawlStatus.unfinished(10)).toMatchObject([
        { id, reasons: 2, progress: { discarded: 0, outside: 2 } },
      ]);
    });
  });

  describe('crawlStatus.pending', () => {
    it('crawlStatus.pending: counts what is queued, in flight, postponed or a sitemap of this job only', async () => {
      const { id } = await createJob(store, {
        startLinks: links(4, '/', { depth: 0 }),
        origins: [link('', { depth: 0, host: hostB })],
      });
      await createJob(store, { startLinks: links(7, '/', { depth: 0 }) });
      const held = await tryLease(store);
      if (held?.host !== hostA) throw new Error('another host is due longer');
      const [first] = await store.frontier.take(held, 1);
      if (!first) throw new Error('nothing was taken');
      await store.frontier.settle(held, [settlement(first, retryLater)]);
      await store.frontier.take(held, 1);

      const pending = await store.crawlStatus.pending(id);
      expect(pending?.requests).toBe(5);
      expect(pending?.counters).toMatchObject({ id, control: 1 });
      const { queued = 0, inFlight = 0 } = pending?.counters.progress ?? {};
      expect(queued + inFlight).toBe(4);
      const hosts = new Map(pending?.hosts.map((host) => [host.host, host]));
      expect(hosts.get(hostA)).toMatchObject({ requests: 4, isLeased: true, fence: held.fence });
      expect(hosts.get(hostB)).toMatchObject({ requests: 1, isLeased: false });
    });

    it('crawlStatus.pending: reports when the host can be requested again', async () => {
      const { id } = await createJob(store);
      const { held } = await leaseAndTake(store);
      const notBefore = Date.now() + hourMs;
      await store.frontier.release(held, { notBefore });
      const [host] = (await store.crawlStatus.pending(id))?.hosts ?? [];
      expect(host?.isLeased).toBe(false);
      // To a moment: the clock of the database may be another.
      expect(Math.abs((host?.readyAt ?? 0) - notBefore)).toBeLessThan(5_000);
    });

    it('crawlStatus.pending: adds up with the counters after every step of a crawl', async () => {
      const { id } = await createJob(store);
      let steps = 0;
      for (let held = await tryLease(store); held; held = await tryLease(store)) {
        const requests = await store.frontier.take(held, 2);
        const settlements = requests.map((request) =>
          settlement(request, scraped(request, steps++ < 10 ? links(3, `/${steps}-`) : [])),
        );
        await store.frontier.settle(held, settlements);
        const pending = await store.crawlStatus.pending(id);
        const { queued = 0, inFlight = 0 } = pending?.counters.progress ?? {};
        expect(pending?.requests ?? 0).toBe(queued + inFlight);
        await store.frontier.release(held);
      }
      expect(steps).toBe(31);
      expect(await store.crawlStatus.pending(id)).toBeUndefined();
    });

    it('crawlStatus.pending: returns undefined when the job does not exist', async () => {
      expect(await store.crawlStatus.pending('nobody')).toBeUndefined();
    });
  });

  describe('unfinishedMax', () => {
    const unfinishedMax = 3;

    it('jobs.create: creates exactly unfinishedMax jobs of 100 at once', async () => {
      const jobs = await Promise.all(Array.from({ length: 100 }, () => store.jobs.create(newJob({ unfinishedMax }))));
      expect(jobs.filter((job) => job !== 'too_many').length).toBe(unfinishedMax);
      expect(await store.jobs.countUnfinished(org)).toBe(unfinishedMax);
    });

    it('jobs.create: creates another job when one of unfinishedMax has ended, and counts each org alone', async () => {
      const first = await createJob(store, { unfinishedMax });
      for (let index = 1; index < unfinishedMax; index++) await createJob(store, { unfinishedMax });
      expect(await store.jobs.create(newJob({ unfinishedMax }))).toBe('too_many');
      expect(await store.jobs.create(newJob({ unfinishedMax, org: 'other' }))).toMatchObject({ org: 'other' });
      const cancelled = await store.jobs.cancel(org, first.id, Date.now());
      const created = await store.jobs.create(newJob({ unfinishedMax }));
      expect(cancelled?.status).toBe('cancelled');
      expect(created).toMatchObject({ org });
    });

    it('jobs.create: returns the earlier job of the idempotency key when unfinishedMax is reached', async () => {
      const idempotency = { key: 'k', bodyHash: 'h' };
      const job = await createJob(store, { unfinishedMax: 1, idempotency });
      expect(await store.jobs.create(newJob({ unfinishedMax: 1, idempotency }))).toMatchObject({ id: job.id });
      expect(await store.jobs.create(newJob({ unfinishedMax: 1 }))).toBe('too_many');
    });

    it('jobs.retry: returns too_many when unfinishedMax is reached', async () => {
      const failed = { kind: 'failed', error: unreachable } as const satisfies Outcome;
      const { id } = await createJob(store);
      await crawl(store, () => failed);
      await createJob(store);
      const retry = { spec: newJob().spec, createdAt: Date.now(), headers: {}, unfinishedMax: 1 };
      expect(await store.jobs.retry(org, id, { ...retry, id: 'retry-1' })).toBe('too_many');
      expect(await store.jobs.retry(org, id, { ...retry, id: 'retry-2', unfinishedMax: 2 })).toMatchObject({ org });
    });
  });
}
