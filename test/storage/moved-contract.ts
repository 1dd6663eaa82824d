// What every store promises about requests that were redirected to another host: a part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import {
  createJob,
  getJob,
  hostA,
  hostB,
  lease,
  leaseAndTake,
  leaseHost,
  ledgerOf,
  link,
  links,
  listAll,
  org,
  scraped,
  settlement,
  type TestDatabase,
  tryLease,
  unreachable,
} from './test-data.ts';

const chain = '{"version":1,"of":"a test, with \\"quotes\\" and \\u0000"}';
const toB: Outcome = { kind: 'moved', host: hostB, chain };
const retryNow: Outcome = { kind: 'retry', afterMs: 0, error: unreachable };

export function describeMovedRequests(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  /** Takes the start URL of host A, and has it moved to host B. */
  const move = async (outcome: Outcome = toB, max = 1): Promise<void> => {
    const { held, requests } = await leaseAndTake(store, max);
    await store.frontier.settle(
      held,
      requests.map((request) => settlement(request, outcome)),
    );
    await store.frontier.release(held);
  };

  it('moved request: waits for the other host, and is taken there with its chain', async () => {
    const job = await createJob(store);
    const { held, requests } = await leaseAndTake(store);
    expect(held.host).toBe(hostA);
    expect(requests).toMatchObject([{ url: 'https://a.test/' }]);
    expect(requests[0]).not.toHaveProperty('chain');
    await store.frontier.settle(held, [settlement(requests[0]!, toB)]);
    expect(await store.frontier.take(held, 10)).toEqual([]);
    await store.frontier.release(held);
    expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 1, inFlight: 0 });

    const there = await leaseAndTake(store);
    expect(there.held.host).toBe(hostB);
    expect(there.requests).toEqual([{ ...requests[0], chain }]);
    expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 0, inFlight: 1 });
    await store.frontier.settle(there.held, [settlement(there.requests[0]!)]);
    await store.frontier.release(there.held);
    expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 1 } });
    expect(await listAll(store, job.id)).toMatchObject([
      { url: 'https://a.test/', status: 'scraped', depth: 0, attempts: 1 },
    ]);
  });

  it('moved request: is taken before pages and sitemaps of the host, also when its URL is found again', async () => {
    const job = await createJob(store, {
      startLinks: [link('/', { depth: 0 }), link('/x', { depth: 0, host: hostB })],
      origins: [link('/', { host: hostB })],
    });
    const first = await lease(store);
    const [toMove] = await store.frontier.take(first, 10);
    await store.frontier.settle(first, [settlement(toMove!, scraped(toMove!, [link('/deep', { depth: 3 })]))]);
    const [deep] = await store.frontier.take(first, 10);
    await store.frontier.settle(first, [settlement(deep!, toB)]);
    await store.frontier.release(first);
    const there = await lease(store);
    const [moved] = await store.frontier.take(there, 1);
    expect(moved).toMatchObject({ url: 'https://a.test/deep', depth: 3 });
    const rest = await store.frontier.take(there, 10);
    expect(rest.map(({ kind }) => kind)).toEqual(['origin', 'page']);
    await store.frontier.release(there);
    const again = await lease(store);
    const found = await store.frontier.take(again, 10);
    const page = found.find(({ url, kind }) => url.endsWith('/x') && kind === 'page');
    await store.frontier.settle(again, [settlement(page!, scraped(page!, [link('/deep', { depth: 1 })]))]);
    await store.frontier.release(again);
    expect((await leaseAndTake(store, 1)).requests).toMatchObject([{ url: 'https://a.test/deep', depth: 1, chain }]);
    expect((await getJob(store, job.id)).progress.failed).toBe(0);
  });

  it('moved request: counts as a fetch each time', async () => {
    const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }), spec: { fetchLimit: 2 } });
    await move();
    await move({ kind: 'moved', host: hostA, chain });
    expect(await getJob(store, job.id)).toMatchObject({
      status: 'failed',
      progress: { queued: 0, inFlight: 0, discarded: 3 },
      reasons: { fetch_limit: 3 },
    });
  });

  it('moved request: is not taken when page_limit has no room', async () => {
    await createJob(store, { startLinks: links(2, '/', { depth: 0 }), spec: { pageLimit: 1 } });
    await move();
    const leases = [await tryLease(store), await tryLease(store)];
    const held = leases.find((lease) => lease?.host === hostA)!;
    const there = leases.find((lease) => lease?.host === hostB)!;
    const requests = await store.frontier.take(held, 10);
    expect(requests).toHaveLength(1);
    expect(await store.frontier.take(there, 10)).toEqual([]);
    await store.frontier.settle(held, [settlement(requests[0]!, { kind: 'discarded', reason: 'nofollow' })]);
    await store.frontier.release(held);
    await store.frontier.release(there);
    expect((await leaseAndTake(store)).requests).toHaveLength(1);
  });

  it('moved request: begins again at its own URL after a failure', async () => {
    await createJob(store);
    await move();
    await move(retryNow);
    const { held, requests } = await leaseAndTake(store);
    expect(held.host).toBe(hostA);
    expect(requests).toMatchObject([{ url: 'https://a.test/', attempts: 1 }]);
    expect(requests[0]).not.toHaveProperty('chain');
  });

  it('moved request: stays on the other host when it is handed back, and after a crash', async () => {
    await createJob(store);
    await move();
    const first = await leaseAndTake(store);
    await store.frontier.release(first.held);
    const second = await leaseAndTake(store);
    expect([second.held.host, second.requests]).toEqual([hostB, first.requests]);
    await store.close();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
    const third = await leaseAndTake(store);
    expect([third.held.host, third.requests]).toEqual([hostB, first.requests]);
  });

  it('moved request: is tried alone on the other host when two processes died with it', async () => {
    await createJob(store);
    await move();
    for (let deaths = 0; deaths < 2; deaths++) {
      await leaseAndTake(store);
      await store.close();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    }
    const suspect = await store.frontier.takeSuspect(2);
    expect(suspect).toMatchObject({ lease: { host: hostB }, request: { url: 'https://a.test/', chain } });
  });

  it('moved request: ends with its job, and fails when the other host is given up', async () => {
    const [cancelled, job] = [await createJob(store), await createJob(store)];
    await move(toB, 2);
    await store.jobs.cancel(org, cancelled.id);
    const held = await lease(store);
    expect(held.host).toBe(hostB);
    const notice = { code: 'host_unreachable', message: 'b.test does not answer.' } as const;
    expect(await store.frontier.giveUp(held, unreachable, notice)).toBe(false);
    await store.frontier.release(held);
    expect(await ledgerOf(store, job.id)).toEqual({ '/': 'failed connect' });
    expect(await leaseHost(store.frontier)).toBeUndefined();
  });

  it('moved request: is uncounted and taken before pages when it is a sitemap', async () => {
    const job = await createJob(store, { startLinks: [link('/', { depth: 0, host: hostB })], origins: [link('/')] });
    const both = [await lease(store), await lease(store)];
    const from = both.find(({ host }) => host === hostA)!;
    const [origin] = await store.frontier.take(from, 1);
    await store.frontier.settle(from, [settlement(origin!, toB)]);
    for (const held of both) await store.frontier.release(held);
    expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 1, inFlight: 0 });
    const { requests } = await leaseAndTake(store);
    expect(requests.map(({ kind, chain: noted }) => [kind, noted])).toEqual([
      ['origin', chain],
      ['page', undefined],
    ]);
  });

  describe('stale lease', () => {
    it('moved request: stays on its own host when it is settled under a released lease', async () => {
      await createJob(store);
      const { held, requests } = await leaseAndTake(store);
      await store.frontier.release(held);
      await store.frontier.settle(held, [settlement(requests[0]!, toB)]);
      expect((await leaseAndTake(store)).held.host).toBe(hostA);
    });
  });
}
