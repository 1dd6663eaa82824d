// Pages that wait until their site was learned: on disk, with their requests in the frontier.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Request } from '../../src/core/request.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { createJob, getJob, leaseAndTake, link, links, type OpenDatabase, org, settlement } from './test-data.ts';

export function describeHeldPages(createDatabase: () => Promise<OpenDatabase>): void {
  describe('held pages', () => {
    let database: OpenDatabase;
    let store: Store;
    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    const pageOf = (
      { id, url }: Pick<Request, 'id' | 'url'>,
      heldAt = 5,
    ): Parameters<Store['heldPages']['hold']>[1] => {
      return { request: id, site: 'a', url, heldAt, signature: new Uint8Array([1, 0, 0, 0]), data: bytes(`of ${url}`) };
    };

    it('settle: keeps a held request queued, with its links, and counts its fetch when it ends', async () => {
      const { id } = await createJob(store, { spec: { fetchLimit: 1 } });
      const { held, requests } = await leaseAndTake(store);
      const [request] = requests as [Request];
      expect(await store.heldPages.hold(id, pageOf(request))).toEqual({ ofSite: 1, ofJob: 1 });
      await store.frontier.settle(held, [settlement(request, { kind: 'held', afterMs: 0, links: [link('/found')] })]);
      expect(await getJob(store, id)).toMatchObject({ status: 'running', progress: { queued: 2, scraped: 0 } });
      await store.heldPages.judge(id, [request.id], 'waiting', 0);
      expect(await store.heldPages.progress(id)).toEqual({ open: 2, held: 1, scraped: 0, fetches: 0 });
      await expect
        .poll(async () => (await store.frontier.take(held, 1)).map(({ id: taken }) => taken), { interval: 5 })
        .toEqual([request.id]);
      await store.frontier.settle(held, [{ ...settlement(request, undefined, false), wasHeld: true }]);
      // The limit of one fetch is reached.
      expect(await getJob(store, id)).toMatchObject({ status: 'succeeded', progress: { scraped: 1 } });
      expect(await store.heldPages.list(id, 'a')).toEqual([]);
      expect(await store.heldPages.progress(id)).toBeUndefined();
    });

    it('hold: counts the pages of the site and of the job whose requests have not ended', async () => {
      const { id } = await createJob(store, { startLinks: links(3) });
      const { held, requests } = await leaseAndTake(store, 3);
      const [one, two, three] = requests as [Request, Request, Request];
      expect(await store.heldPages.hold(id, pageOf(one))).toEqual({ ofSite: 1, ofJob: 1 });
      expect(await store.heldPages.hold(id, { ...pageOf(two), site: 'b' })).toEqual({ ofSite: 1, ofJob: 2 });
      expect(await store.heldPages.hold(id, pageOf(one))).toEqual({ ofSite: 1, ofJob: 2 });
      await store.frontier.settle(held, [{ ...settlement(one, undefined, false), wasHeld: true }]);
      expect(await store.heldPages.hold(id, pageOf(three))).toEqual({ ofSite: 1, ofJob: 2 });
    });

    it('judge: notes why pages wait no longer, once', async () => {
      const { id } = await createJob(store);
      const { requests } = await leaseAndTake(store);
      const [request] = requests as [Request];
      await store.heldPages.hold(id, pageOf(request));
      expect(await store.heldPages.progress(id)).toMatchObject({ held: 0 });
      // In a round that goes on.
      await store.heldPages.judge(id, [request.id], 'rejected', 6);
      expect(await store.heldPages.list(id, 'a')).toMatchObject([{ state: 'rejected', revision: 6 }]);
      expect(await store.heldPages.progress(id)).toMatchObject({ held: 1 });
      await store.heldPages.judge(id, [request.id], 'bad_answer', 7);
      await store.heldPages.judge(id, [request.id], 'learned', 8);
      const kept = await store.heldPages.read(id, request.id);
      expect({ ...kept, data: new TextDecoder().decode(kept?.data) }).toEqual({
        heldAt: 5,
        state: 'bad_answer',
        revision: 7,
        data: `of ${request.url}`,
      });
      const listed = await store.heldPages.list(id, 'a');
      expect(listed).toMatchObject([{ request: request.id, url: request.url, heldAt: 5, state: 'bad_answer' }]);
      expect([...(listed[0]?.signature ?? [])]).toEqual([1, 0, 0, 0]);
      // Fetched again after a crash.
      await store.heldPages.hold(id, pageOf(request, 9));
      expect(await store.heldPages.read(id, request.id)).toMatchObject({ heldAt: 9, state: 'new' });
      await store.heldPages.remove([request.id]);
      expect(await store.heldPages.read(id, request.id)).toBeUndefined();
    });

    it('sweep: removes the pages of a job that has ended', async () => {
      const { id } = await createJob(store);
      const { requests } = await leaseAndTake(store);
      const [request] = requests as [Request];
      await store.heldPages.hold(id, pageOf(request));
      await store.jobs.cancel(org, id);
      await store.sweep(Date.now());
      expect(await store.heldPages.read(id, request.id)).toBeUndefined();
      expect(await store.heldPages.hold(id, pageOf(request))).toBeUndefined();
    });

    it('claim: a holder can claim a site again, and gives it back', async () => {
      const { id } = await createJob(store);
      expect(await store.heldPages.claim(id, 'a', 'one', 60_000)).toBe(true);
      expect(await store.heldPages.claim(id, 'a', 'one', 60_000)).toBe(true);
      expect(await store.heldPages.claim(id, 'a', 'two', 60_000)).toBe(false);
      expect(await store.heldPages.claim(id, 'b', 'two', 60_000)).toBe(true);
      await store.heldPages.claim(id, 'a', 'one', 0);
      expect(await store.heldPages.claim(id, 'a', 'two', 60_000)).toBe(true);
    });
  });
}
