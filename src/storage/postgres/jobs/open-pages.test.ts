// What a process shows of the pages that other processes request.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, getJob, leaseAndTake, links, org } from '../../../../test/storage/test-data.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();
const leaseMs = 3_000;

async function openStores(count: number): Promise<Store[]> {
  const { url, remove } = await createTestDatabase();
  onTestFinished(remove);
  const stores = await Promise.all(
    Array.from({ length: count }, () => openPostgresStore({ url, connections: 4, leaseMs })),
  );
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return stores;
}

/** What every read shows as in flight, of a job of 5 URLs. */
async function inFlightOf(store: Store, id: string): Promise<number[]> {
  const listed = await store.jobs.list(org, { limit: 10 });
  const [sample] = await store.crawlStatus.sample([id]);
  const seen = [(await getJob(store, id)).progress, listed.jobs[0]?.progress, sample?.progress];
  const load = await store.crawlStatus.load();
  for (const progress of [...seen, load]) expect((progress?.queued ?? 0) + (progress?.inFlight ?? 0)).toBe(5);
  return [...seen, load].map((progress) => progress?.inFlight ?? -1);
}

describe.skipIf(missing !== undefined)('pages that are requested now (needs PostgreSQL)', () => {
  it('get: shows what this process requests at once, and what others do with their next renewal', async () => {
    const [worker, api] = (await openStores(2)) as [Store, Store];
    const openPages = new Map<string, number>();
    await worker.frontier.recover({ delayMs: 0, openPages });
    const { id } = await createJob(worker, { startLinks: links(5, '/', { depth: 0 }) });
    await leaseAndTake(worker);
    for (const store of [worker, api]) expect(await inFlightOf(store, id)).toEqual([0, 0, 0, 0]);
    openPages.set(id, 2);
    expect(await inFlightOf(worker, id)).toEqual([2, 2, 2, 2]);
    await expect.poll(() => inFlightOf(api, id)).toEqual([2, 2, 2, 2]);
    const stopped = await api.jobs.stop(org, id);
    expect(stopped?.progress).toMatchObject({ queued: 3, inFlight: 2 });
    expect((await api.jobs.resume(org, id))?.progress).toMatchObject({ queued: 3, inFlight: 2 });
    openPages.delete(id);
    expect(await inFlightOf(worker, id)).toEqual([0, 0, 0, 0]);
    await expect.poll(() => inFlightOf(api, id)).toEqual([0, 0, 0, 0]);
  });

  it('get: adds up what several processes request, and leaves out one that is dead', async () => {
    const [first, second, api] = (await openStores(3)) as [Store, Store, Store];
    const { id } = await createJob(first, { startLinks: links(5, '/', { depth: 0 }) });
    const life = await first.frontier.recover({ delayMs: 0, openPages: new Map([[id, 1]]) });
    await second.frontier.recover({ delayMs: 0, openPages: new Map([[id, 2]]) });
    await leaseAndTake(first);
    for (const store of [first, second, api]) expect(await inFlightOf(store, id)).toEqual([3, 3, 3, 3]);
    expect(life.isHeld()).toBe(true);
    // It leaves its host, and its requests stay taken.
    await second.close();
    expect(await inFlightOf(api, id)).toEqual([1, 1, 1, 1]);
  });

  it('get: shows what is taken when a process does not count what it requests', async () => {
    const [worker, api] = (await openStores(2)) as [Store, Store];
    await worker.frontier.recover({ delayMs: 0 });
    const { id } = await createJob(worker, { startLinks: links(5, '/', { depth: 0 }) });
    await leaseAndTake(worker);
    for (const store of [worker, api]) expect(await inFlightOf(store, id)).toEqual([5, 5, 5, 5]);
  });
});
