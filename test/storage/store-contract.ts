// What every store promises, whatever database is behind it: the comments of the ports (core/ports/frontier.ts and
// core/ports/stores.ts) as tests. A backend is finished when it passes this and `special-contracts.ts`.
//
// Time runs inside the store, so tests use pauses that are over at once or not within the test, and wait only with the
// store's own waiting functions.
import { inflateRawSync, constants } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discovered, hasEnded } from '../../src/core/job.ts';
import { textOf } from '../../src/core/page.ts';
import { metadataIn } from '../../src/page/decode.ts';
import type { Link, Outcome, Request } from '../../src/core/request.ts';
import { endedName } from '../../src/core/ports/frontier.ts';
import { type LedgerEntry, ledgerStatuses, type Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
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
  newJob,
  type OpenDatabase,
  org,
  page,
  pagesOf,
  scraped,
  settlement,
  type TestDatabase,
  tryLease,
  unreachable,
  urlOf,
  wholeJob,
} from './test-data.ts';

const hourMs = 3_600_000;
const discarded = { kind: 'discarded', reason: 'content_type', detail: 'image/png' } as const satisfies Outcome;
const failed = { kind: 'failed', error: unreachable } as const satisfies Outcome;
const retryAtOnce = { kind: 'retry', afterMs: 0, error: unreachable } as const satisfies Outcome;
const retryLater = { kind: 'retry', afterMs: hourMs, error: unreachable } as const satisfies Outcome;

/** Works on the first request that is due. */
async function crawlOne(
  store: Store,
  outcomeOf: (request: Request) => Outcome = (request) => scraped(request),
): Promise<void> {
  const { held, requests } = await leaseAndTake(store, 1);
  await store.frontier.settle(
    held,
    requests.map((request) => settlement(request, outcomeOf(request))),
  );
  await store.frontier.release(held);
}

export function describeStoreContract(name: string, createDatabase: () => Promise<OpenDatabase>): void {
  describe(`store on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;

    beforeEach(async () => {
      database = await createDatabase();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0 });
    });
    afterEach(() => database.remove());

    /** Ends the process without an end of its work, and starts another. */
    const restart = async (options: { readonly delayMs?: number; readonly onlyJob?: string } = {}): Promise<void> => {
      await store.close();
      store = await database.open({ crawling: true });
      await store.frontier.recover({ delayMs: 0, ...options });
    };

    it('hasBrowser: returns whether a process that crawls has a browser', async () => {
      expect(await store.hasBrowser()).toBe(false);
      await store.frontier.recover({ delayMs: 0, hasBrowser: true });
      expect(await store.hasBrowser()).toBe(true);
      await restart();
      expect(await store.hasBrowser()).toBe(false);
    });

    describe('creating a job', () => {
      it('jobs.create: has written the job and its URLs when it returns', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const other = await database.open();
        expect(await getJob(other, job.id)).toEqual(job);
        expect(await ledgerOf(other, job.id)).toEqual({ '/1': 'queued', '/2': 'queued', '/3': 'queued' });
      });

      it('jobs.create: returns the job as it is read later', async () => {
        const notices = [{ code: 'robots_ignored', message: 'Something to know.', at: 1 }] as const;
        const job = await createJob(store, { notices, spec: { pageLimit: 7, excludeGlobs: ['/*.pdf'] } });
        expect(job).toMatchObject({
          org,
          status: 'starting',
          finishedAt: null,
          resultsGoneAt: null,
          areResultsGone: false,
          sitemapPageCount: 0,
          notices,
        });
        expect(job.spec).toMatchObject({ pageLimit: 7, excludeGlobs: ['/*.pdf'] });
        expect(job.progress).toEqual({ queued: 1, inFlight: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 });
        expect(await getJob(store, job.id)).toEqual(job);
      });

      it('jobs.create: lists a start URL that is outside, and fails the job when it has no other', async () => {
        const job = await createJob(store, {
          startLinks: [link('/', { depth: 0, discard: { reason: 'url_too_long' } })],
        });
        expect(job).toMatchObject({ status: 'failed', progress: { queued: 0, discarded: 0, outside: 1 } });
        expect(await ledgerOf(store, job.id)).toEqual({ '/': 'outside url_too_long' });
      });

      it('jobs.create: takes two start URLs with one key as one', async () => {
        const job = await createJob(store, { startLinks: [link('/', { depth: 0 }), link('/', { depth: 0 })] });
        expect(job.progress.queued).toBe(1);
      });

      it('jobUrlsMax: limits the listed URLs, counts the others in a finding, and the job ends', async () => {
        await store.close();
        store = await database.open({ crawling: true, jobUrlsMax: 5 });
        await store.frontier.recover({ delayMs: 0 });
        const { id } = await createJob(store);
        await crawl(store, (request) => scraped(request, links(8)));
        const job = await getJob(store, id);
        expect(job).toMatchObject({ status: 'succeeded', progress: { queued: 0, scraped: 5 } });
        expect(job.findings).toMatchObject([{ code: 'url_limit_reached', count: 4 }]);
        expect(Object.keys(await ledgerOf(store, id))).toHaveLength(5);
      });

      it('jobs.create: returns the same job for the same idempotency key and body', async () => {
        const idempotency = { key: 'k', bodyHash: 'h' };
        const first = await createJob(store, { idempotency });
        await crawl(store);
        const second = await createJob(store, { idempotency });
        expect(second).toEqual(await getJob(store, first.id));
        expect((await store.jobs.list(org, { limit: 10 })).jobs).toHaveLength(1);
      });

      it('jobs.create: returns conflict when the body of the key differs', async () => {
        await createJob(store, { idempotency: { key: 'k', bodyHash: 'h' } });
        expect(await store.jobs.create(newJob({ idempotency: { key: 'k', bodyHash: 'other' } }))).toBe('conflict');
        expect((await store.jobs.list(org, { limit: 10 })).jobs).toHaveLength(1);
      });

      it('jobs.create: creates one job for simultaneous requests with one key', async () => {
        // The first requests open the connections; of one key alone the second could come when the first is done.
        for (const round of [1, 2, 3]) {
          const keys = Array.from({ length: 40 }, (_, index) => `${round} ${index >> 2}`);
          const jobs = await Promise.all(keys.map((key) => createJob(store, { idempotency: { key, bodyHash: 'h' } })));
          expect(new Set(jobs.map(({ id }) => id)).size).toBe(10);
        }
      });

      it('jobs.create: keeps the keys of orgs apart', async () => {
        const first = await createJob(store, { idempotency: { key: 'k', bodyHash: 'h' } });
        const second = await createJob(store, { org: 'other', idempotency: { key: 'k', bodyHash: 'another' } });
        expect(second.id).not.toBe(first.id);
      });

      it('jobs.create: forgets a key after 24 hours', async () => {
        const createdAt = Date.now();
        const first = await createJob(store, {
          createdAt: createdAt - 24 * hourMs,
          idempotency: { key: 'k', bodyHash: 'h' },
        });
        const second = await createJob(store, { createdAt, idempotency: { key: 'k', bodyHash: 'h' } });
        expect(second.id).not.toBe(first.id);
      });
    });

    describe('reading jobs', () => {
      it('jobs.list: lists jobs newest first, after a position', async () => {
        const ids: string[] = [];
        for (let count = 0; count < 5; count++) ids.unshift((await createJob(store)).id);
        const listed = async (query: { after?: string; limit: number }) =>
          (await store.jobs.list(org, query)).jobs.map(({ id }) => id);
        expect(await listed({ limit: 10 })).toEqual(ids);
        expect(await listed({ limit: 2 })).toEqual(ids.slice(0, 2));
        expect(await listed({ limit: 2, after: ids[1]! })).toEqual(ids.slice(2, 4));
        expect(await listed({ limit: 2, after: ids[4]! })).toEqual([]);
      });

      it('jobs.list: filters by status', async () => {
        const first = await createJob(store);
        const second = await createJob(store);
        await store.jobs.cancel(org, first.id, Date.now());
        const listed = async (status: 'starting' | 'cancelled' | 'failed') =>
          (await store.jobs.list(org, { limit: 10, status })).jobs.map(({ id }) => id);
        expect(await listed('starting')).toEqual([second.id]);
        expect(await listed('cancelled')).toEqual([first.id]);
        expect(await listed('failed')).toEqual([]);
      });

      it("jobs: never shows or changes another org's job", async () => {
        const job = await createJob(store);
        expect(await store.jobs.get('other', job.id)).toBeUndefined();
        expect((await store.jobs.list('other', { limit: 10 })).jobs).toEqual([]);
        expect(await store.jobs.cancel('other', job.id, Date.now())).toBeUndefined();
        expect(await store.jobs.delete('other', job.id, Date.now())).toBeUndefined();
        expect(await store.pages.read({ ...wholeJob, org: 'other', jobId: job.id })).toBeUndefined();
        expect(await getJob(store, job.id)).toEqual(job);
      });

      it('jobs: returns undefined for a job that was never created', async () => {
        expect(await store.jobs.get(org, 'nope')).toBeUndefined();
        expect(await store.jobs.cancel(org, 'nope', 1)).toBeUndefined();
        expect(await store.jobs.delete(org, 'nope', 1)).toBeUndefined();
        expect(await store.jobs.listUrls('nope', { after: 0, limit: 10 })).toEqual({ entries: [] });
        expect(await store.pages.read({ ...wholeJob, jobId: 'nope' })).toBeUndefined();
        expect(await store.frontier.crawlJob('nope')).toBeUndefined();
      });
    });

    describe('ending a job', () => {
      it('jobs.cancel: discards what is left, once', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 2);
        await store.frontier.settle(held, [settlement(requests[0]!)]);
        const cancelled = await store.jobs.cancel(org, job.id, 5_000);
        expect(cancelled).toMatchObject({ status: 'cancelled', finishedAt: 5_000, resultsGoneAt: 65_000 });
        expect(cancelled?.progress).toEqual({
          queued: 0,
          inFlight: 0,
          scraped: 1,
          discarded: 2,
          failed: 0,
          outside: 0,
        });
        expect(await store.jobs.cancel(org, job.id, 6_000)).toEqual(cancelled);
        expect(await ledgerOf(store, job.id)).toEqual({
          '/1': 'scraped',
          '/2': 'discarded cancelled',
          '/3': 'discarded cancelled',
        });
      });

      it('jobs: never changes a job that has ended', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        const cancelled = await store.jobs.cancel(org, job.id, Date.now());
        const ledger = await listAll(store, job.id);
        await store.frontier.settle(held, [settlement(requests[0]!, scraped(requests[0]!, links(5, '/new')))]);
        await store.frontier.settle(held, [settlement(requests[1]!, retryAtOnce)]);
        expect(await store.frontier.take(held, 10)).toEqual([]);
        await store.frontier.release(held);
        await crawl(store);
        await restart();
        await crawl(store);
        expect(await getJob(store, job.id)).toEqual(cancelled);
        expect(await listAll(store, job.id)).toEqual(ledger);
        expect(await pagesOf(store, job.id)).toEqual({});
      });

      it('jobs.delete: cancels a running job, and its results are gone', async () => {
        const job = await createJob(store);
        const deleted = await store.jobs.delete(org, job.id, 5_000);
        expect(deleted).toMatchObject({ status: 'cancelled', finishedAt: 5_000, resultsGoneAt: 5_000 });
        expect(await store.jobs.delete(org, job.id, 6_000)).toEqual(deleted);
      });

      it('jobs.delete: removes the results of an ended job and keeps the rest', async () => {
        const job = await createJob(store);
        await crawl(store);
        const ended = await getJob(store, job.id);
        expect(ended.resultsGoneAt).toBe(ended.finishedAt! + 60_000);
        expect(await store.jobs.delete(org, job.id, ended.finishedAt! + 1)).toEqual({
          ...ended,
          resultsGoneAt: ended.finishedAt! + 1,
          areResultsGone: true,
        });
      });

      it('setExpiry: keeps the results of an ended job for as long as it says, counted from the end', async () => {
        const job = await createJob(store, { spec: { outputExpirySeconds: null } });
        const hour = { seconds: 3_600, isConfirmed: false };
        expect(await store.jobs.setExpiry(org, job.id, hour)).toBe('running');
        await crawl(store);
        const ended = await getJob(store, job.id);
        expect(ended).toMatchObject({ resultsGoneAt: null, areResultsGone: false });
        const end = ended.finishedAt!;
        const kept = {
          ...ended,
          spec: { ...ended.spec, outputExpirySeconds: 3_600 },
          resultsGoneAt: end + 3_600_000,
        };
        for (const _ of ['once', 'again']) expect(await store.jobs.setExpiry(org, job.id, hour)).toEqual(kept);
        expect(await getJob(store, job.id)).toEqual(kept);
        expect(await store.jobs.setExpiry(org, job.id, { seconds: null, isConfirmed: false })).toEqual(ended);
        expect(await store.jobs.setExpiry('another', job.id, hour)).toBeUndefined();
        expect(await store.jobs.setExpiry(org, 'no-such-job', hour)).toBeUndefined();
      });

      it('setExpiry: removes results only when a time in the past is confirmed, and never brings them back', async () => {
        const job = await createJob(store, { spec: { outputExpirySeconds: null } });
        await crawl(store);
        const ended = await getJob(store, job.id);
        const later = ended.finishedAt! + 61_000;
        const minute = { seconds: 60, isConfirmed: false };
        expect(await store.jobs.setExpiry(org, job.id, minute, later)).toBe('unconfirmed');
        expect(await getJob(store, job.id)).toEqual(ended);
        const gone = { resultsGoneAt: ended.finishedAt! + 60_000 };
        expect(await store.jobs.setExpiry(org, job.id, { ...minute, isConfirmed: true }, later)).toMatchObject(gone);
        expect(await store.jobs.setExpiry(org, job.id, { seconds: null, isConfirmed: true }, later)).toBe('gone');
        await store.jobs.delete(org, job.id);
        expect(await store.jobs.setExpiry(org, job.id, { seconds: null, isConfirmed: true })).toBe('gone');
      });

      it('jobs.delete: does not move the end of results that had expired', async () => {
        const job = await createJob(store);
        await crawl(store);
        const { resultsGoneAt } = await getJob(store, job.id);
        expect(await store.jobs.delete(org, job.id, resultsGoneAt! + 1)).toMatchObject({ resultsGoneAt });
      });

      it.each([
        ['succeeded when one URL was scraped', [scraped, failed], 'succeeded'],
        ['failed when all URLs were discarded', [discarded, discarded], 'failed'],
        ['failed when one URL failed and none was scraped', [discarded, failed], 'failed'],
      ] as const)('settle: ends a job as %s', async (_, outcomes, status) => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        for (const [index, outcome] of outcomes.entries()) {
          expect((await getJob(store, job.id)).status).toBe('running');
          const request = requests[index]!;
          await store.frontier.settle(held, [
            settlement(request, typeof outcome === 'function' ? outcome(request) : outcome),
          ]);
        }
        expect((await getJob(store, job.id)).status).toBe(status);
      });
    });

    describe('counting', () => {
      it('progress: equals what the ledger lists at every step', async () => {
        const job = await createJob(store);
        const check = async (progress: Partial<Awaited<ReturnType<typeof getJob>>['progress']>): Promise<void> => {
          const current = await getJob(store, job.id);
          expect(current.progress).toMatchObject(progress);
          let sum = 0;
          for (const status of ledgerStatuses) {
            const { entries: listed } = await store.jobs.listUrls(job.id, { after: 0, limit: 1_000, status });
            expect(listed.every((entry) => entry.status === status)).toBe(true);
            expect([status, listed.length]).toEqual([status, current.progress[status]]);
            sum += listed.length;
          }
          expect(discovered(current.progress)).toBe(sum);
          expect(await listAll(store, job.id)).toHaveLength(sum);
        };
        await check({ queued: 1 });
        const { held, requests } = await leaseAndTake(store);
        await check({ queued: 0, inFlight: 1 });
        const found = [...links(5), link('/off', { discard: { reason: 'off_host' } })];
        await store.frontier.settle(held, [settlement(requests[0]!, scraped(requests[0]!, found))]);
        await check({ queued: 5, inFlight: 0, scraped: 1, discarded: 0, outside: 1 });
        const [one, two, three, four] = await store.frontier.take(held, 4);
        await check({ queued: 1, inFlight: 4 });
        await store.frontier.settle(held, [
          settlement(one!, discarded),
          settlement(two!, failed),
          settlement(three!, retryLater),
        ]);
        await check({ queued: 2, inFlight: 1, scraped: 1, discarded: 1, failed: 1, outside: 1 });
        await store.frontier.release(held);
        await check({ queued: 3, inFlight: 0 });
        const again = await leaseAndTake(store);
        expect(again.requests.map(({ url }) => url)).toEqual([four!.url, 'https://a.test/5']);
        await check({ queued: 1, inFlight: 2 });
        await restart();
        await check({ queued: 3, inFlight: 0 });
        await store.jobs.cancel(org, job.id, Date.now());
        await check({ queued: 0, inFlight: 0, scraped: 1, discarded: 4, failed: 1, outside: 1 });
      });

      it('reasons: count URLs that failed, were discarded or are outside at every step', async () => {
        const job = await createJob(store, { startLinks: links(6, '/', { depth: 0 }), spec: { pageLimit: 2 } });
        const other = await createJob(store, { startLinks: links(4, '/', { depth: 0 }) });
        const check = async (id: string, reasons: Record<string, number>): Promise<void> => {
          const { progress, reasons: counted } = await getJob(store, id);
          expect(counted).toEqual(reasons);
          const sum = Object.values(counted).reduce((total, count) => total + count, 0);
          expect(sum).toBe(progress.discarded + progress.failed + progress.outside);
          expect(discovered(progress)).toBe(Object.keys(await ledgerOf(store, id)).length);
        };
        await check(job.id, {});
        const held = await lease(store);
        const step = async (outcome: Outcome | undefined): Promise<void> => {
          const taken = (await store.frontier.take(held, 2)).filter(({ jobId }) => jobId === job.id);
          await store.frontier.settle(
            held,
            taken.map((request) =>
              settlement(request, outcome ?? scraped(request, [link('/off', { discard: { reason: 'off_host' } })])),
            ),
          );
        };
        await step({ kind: 'discarded', reason: 'content_type' });
        await check(job.id, { content_type: 1 });
        await step({
          kind: 'failed',
          error: { reason: 'http_error', message: 'It responded with 404.', statusCode: 404 },
        });
        await check(job.id, { content_type: 1, http_404: 1 });
        await step(retryLater);
        await check(job.id, { content_type: 1, http_404: 1 });
        await step(undefined);
        await check(job.id, { content_type: 1, http_404: 1, off_host: 1 });
        await step(undefined);
        // What was left when it ended, the postponed one included.
        await check(job.id, { content_type: 1, http_404: 1, off_host: 1, page_limit: 2 });
        await store.jobs.cancel(org, other.id, Date.now());
        await check(other.id, { cancelled: 4 });
      });

      it('progress: counts a URL once, however often it is found', async () => {
        const job = await createJob(store);
        await crawl(store, (request) => scraped(request, [link('/'), ...links(3), ...links(3)]));
        expect((await getJob(store, job.id)).progress).toEqual({
          queued: 0,
          inFlight: 0,
          scraped: 4,
          discarded: 0,
          failed: 0,
          outside: 0,
        });
      });

      it('settle: queues a nofollow URL when another page lets it be followed', async () => {
        const job = await createJob(store);
        const found: Record<string, Link[]> = {
          '/': [
            link('/no', { discard: { reason: 'nofollow' } }),
            link('/never', { discard: { reason: 'nofollow' } }),
            link('/1'),
          ],
          '/1': [link('/no', { depth: 2 }), link('/never', { depth: 2, discard: { reason: 'nofollow' } })],
        };
        await crawl(store, (request) => scraped(request, found[new URL(request.url).pathname] ?? []));
        expect(await ledgerOf(store, job.id)).toEqual({
          '/': 'scraped',
          '/1': 'scraped',
          '/no': 'scraped',
          '/never': 'outside nofollow',
        });
        const { progress, reasons } = await getJob(store, job.id);
        expect(progress).toMatchObject({ scraped: 3, discarded: 0, failed: 0, queued: 0, outside: 1 });
        expect(reasons).toEqual({ nofollow: 1 });
      });

      describe('finding only_nofollow', () => {
        const no = (path: string): Link => link(path, { discard: { reason: 'nofollow' } });
        const off = link('/off', { discard: { reason: 'off_host' } });
        const told = async (
          found: readonly Link[],
          fields: Parameters<typeof createJob>[1] = {},
        ): Promise<string[]> => {
          const job = await createJob(store, fields);
          await crawl(store, (request) => scraped(request, request.depth === 0 ? found : []));
          const { findings } = await getJob(store, job.id);
          return findings.flatMap(({ code, message }) => (code === 'only_nofollow' ? [message] : []));
        };

        it('finding only_nofollow: names the number of links and one of them', async () => {
          const [message, ...more] = await told([off, no('/1'), no('/2'), no('/3')]);
          expect(more).toEqual([]);
          expect(message).toMatch(/All 3 links .* such as https:\/\/a\.test\/1\./);
          expect(await told([no('/1')])).toEqual([expect.stringContaining('marked nofollow: https://a.test/1.')]);
        });

        it('finding only_nofollow: is added when a job has several start pages', async () => {
          const startLinks = links(3, '/start', { depth: 0 });
          const urls = startLinks.map(({ url }) => url);
          expect(await told([no('/1'), no('/2')], { startLinks, spec: { urls } })).toHaveLength(1);
        });

        it('finding only_nofollow: is not added when a job found other links or none', async () => {
          expect(await told([])).toEqual([]);
          expect(await told([off])).toEqual([]);
          expect(await told([no('/1'), link('/2')])).toEqual([]);
          expect(await told([no('/1'), link('/2', { discard: { reason: 'depth' } })])).toEqual([]);
          expect(await told([no('/1')], { spec: { pageLimit: 1 } })).toEqual([]);
        });
      });

      it('settle: does not discard an attempted URL again', async () => {
        const job = await createJob(store);
        await crawl(store, (request) => (request.depth === 0 ? scraped(request, [link('/1')]) : discarded));
        expect(await ledgerOf(store, job.id)).toEqual({ '/': 'scraped', '/1': 'discarded content_type' });
      });

      it('settle: keeps the best depth and selfFed of a waiting URL in any order', async () => {
        const best = link('/x', { depth: 2 });
        const places = [link('/x', { depth: 2, selfFed: true }), link('/x', { depth: 3 }), best];
        for (const order of [places, places.toReversed()]) {
          const startLinks = order.map((_, index) => link(`/${index}`, { depth: 0 }));
          const job = await createJob(store, { startLinks });
          let x: Request | undefined;
          await crawl(store, (request) => {
            if (request.jobId === job.id && request.url.endsWith('/x')) x = request;
            const found = order[startLinks.findIndex(({ url }) => url === request.url)];
            return scraped(request, found ? [found] : []);
          });
          expect(x).toMatchObject({ depth: 2, selfFed: false });
        }
      });

      it('settle: takes a waiting URL for a link of scripts until a plain link has it, in any order', async () => {
        const made = link('/x', { depth: 1, byScript: true });
        const cases: [places: Link[], expected: object][] = [
          [[made, link('/x', { depth: 3, byScript: true })], { depth: 1, byScript: true }],
          [[made, link('/x', { depth: 3 })], { depth: 1, byScript: false }],
          [[made, link('/x', { depth: 3, selfFed: true })], { depth: 1, selfFed: false, byScript: false }],
          [[link('/x', { depth: 2, byScript: true }), link('/x', { depth: 1 })], { depth: 1, byScript: false }],
        ];
        for (const [places, expected] of cases) {
          for (const order of [places, places.toReversed()]) {
            const startLinks = order.map((_, index) => link(`/${index}`, { depth: 0 }));
            const job = await createJob(store, { startLinks });
            let x: Request | undefined;
            await crawl(store, (request) => {
              if (request.jobId === job.id && request.url.endsWith('/x')) x = request;
              const found = order[startLinks.findIndex(({ url }) => url === request.url)];
              return scraped(request, found ? [found] : []);
            });
            expect(x).toMatchObject(expected);
            const key = link('/x').key;
            const foundBy = 'byScript' in expected && expected.byScript === true ? 'script' : null;
            expect(await store.jobs.findUrl(job.id, key)).toMatchObject({ foundBy });
          }
        }
      });

      it('settle: queues a URL again that was discarded as a link of scripts when a plain link has it', async () => {
        const job = await createJob(store, { startLinks: links(1, '/', { depth: 0 }) });
        const found: Record<string, Link[]> = {
          '/1': [link('/made', { depth: 1, byScript: true }), link('/later', { depth: 5 })],
          '/later': [link('/made', { depth: 6, byScript: true }), link('/last', { depth: 6 })],
          '/last': [link('/made', { depth: 7 })],
        };
        const asked: string[] = [];
        await crawl(store, (request) => {
          const path = new URL(request.url).pathname;
          asked.push(`${path} ${request.depth} ${request.byScript}`);
          return request.byScript === true
            ? { kind: 'discarded', reason: 'script_link', detail: '/#' }
            : scraped(request, found[path] ?? []);
        });
        expect(asked).toEqual(['/1 0 false', '/made 1 true', '/later 5 false', '/last 6 false', '/made 7 false']);
        const { progress, reasons } = await getJob(store, job.id);
        expect([progress.scraped, progress.discarded, reasons]).toEqual([4, 0, {}]);
        expect(await store.jobs.findUrl(job.id, link('/made').key)).toMatchObject({ status: 'scraped', foundBy: null });
      });

      it('recover: keeps selfFed and byScript of a waiting URL', async () => {
        await createJob(store, { startLinks: [link('/', { depth: 0 })] });
        const { held: first, requests } = await leaseAndTake(store);
        const found = [link('/x', { depth: 3, selfFed: true, byScript: true })];
        await store.frontier.settle(first, [settlement(requests[0]!, scraped(requests[0]!, found))]);
        await restart();
        const { requests: after } = await leaseAndTake(store);
        expect(after).toMatchObject([{ depth: 3, selfFed: true, byScript: true }]);
      });

      it('settle: queues a URL again that was discarded as a trap when it is found at a lower depth', async () => {
        const job = await createJob(store, { startLinks: links(1, '/', { depth: 0 }) });
        const found: Record<string, Link[]> = {
          '/1': [link('/far', { depth: 5, selfFed: true }), link('/later', { depth: 8 })],
          '/later': [link('/far', { depth: 1 })],
        };
        const asked: string[] = [];
        await crawl(store, (request) => {
          const path = new URL(request.url).pathname;
          asked.push(`${path} ${request.depth}`);
          return path === '/far' && request.depth > 2
            ? { kind: 'discarded', reason: 'trap', detail: '/#' }
            : scraped(request, found[path] ?? []);
        });
        expect(asked).toEqual(['/1 0', '/far 5', '/later 8', '/far 1']);
        expect(await ledgerOf(store, job.id)).toEqual({ '/1': 'scraped', '/far': 'scraped', '/later': 'scraped' });
        const { progress, reasons } = await getJob(store, job.id);
        expect(progress).toMatchObject({ scraped: 3, discarded: 0, queued: 0 });
        expect(reasons).toEqual({});
      });

      it('settle: keeps the least depth of a waiting URL', async () => {
        const job = await createJob(store);
        const startLinks = [link('/', { depth: 0 }), link('/b', { depth: 0 })];
        await store.jobs.cancel(org, job.id, Date.now());
        const second = await createJob(store, { startLinks });
        const { held, requests } = await leaseAndTake(store, 2);
        await store.frontier.settle(held, [
          settlement(requests[0]!, scraped(requests[0]!, [link('/deep', { depth: 3 })])),
        ]);
        await store.frontier.settle(held, [
          settlement(requests[1]!, scraped(requests[1]!, [link('/deep', { depth: 1 })])),
        ]);
        const [deep] = await store.frontier.take(held, 10);
        expect(deep).toMatchObject({ depth: 1 });
        expect(second.status).toBe('starting');
      });

      it('settle: keeps lastmod of a sitemap also when a page named the URL first', async () => {
        const job = await createJob(store, { startLinks: links(1, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 1);
        const named = [link('/1', { depth: 0, lastmod: '2031-05-17' }), link('/2', { lastmod: '2030-01-01' })];
        await store.frontier.settle(held, [settlement(requests[0]!, scraped(requests[0]!, named))]);
        expect((await listAll(store, job.id)).map(({ lastmod }) => lastmod)).toEqual(['2031-05-17', '2030-01-01']);
      });

      it('settle: counts links of a discarded page', async () => {
        const job = await createJob(store);
        await crawl(store, (request) =>
          request.depth === 0 ? { kind: 'discarded', reason: 'below_min_length', links: links(2) } : scraped(request),
        );
        expect((await getJob(store, job.id)).progress).toMatchObject({ scraped: 2, discarded: 1 });
      });
    });

    describe('leasing', () => {
      it('leaseHost: returns undefined when there is no work', async () => {
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('leaseHost: leases one host at a time to one lane', async () => {
        await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        await createJob(store);
        const held = await lease(store);
        expect(held.host).toBe(hostA);
        expect(await leaseHost(store.frontier)).toBeUndefined();
        await store.frontier.release(held);
        expect((await lease(store)).hostId).toBe(held.hostId);
      });

      it('leaseHost: leases each host once when 40 lanes ask at the same time', async () => {
        const startLinks = Array.from({ length: 20 }, (_, index) =>
          link('/', { depth: 0, host: `h${index}.test:443` }),
        );
        await createJob(store, { startLinks });
        const leases = await Promise.all(Array.from({ length: 40 }, () => tryLease(store)));
        const hosts = leases.flatMap((leased) => leased?.host ?? []);
        expect(hosts).toHaveLength(20);
        expect(new Set(hosts).size).toBe(20);
      });

      it('leaseHost: leases the host of a job that has been due longest first', async () => {
        await createJob(store, { startLinks: [hostA, hostB].map((host) => link('/', { depth: 0, host })) });
        const held = [await lease(store), await lease(store)].toSorted((a, b) => (a.host < b.host ? 1 : -1));
        for (const one of held) {
          await store.frontier.release(one);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        expect((await lease(store)).host).toBe(hostB);
        expect((await lease(store)).host).toBe(hostA);
      });

      it('leaseHost: raises the fence with every lease, also after a restart', async () => {
        await createJob(store);
        const first = await lease(store);
        await store.frontier.release(first);
        const second = await lease(store);
        expect(second.fence).toBeGreaterThan(first.fence);
        await restart();
        expect((await lease(store)).fence).toBeGreaterThan(second.fence);
      });

      it('settle: throws away what is written under a released lease', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held: late, requests } = await leaseAndTake(store);
        await store.frontier.release(late);
        const { held, requests: again } = await leaseAndTake(store);
        const before = await getJob(store, job.id);

        await store.frontier.settle(late, [settlement(requests[0]!)]);
        expect(await store.frontier.take(late, 10)).toEqual([]);
        await store.frontier.release(late, { notBefore: Date.now() + hourMs });
        expect(await getJob(store, job.id)).toEqual(before);

        await store.frontier.settle(
          held,
          again.map((request) => settlement(request)),
        );
        await store.frontier.settle(
          late,
          requests.map((request) => settlement(request)),
        );
        expect(await pagesOf(store, job.id)).toEqual({ 1: 'https://a.test/1', 2: 'https://a.test/2' });
      });

      it('take: returns nothing under an earlier lease of the same host', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held: late } = await leaseAndTake(store, 1);
        await store.frontier.release(late);
        const { held, requests } = await leaseAndTake(store, 1);
        const before = await getJob(store, job.id);

        expect(await store.frontier.take(late, 10)).toEqual([]);
        await store.frontier.release(late);
        const notice = { code: 'host_unresponsive', message: 'Gone.' } as const;
        expect(await store.frontier.giveUp(late, unreachable, notice)).toBe(false);
        expect(await getJob(store, job.id)).toEqual(before);
        expect(await leaseHost(store.frontier)).toBeUndefined();

        await store.frontier.settle(held, [settlement(requests[0]!)]);
        expect(await store.frontier.take(held, 10)).toHaveLength(2);
      });

      it('settle: throws away a second settlement of the same request', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        const [first] = requests;
        await store.frontier.settle(held, [settlement(first!), settlement(first!, failed)]);
        await store.frontier.settle(held, [settlement(first!)]);
        expect((await getJob(store, job.id)).progress).toEqual({
          queued: 0,
          inFlight: 1,
          scraped: 1,
          discarded: 0,
          failed: 0,
          outside: 0,
        });
      });

      it('settle: throws away a settlement under the lease of another host', async () => {
        const job = await createJob(store, {
          startLinks: [link('/', { depth: 0 }), link('/', { depth: 0, host: hostB })],
        });
        const first = await leaseAndTake(store);
        const second = await leaseAndTake(store);
        // Fences of two hosts may be the same.
        await store.frontier.settle({ ...second.held, fence: first.held.fence }, [settlement(first.requests[0]!)]);
        expect((await getJob(store, job.id)).progress).toMatchObject({ inFlight: 2, scraped: 0 });
      });

      it('release: leases the host no earlier than notBefore', async () => {
        await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const held = await lease(store);
        await store.frontier.release(held, { notBefore: Date.now() + hourMs });
        await createJob(store);
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('release: accepts times with fractions', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [settlement(requests[0]!, { ...retryAtOnce, afterMs: 0.25 })]);
        await store.frontier.release(held, { notBefore: Date.now() + 0.5, delayMs: 1.1 * 1000 });
        expect((await leaseAndTake(store, 1)).requests).toHaveLength(1);
        expect(await getJob(store, job.id)).toMatchObject({ progress: { queued: 1, inFlight: 1 } });
      });

      it('release: hands back what was taken and not settled', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[1]!)]);
        await store.frontier.release(held);
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 2, inFlight: 0 });
        const again = await leaseAndTake(store);
        expect(again.requests).toMatchObject([{ id: requests[0]?.id }, { id: requests[2]?.id }]);
      });

      it('leaseHost: takes with the lease what a turn can use', async () => {
        await createJob(store, { startLinks: links(100, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
        // A job that this process does not know yet may be left to the first take.
        await crawlOne(store);
        const leaseWith = async (delayMs: number): Promise<number> => {
          const before = await lease(store);
          await store.frontier.release(before, { delayMs });
          let leased = await leaseHost(store.frontier, { takes: true });
          for (; !leased; leased = await leaseHost(store.frontier, { takes: true })) {
            await store.frontier.waitForWork(10, AbortSignal.timeout(1_000));
          }
          expect(leased.mayHaveMore).toBe(true);
          expect(leased.requests.every(({ url }) => url.startsWith('https://a.test/'))).toBe(true);
          await store.frontier.release(leased.lease, { delayMs: 0 });
          return leased.requests.length;
        };
        expect(await leaseWith(2_000)).toBe(1);
        expect(await leaseWith(1_000)).toBe(2);
        expect(await leaseWith(0)).toBe(50);
      });

      it('leaseHost: takes two requests of a host that was never requested', async () => {
        await createJob(store, { startLinks: [link('/', { depth: 0 })] });
        await crawlOne(store, (request) => scraped(request, links(30, '/', { host: hostB })));
        const leased = await leaseHost(store.frontier, { takes: true });
        expect(leased).toMatchObject({ lease: { host: hostB }, mayHaveMore: true });
        expect(leased?.requests).toHaveLength(2);
      });

      it('leaseHost: returns mayHaveMore: false when it has taken all', async () => {
        await createJob(store, { startLinks: [link('/', { depth: 0 })] });
        await crawlOne(store, (request) => scraped(request, [link('/b', { host: hostB })]));
        const leased = await leaseHost(store.frontier, { takes: true });
        expect(leased).toMatchObject({ lease: { host: hostB }, requests: [{ depth: 1 }], mayHaveMore: false });
      });

      it('settle: releases the host, with the requests that are not settled, when told to', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [settlement(requests[0]!)], { notBefore: 0, delayMs: 7 });
        const again = await leaseAndTake(store);
        expect(again.held.fence).toBeGreaterThan(held.fence);
        expect(again.requests.map(({ url }) => url)).toEqual(['https://a.test/2', 'https://a.test/3']);
        await store.frontier.settle(again.held, [settlement(again.requests[0]!)], { delayMs: 7 });
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 1, inFlight: 0, scraped: 2 });
        const last = await leaseAndTake(store);
        expect(last.requests).toEqual([again.requests[1]]);
        // Long: nobody leases it.
        await store.frontier.settle(last.held, [settlement(last.requests[0]!, retryLater)], {
          notBefore: Date.now() + hourMs,
        });
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('settle: changes nothing when it is repeated under a released lease', async () => {
        await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [settlement(requests[0]!)], { delayMs: 0 });
        const next = await lease(store);
        await store.frontier.settle(held, [settlement(requests[0]!)], { delayMs: 0 });
        expect(await leaseHost(store.frontier)).toBeUndefined();
        expect(await store.frontier.take(next, 10)).toHaveLength(1);
      });

      it('leaseHost: returns undefined once the work is done', async () => {
        await createJob(store);
        await crawl(store);
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });
    });

    describe('taking', () => {
      it('take: returns all fields of a request and marks the job running', async () => {
        const job = await createJob(store);
        const { requests } = await leaseAndTake(store);
        expect(requests).toEqual([
          {
            id: expect.any(Number) as number,
            jobId: job.id,
            jobVersion: 1,
            kind: 'page',
            url: 'https://a.test/',
            depth: 0,
            selfFed: false,
            byScript: false,
            attempts: 0,
            org,
            isUrgent: true,
            isOnlyOne: true,
          },
        ]);
        expect((await getJob(store, job.id)).status).toBe('running');
      });

      it('take: never returns a request twice', async () => {
        await createJob(store, { startLinks: links(10, '/', { depth: 0 }) });
        const held = await lease(store);
        const taken = (await Promise.all([1, 2, 3, 4].map(() => store.frontier.take(held, 4)))).flat();
        expect(new Set(taken.map(({ id }) => id)).size).toBe(10);
        expect(taken).toHaveLength(10);
      });

      it('take: returns shallow URLs first, in the order of discovery', async () => {
        await createJob(store, {
          startLinks: [
            link('/deep', { depth: 3 }),
            link('/1', { depth: 1 }),
            link('/2', { depth: 1 }),
            link('/', { depth: 0 }),
          ],
        });
        expect(await crawl(store, undefined, 1)).toEqual(
          ['/', '/1', '/2', '/deep'].map((path) => `https://a.test${path}`),
        );
      });

      it('take: shares a host evenly between jobs, and gives the rest of one to the others', async () => {
        const many = await createJob(store, { startLinks: links(50, '/many', { depth: 0 }) });
        const few = await createJob(store, { startLinks: links(3, '/few', { depth: 0 }) });
        const held = await lease(store);
        const taken = await store.frontier.take(held, 20);
        expect(taken).toHaveLength(20);
        expect(taken.filter(({ jobId }) => jobId === few.id)).toHaveLength(3);
        expect(taken.filter(({ jobId }) => jobId === many.id)).toHaveLength(17);
      });

      it.each([1, 2, 3, 5])('take: serves four jobs in turn, %i requests at a time', async (max) => {
        const jobs = [];
        for (let index = 0; index < 4; index++)
          jobs.push(await createJob(store, { startLinks: links(30, `/${index}-`, { depth: 0 }) }));
        const counts = new Map(jobs.map(({ id }) => [id, 0]));
        const held = await lease(store);
        for (let taken = 0; taken < 40;) {
          const requests = await store.frontier.take(held, max);
          for (const { jobId } of requests) counts.set(jobId, counts.get(jobId)! + 1);
          taken += requests.length;
        }
        expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(max);
      });

      it('take: gives each org the same share, however many jobs it has', async () => {
        for (let index = 0; index < 5; index++)
          await createJob(store, { startLinks: links(30, `/${index}-`, { depth: 0 }) });
        const lone = await createJob(store, { org: 'other', startLinks: links(30, '/lone', { depth: 0 }) });
        const held = await lease(store);
        const taken = await store.frontier.take(held, 20);
        expect(taken).toHaveLength(20);
        expect(taken.filter(({ jobId }) => jobId === lone.id)).toHaveLength(10);
      });

      it('take: serves each of 150 jobs of one host', async () => {
        const count = 150;
        await Promise.all(
          Array.from({ length: count }, (_, index) =>
            createJob(store, { startLinks: links(2, `/${index}-`, { depth: 0 }) }),
          ),
        );
        const held = await lease(store);
        const served = new Set<string>();
        for (let takes = 0; takes < 3; takes++)
          for (const { jobId } of await store.frontier.take(held, 50)) served.add(jobId);
        expect(served.size).toBe(count);
      });

      it.each([
        ['pageLimit', { pageLimit: 3 }],
        ['fetchLimit', { fetchLimit: 3 }],
      ])('take: never takes more than %s allows over all hosts', async (_, limits) => {
        const startLinks = [...links(5, '/', { depth: 0 }), ...links(5, '/', { depth: 0, host: hostB })];
        const job = await createJob(store, { startLinks, spec: limits });
        const first = await leaseAndTake(store, 2);
        const second = await leaseAndTake(store, 5);
        expect(first.requests.length + second.requests.length).toBe(3);
        expect(await store.frontier.take(first.held, 5)).toEqual([]);
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 7, inFlight: 3 });
      });

      it('take: continues below pageLimit when a request in flight became no page', async () => {
        const job = await createJob(store, { startLinks: links(5, '/', { depth: 0 }), spec: { pageLimit: 1 } });
        const { held, requests } = await leaseAndTake(store);
        expect(requests).toHaveLength(1);
        await store.frontier.settle(held, [settlement(requests[0]!, discarded)]);
        const [next] = await store.frontier.take(held, 5);
        await store.frontier.settle(held, [settlement(next!)]);
        expect(await ledgerOf(store, job.id)).toEqual({
          '/1': 'discarded content_type',
          '/2': 'scraped',
          '/3': 'discarded page_limit',
          '/4': 'discarded page_limit',
          '/5': 'discarded page_limit',
        });
        expect(await getJob(store, job.id)).toMatchObject({
          status: 'succeeded',
          progress: { queued: 0, inFlight: 0 },
        });
      });

      it('leaseHost: leases a host again when pageLimit has room again', async () => {
        const job = await createJob(store, {
          startLinks: [link('/', { depth: 0 }), link('/', { depth: 0, host: hostB })],
          spec: { pageLimit: 1 },
        });
        const first = await leaseAndTake(store);
        const second = await leaseAndTake(store);
        expect(second.requests).toEqual([]);
        await store.frontier.release(second.held);
        await store.frontier.settle(first.held, [settlement(first.requests[0]!, failed)]);
        await store.frontier.release(first.held);
        const third = await leaseAndTake(store);
        expect(third.requests).toHaveLength(1);
        await store.frontier.settle(third.held, [settlement(third.requests[0]!)]);
        expect((await getJob(store, job.id)).status).toBe('succeeded');
      });

      it('settle: ends a job at its fetchLimit', async () => {
        const job = await createJob(store, { startLinks: links(5, '/', { depth: 0 }), spec: { fetchLimit: 2 } });
        await crawl(store, () => failed);
        expect(await getJob(store, job.id)).toMatchObject({ status: 'failed', progress: { failed: 2, discarded: 3 } });
        expect((await ledgerOf(store, job.id))['/3']).toBe('discarded fetch_limit');
      });

      it('fetchLimit: counts every attempt, and no request without a fetch', async () => {
        const job = await createJob(store, { startLinks: links(4, '/', { depth: 0 }), spec: { fetchLimit: 2 } });
        const { held, requests } = await leaseAndTake(store, 2);
        await store.frontier.settle(held, [
          settlement(requests[0]!, discarded, false),
          settlement(requests[1]!, discarded, false),
        ]);
        const [third] = await store.frontier.take(held, 1);
        await store.frontier.settle(held, [settlement(third!, retryAtOnce)]);
        const [again] = await store.frontier.take(held, 1);
        await store.frontier.settle(held, [settlement(again!, retryLater)]);
        expect(await getJob(store, job.id)).toMatchObject({ status: 'failed', progress: { discarded: 4 } });
      });
    });

    describe('retrying', () => {
      it('retry: is not taken before its time', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(
          held,
          requests.map((request) => settlement(request, retryLater)),
        );
        expect(await store.frontier.take(held, 10)).toEqual([]);
        await store.frontier.release(held);
        expect(await leaseHost(store.frontier)).toBeUndefined();
        expect(await getJob(store, job.id)).toMatchObject({ status: 'running', progress: { queued: 2, inFlight: 0 } });
      });

      it('retry: does not delay what is due or found meanwhile', async () => {
        await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [
          settlement(requests[0]!, retryLater),
          settlement(requests[1]!, scraped(requests[1]!, links(1, '/new'))),
        ]);
        expect((await store.frontier.take(held, 10)).map(({ url }) => url)).toEqual(['https://a.test/new1']);
      });

      it('retry: is taken at its time with one attempt more', async () => {
        const job = await createJob(store);
        const [{ attemptedAt: before }] = (await listAll(store, job.id)) as [LedgerEntry];
        expect(before).toBeNull();
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [
          settlement(requests[0]!, {
            kind: 'retry',
            afterMs: 30,
            error: { ...unreachable, reason: 'http_error', statusCode: 503 },
          }),
        ]);
        await store.frontier.release(held);
        expect(await listAll(store, job.id)).toMatchObject([
          { status: 'queued', reason: 'http_503', statusCode: 503, attempts: 1 },
        ]);
        const [{ attemptedAt: first }] = (await listAll(store, job.id)) as [LedgerEntry];
        // Milliseconds since the epoch, by the clock of the store.
        expect(first).toBeGreaterThan(Date.now() - 600_000);
        expect(first).toBeLessThan(Date.now() + 600_000);
        const again = await leaseAndTake(store);
        expect(again.requests).toEqual([{ ...requests[0], attempts: 1 }]);
        await store.frontier.settle(again.held, [settlement(again.requests[0]!)]);
        expect(await listAll(store, job.id)).toMatchObject([
          { status: 'scraped', reason: null, detail: null, statusCode: 200, attempts: 2 },
        ]);
        const [{ attemptedAt: second }] = (await listAll(store, job.id)) as [LedgerEntry];
        expect(second).toBeGreaterThan(first!);
      });

      it('retry: is taken after a restart', async () => {
        await createJob(store);
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[0]!, { ...retryAtOnce, afterMs: 30 })]);
        await restart();
        let again: readonly Request[] = [];
        while (again.length === 0) {
          const next = await leaseAndTake(store);
          again = next.requests;
          await store.frontier.release(next.held);
        }
        expect(again).toEqual([{ ...requests[0], attempts: 1 }]);
      });
    });

    describe('duplicates', () => {
      /** The ledger after a start page, on which each of `pages` was found, in this order. */
      const crawled = async (pages: Record<string, Parameters<typeof page>[1]>): Promise<Record<string, string>> => {
        const job = await createJob(store);
        const found = Object.keys(pages).map((path) => link(path));
        await crawl(
          store,
          (request) =>
            request.depth === 0 ? scraped(request, found) : scraped(request, [], pages[new URL(request.url).pathname]),
          1,
        );
        const { progress } = await getJob(store, job.id);
        expect(progress.scraped).toBe(Object.keys(await pagesOf(store, job.id)).length);
        return ledgerOf(store, job.id);
      };

      it('duplicates: keep one page of two URLs that lead to the same URL', async () => {
        const key = { fetchedKey: 'key final' };
        expect(await crawled({ '/1': key, '/2': key })).toMatchObject({
          '/1': 'scraped',
          '/2': 'discarded duplicate_of',
        });
      });

      it('duplicates: keep one page of a URL and another that leads to it, in any order', async () => {
        expect(await crawled({ '/1': {}, '/2': { fetchedKey: link('/1').key } })).toMatchObject({
          '/1': 'scraped',
          '/2': 'discarded duplicate_of',
        });
        expect(await crawled({ '/1': { fetchedKey: link('/2').key }, '/2': {} })).toMatchObject({
          '/1': 'scraped',
          '/2': 'discarded duplicate_of',
        });
      });

      it('duplicates: keep one page of two near copies, in any order', async () => {
        const [original, copy] = [
          { copyKey: 'a', text: 'original' },
          { copyKey: 'a', text: 'original, printed' },
        ];
        const expected = { '/1': 'scraped', '/2': 'discarded duplicate_of' };
        expect(await crawled({ '/1': original, '/2': copy })).toMatchObject(expected);
        expect(await crawled({ '/1': copy, '/2': original })).toMatchObject(expected);
      });

      it('duplicates: keep every page with a different copyKey', async () => {
        const pages = { '/1': { copyKey: 'a' }, '/2': { copyKey: 'b' }, '/3': {} };
        expect(await crawled(pages)).toMatchObject({ '/1': 'scraped', '/2': 'scraped', '/3': 'scraped' });
      });

      it('duplicates: keep no second page with the same content', async () => {
        expect(await crawled({ '/1': { text: 'same' }, '/2': { text: 'same' } })).toMatchObject({
          '/1': 'scraped',
          '/2': 'discarded duplicate_of',
        });
      });

      it('duplicates: name the URL of the page in the ledger', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 1 }) });
        await crawl(store, (request) => scraped(request, [], { text: 'same' }), 1);
        expect(await listAll(store, job.id)).toMatchObject([
          { page: 1 },
          { page: null, reason: 'duplicate_of', detail: 'https://a.test/1', statusCode: 200 },
        ]);
      });

      it('duplicates: count once in findings when they are requested again', async () => {
        const again = links(12, '/copy-', { depth: 1, isAgain: true });
        const found = [link('/login', { depth: 1 }), ...links(12, '/copy-', { depth: 1 }), link('/last', { depth: 2 })];
        const job = await createJob(store, { startLinks: links(1, '/', { depth: 0 }) });
        await crawl(
          store,
          (request) => {
            if (request.depth === 0) return scraped(request, found);
            if (request.url.endsWith('/last')) return scraped(request, again);
            return scraped(request, [], { text: 'Sign in', asksPassword: true });
          },
          1,
        );
        const { progress, findings } = await getJob(store, job.id);
        expect(progress).toMatchObject({ scraped: 3, discarded: 12 });
        expect(findings).toMatchObject([{ code: 'signed_out', count: 12 }]);
      });

      it('duplicates: have their links followed', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 1 }) });
        await crawl(
          store,
          (request) =>
            request.depth === 1
              ? scraped(request, links(1, `${new URL(request.url).pathname}-`, { depth: 2 }), { text: 'same' })
              : scraped(request),
          1,
        );
        expect(Object.keys(await ledgerOf(store, job.id)).toSorted()).toEqual(['/1', '/1-1', '/2', '/2-1']);
      });

      it("duplicates: discard a start URL only when it leads to another's URL", async () => {
        const job = await createJob(store, { startLinks: links(4, '/', { depth: 0 }) });
        await crawl(store, (request) => {
          if (request.url.endsWith('/3')) return scraped(request, [], { copyKey: 'same' });
          if (request.url.endsWith('/4')) return scraped(request, [], { fetchedKey: link('/1').key });
          return scraped(request, [], { text: 'same', copyKey: 'same' });
        });
        expect(await ledgerOf(store, job.id)).toEqual({
          '/1': 'scraped',
          '/2': 'scraped',
          '/3': 'scraped',
          '/4': 'discarded duplicate_of',
        });
      });

      it('duplicates: keep pages without a contentKey', async () => {
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 1 }) });
        await crawl(store, (request) => {
          const { contentKey: _, ...record } = page(request.url);
          return { kind: 'scraped', page: record, links: [] };
        });
        expect((await getJob(store, job.id)).progress.scraped).toBe(2);
      });

      it('duplicates: are kept in different jobs', async () => {
        const jobs = [await createJob(store), await createJob(store)];
        await crawl(store, (request) => scraped(request, [], { text: 'same' }));
        for (const { id } of jobs) expect(await pagesOf(store, id)).toEqual({ 1: 'https://a.test/' });
      });
    });

    describe('recovering', () => {
      it('recover: makes what was in flight available again', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[0]!)]);
        await restart();
        expect((await getJob(store, job.id)).progress).toEqual({
          queued: 2,
          inFlight: 0,
          scraped: 1,
          discarded: 0,
          failed: 0,
          outside: 0,
        });
        expect(await crawl(store)).toEqual(['https://a.test/2', 'https://a.test/3']);
        expect((await getJob(store, job.id)).status).toBe('succeeded');
      });

      it('recover: keeps every host waiting for delayMs', async () => {
        await createJob(store);
        await restart({ delayMs: hourMs });
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('recover: keeps a host waiting for its own longer delay', async () => {
        await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        await store.frontier.release(await lease(store), { delayMs: hourMs });
        await restart();
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('recover: does not shorten the pause of a host', async () => {
        await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        await store.frontier.release(await lease(store), { notBefore: Date.now() + hourMs });
        await restart();
        await createJob(store);
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('recover: keeps a host waiting that was just fetched from, also without work left', async () => {
        await createJob(store);
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[0]!)]);
        await restart({ delayMs: hourMs });
        await createJob(store);
        expect(await leaseHost(store.frontier)).toBeUndefined();
      });

      it('recover: loses no job that is created at the same time', async () => {
        const [job] = await Promise.all([createJob(store), store.frontier.recover({ delayMs: 0 })]);
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 1 });
        await crawl(store);
        expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { queued: 0, scraped: 1 } });
      });

      it('settle: changes nothing under a lease of the process before', async () => {
        const job = await createJob(store);
        const { held, requests } = await leaseAndTake(store);
        await restart();
        await store.frontier.settle(held, [settlement(requests[0]!)]);
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 1, scraped: 0 });
      });

      it('recover: works on one job only with onlyJob', async () => {
        const other = await createJob(store, {
          startLinks: [...links(3, '/other', { depth: 0 }), link('/', { depth: 0, host: hostB })],
        });
        const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
        await restart({ onlyJob: job.id });
        expect(await crawl(store)).toEqual(['https://a.test/1', 'https://a.test/2']);
        expect(await getJob(store, other.id)).toMatchObject({ status: 'starting', progress: { queued: 4 } });
        await restart();
        await crawl(store);
        expect(await getJob(store, other.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 4 } });
      });

      it('recover: works on one job only with onlyJob when a retry of it is due', async () => {
        const job = await createJob(store);
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[0]!, { ...retryAtOnce, afterMs: 30 })]);
        await restart({ onlyJob: job.id });
        const crawled: string[] = [];
        while (crawled.length === 0) {
          crawled.push(...(await crawl(store)));
          await store.frontier.waitForWork(10, AbortSignal.timeout(1_000));
        }
        expect(crawled).toEqual(['https://a.test/']);
      });

      it('recover: works on nothing when the onlyJob does not exist', async () => {
        await createJob(store);
        await restart({ onlyJob: 'nope' });
        expect(await crawl(store)).toEqual([]);
      });
    });

    describe('sitemaps', () => {
      const origin = link('', { depth: 0 });
      const sitemap = (
        urls: readonly ReturnType<typeof link>[],
        sitemaps: readonly ReturnType<typeof link>[] = [],
      ): Outcome => ({ kind: 'sitemap', ending: { state: 'scraped' }, urls, sitemaps });

      it('sitemaps: are not listed or counted, and are taken before pages', async () => {
        const job = await createJob(store, { origins: [origin] });
        expect(job.progress).toMatchObject({ queued: 1 });
        const { held, requests } = await leaseAndTake(store);
        expect(requests.map(({ kind }) => kind)).toEqual(['origin', 'page']);
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 0, inFlight: 1 });
        await store.frontier.settle(held, [settlement(requests[0]!, sitemap([], [link('/sitemap.xml')]))]);
        const [read] = await store.frontier.take(held, 10);
        expect(read).toMatchObject({ kind: 'sitemap', url: 'https://a.test/sitemap.xml' });
        await store.frontier.settle(held, [settlement(read!, sitemap([...links(3), link('/')]))]);
        const current = await getJob(store, job.id);
        expect(current).toMatchObject({ sitemapPageCount: 4, progress: { queued: 3, inFlight: 1 } });
        expect(await listAll(store, job.id)).toMatchObject([
          { foundOn: null },
          { foundOn: null },
          { foundOn: null },
          { foundOn: null },
        ]);
      });

      it('sitemaps: are outside when robots.txt forbids them, and discarded after a request', async () => {
        const job = await createJob(store, { origins: [link('', { depth: 0 })] });
        const { held, requests } = await leaseAndTake(store);
        const paths = ['/asked.xml', '/hidden.xml'];
        await store.frontier.settle(held, [
          settlement(
            requests[0]!,
            sitemap(
              [],
              paths.map((path) => link(path)),
            ),
          ),
        ]);
        const ending = { state: 'discarded', reason: 'robots_disallowed' } as const;
        const forbidden = { kind: 'sitemap', ending, urls: [], sitemaps: [] } as const;
        for (const request of await store.frontier.take(held, 2))
          await store.frontier.settle(held, [settlement(request, forbidden, request.url.includes('asked'))]);
        const { entries } = await store.jobs.listUrls(job.id, { after: 0, limit: 9, kind: 'sitemap' });
        expect(entries.map(({ url, status, reason }) => [new URL(url).pathname, status, reason])).toEqual([
          ['/asked.xml', 'discarded', 'robots_disallowed'],
          ['/hidden.xml', 'outside', 'robots_disallowed'],
        ]);
        expect((await getJob(store, job.id)).progress).toMatchObject({ discarded: 0, outside: 0 });
      });

      it('sitemaps: keep a job from ending until they are read', async () => {
        const job = await createJob(store, { origins: [origin] });
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[1]!)]);
        expect((await getJob(store, job.id)).status).toBe('running');
        await store.frontier.settle(held, [
          settlement(requests[0]!, { kind: 'retry', afterMs: 0, error: unreachable }, false),
        ]);
        expect((await getJob(store, job.id)).status).toBe('running');
        const [again] = await store.frontier.take(held, 10);
        expect(again).toMatchObject({ kind: 'origin', attempts: 1 });
        await store.frontier.settle(held, [settlement(again!, sitemap([]), false)]);
        expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 1 } });
      });

      it('sitemaps: survive a restart while they are in flight', async () => {
        const job = await createJob(store, { origins: [origin] });
        await leaseAndTake(store);
        await restart();
        await crawl(store, (request) =>
          request.kind === 'page' ? scraped(request) : sitemap(request.kind === 'origin' ? links(1) : []),
        );
        expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 2 } });
      });

      it('sitemaps: are taken when pageLimit has no room', async () => {
        const job = await createJob(store, {
          origins: [origin],
          startLinks: links(2, '/', { depth: 0 }),
          spec: { pageLimit: 1 },
        });
        const held = await lease(store);
        const first = await store.frontier.take(held, 1);
        const second = await store.frontier.take(held, 1);
        expect([...first, ...second].map(({ kind }) => kind)).toEqual(['origin', 'page']);
        await store.frontier.settle(held, [settlement(first[0]!, sitemap([], [link('/sitemap.xml')]))]);
        expect(await store.frontier.take(held, 10)).toMatchObject([{ kind: 'sitemap' }]);
        expect((await getJob(store, job.id)).progress).toMatchObject({ queued: 1, inFlight: 1 });
      });

      it('sitemaps: do not count towards fetchLimit', async () => {
        const job = await createJob(store, { origins: [origin], spec: { fetchLimit: 2 } });
        const outcomeOf = (request: Request): Outcome => {
          if (request.kind === 'page') return scraped(request, links(2));
          return sitemap([], request.kind === 'origin' ? links(5, '/sitemap') : []);
        };
        await crawl(store, outcomeOf);
        expect(await getJob(store, job.id)).toMatchObject({
          status: 'succeeded',
          progress: { scraped: 2, discarded: 1 },
        });
      });

      it('sitemaps: are read once each and 500 at most', async () => {
        const job = await createJob(store, { origins: [origin] });
        let read = 0;
        await crawl(store, (request) => {
          if (request.kind === 'page') return scraped(request);
          if (request.kind === 'sitemap') read++;
          return sitemap([], [...links(300, '/sitemap'), ...links(300, `/${request.kind}`)]);
        });
        expect(read).toBe(500);
        const { findings } = await getJob(store, job.id);
        expect(findings).toMatchObject([
          { code: 'sitemap_unreadable', message: expect.stringContaining('at most 500') },
        ]);
      });

      it('sitemaps: can have the URL of a page', async () => {
        const job = await createJob(store, { origins: [link('/', { depth: 0 })] });
        await crawl(store, (request) =>
          request.kind === 'page' ? scraped(request) : sitemap([link('/')], [link('/')]),
        );
        expect(await getJob(store, job.id)).toMatchObject({
          status: 'succeeded',
          progress: { scraped: 1, discarded: 0 },
        });
      });
    });

    describe('jobs in flight', () => {
      it('endedJobs: returns the ids of given jobs that have ended', async () => {
        const [running, cancelled] = [await createJob(store), await createJob(store)];
        await store.jobs.cancel(org, cancelled.id, Date.now());
        expect(await store.frontier.endedJobs([running.id, cancelled.id, 'nope'])).toEqual([cancelled.id]);
        expect(await store.frontier.endedJobs([])).toEqual([]);
      });
    });

    describe('scope', () => {
      it('crawlJob: returns the options and scope of a job', async () => {
        const job = await createJob(store);
        expect(await store.frontier.crawlJob(job.id)).toEqual({
          id: job.id,
          org: job.org,
          createdAt: job.createdAt,
          spec: job.spec,
          scopeHosts: ['a.test'],
          movedStarts: {},
          honestHosts: {},
          networks: {},
          headers: {},
          endedTemplates: [],
        });
      });

      it('noteNetworks: keeps a host on the public web there', async () => {
        const { id } = await createJob(store);
        const { frontier } = store;
        const first = { 'a.test': '', 'b.test': '10.0.0.0/8' };
        expect(await frontier.noteNetworks(id, first)).toEqual(first);
        const then = { 'a.test': '', 'b.test': '10.1.0.0/16', 'c.test': '' };
        expect(
          await frontier.noteNetworks(id, { 'a.test': '10.0.0.0/8', 'b.test': '10.1.0.0/16', 'c.test': '' }),
        ).toEqual(then);
        const other = await database.open();
        expect((await other.frontier.crawlJob(id))?.networks).toEqual(then);
        expect(await frontier.noteNetworks('no such job', first)).toEqual(first);
      });

      it('settle: notes where the page of a start URL is, and raises the version', async () => {
        const job = await createJob(store, { startLinks: links(4, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 2);
        const moved = (request: Request): Outcome => ({
          ...(scraped(request) as Outcome & { kind: 'scraped' }),
          movedTo: 'https://a.test/en/docs/',
        });
        await store.frontier.settle(held, [settlement(requests[0]!, moved(requests[0]!))]);
        const movedStarts = { [requests[0]!.url]: 'https://a.test/en/docs/' };
        expect((await store.frontier.crawlJob(job.id))?.movedStarts).toEqual(movedStarts);
        const [third] = await store.frontier.take(held, 1);
        expect(third!.jobVersion).toBe(requests[0]!.jobVersion + 1);
        await store.frontier.settle(held, [settlement(third!, scraped(third!))]);
        const [fourth] = await store.frontier.take(held, 1);
        expect(fourth!.jobVersion).toBe(third!.jobVersion);
        expect((await store.frontier.crawlJob(job.id))?.movedStarts).toEqual(movedStarts);
      });
    });

    describe('headers of a job', () => {
      const headers = { authorization: 'secret', cookie: 'a=1' };

      it("crawlJob: returns the client's headers, also after a restart, and no job shows them", async () => {
        const job = await createJob(store, { headers });
        const other = await createJob(store);
        await restart();
        expect((await store.frontier.crawlJob(job.id))?.headers).toEqual(headers);
        expect((await store.frontier.crawlJob(other.id))?.headers).toEqual({});
        expect(JSON.stringify([job, await getJob(store, job.id)])).not.toContain('secret');
      });

      it.each<[string, (id: string) => Promise<unknown>]>([
        ['was done', () => crawl(store)],
        ['was cancelled', (id) => store.jobs.cancel(org, id, Date.now())],
        ['was deleted', (id) => store.jobs.delete(org, id, Date.now())],
      ])('crawlJob: returns no headers when the job %s', async (_, end) => {
        const job = await createJob(store, { headers });
        await end(job.id);
        expect((await store.frontier.crawlJob(job.id))?.headers).toEqual({});
      });
    });

    describe('ended URL templates', () => {
      const endedTemplate = { template: 'a.test/?page=*', pages: 10 };

      it('endedTemplates: reach lanes with a new version, and the owner as a notice', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [{ ...settlement(requests[0]!), endedTemplate }]);
        expect((await store.frontier.crawlJob(job.id))?.endedTemplates).toEqual([endedTemplate.template]);
        const [next] = await store.frontier.take(held, 1);
        expect(next!.jobVersion).toBe(requests[0]!.jobVersion + 1);
        expect((await getJob(store, job.id)).notices).toEqual([
          {
            code: 'trap',
            message: expect.stringContaining(endedTemplate.template) as string,
            at: expect.any(Number) as number,
          },
        ]);
        await restart();
        expect((await store.frontier.crawlJob(job.id))?.endedTemplates).toEqual([endedTemplate.template]);
      });

      it('endedTemplates: keep those of links that scripts made apart from traps', async () => {
        const job = await createJob(store);
        const { held, requests } = await leaseAndTake(store);
        const ended = { ...endedTemplate, byScript: true };
        await store.frontier.settle(held, [{ ...settlement(requests[0]!), endedTemplate: ended }]);
        const { endedTemplates = [] } = (await store.frontier.crawlJob(job.id)) ?? {};
        expect(endedTemplates).toEqual([endedName(ended)]);
        expect(endedTemplates).not.toContain(endedTemplate.template);
        const { notices } = await getJob(store, job.id);
        expect(notices).toMatchObject([
          { code: 'script_links', message: expect.stringContaining(endedTemplate.template) as string },
        ]);
      });

      it('endedTemplates: add one notice per template', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store, 2);
        await store.frontier.settle(
          held,
          requests.map((request) => ({ ...settlement(request, discarded), endedTemplate })),
        );
        const [last] = await store.frontier.take(held, 1);
        expect(last!.jobVersion).toBe(requests[0]!.jobVersion + 1);
        expect((await getJob(store, job.id)).notices).toHaveLength(1);
      });

      it('endedTemplates: change no other job', async () => {
        const [job, other] = [await createJob(store), await createJob(store)];
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [{ ...settlement(requests[0]!), endedTemplate }]);
        const [hit, spared] = requests[0]!.jobId === job.id ? [job, other] : [other, job];
        expect((await store.frontier.crawlJob(hit.id))?.endedTemplates).toHaveLength(1);
        expect((await store.frontier.crawlJob(spared.id))?.endedTemplates).toEqual([]);
        expect((await getJob(store, spared.id)).notices).toEqual([]);
      });

      it('endedTemplates: change nothing when the job has ended', async () => {
        const job = await createJob(store);
        const { held, requests } = await leaseAndTake(store, 1);
        const cancelled = await store.jobs.cancel(org, job.id, Date.now());
        await store.frontier.settle(held, [{ ...settlement(requests[0]!), endedTemplate }]);
        expect(await getJob(store, job.id)).toEqual(cancelled);
        expect((await store.frontier.crawlJob(job.id))?.endedTemplates).toEqual([]);
      });
    });

    describe('reading pages', () => {
      const crawledJob = async (count: number, text?: string): Promise<string> => {
        const job = await createJob(store, { startLinks: links(count, '/', { depth: 0 }) });
        await crawl(store, (request) => scraped(request, [], text === undefined ? {} : { text }));
        return job.id;
      };
      const numbers = async (
        query: Partial<Parameters<Store['pages']['read']>[0]> & { jobId: string },
      ): Promise<{ pages: number[]; more: boolean }> => {
        const slice = await store.pages.read({ ...wholeJob, ...query });
        return { pages: slice!.pages.map(({ page: number }) => number), more: slice!.more };
      };

      it('pages.read: returns pages in the order of their commit, numbered from 1', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[2]!)]);
        await store.frontier.settle(held, [settlement(requests[0]!), settlement(requests[1]!)]);
        expect(await pagesOf(store, job.id)).toEqual({
          1: 'https://a.test/3',
          2: 'https://a.test/1',
          3: 'https://a.test/2',
        });
        expect(await listAll(store, job.id)).toMatchObject([{ page: 2 }, { page: 3 }, { page: 1 }]);
      });

      it('pages.read: numbers pages without gaps when other URLs are discarded or fail', async () => {
        const job = await createJob(store, { startLinks: links(6, '/', { depth: 1 }) });
        const outcomes: Record<string, (request: Request) => Outcome> = {
          '/2': () => discarded,
          '/3': (request) => scraped(request, [], { text: 'Text of https://a.test/1' }),
          '/5': () => failed,
        };
        await crawl(store, (request) => (outcomes[new URL(request.url).pathname] ?? scraped)(request), 1);
        const paths = { 1: 'https://a.test/1', 2: 'https://a.test/4', 3: 'https://a.test/6' };
        expect(await pagesOf(store, job.id)).toEqual(paths);
      });

      it('pages.read: returns `limit` pages after a position, and whether there are more', async () => {
        const jobId = await crawledJob(5);
        for (const withText of [true, false]) {
          expect(await numbers({ jobId, withText, limit: 2 })).toEqual({ pages: [1, 2], more: true });
          expect(await numbers({ jobId, withText, limit: 2, after: 2 })).toEqual({ pages: [3, 4], more: true });
          expect(await numbers({ jobId, withText, limit: 1, after: 4 })).toEqual({ pages: [5], more: false });
          expect(await numbers({ jobId, withText, limit: 2, after: 3 })).toEqual({ pages: [4, 5], more: false });
          expect(await numbers({ jobId, withText, limit: 5 })).toEqual({ pages: [1, 2, 3, 4, 5], more: false });
          expect(await numbers({ jobId, withText, limit: 4 })).toEqual({ pages: [1, 2, 3, 4], more: true });
          expect(await numbers({ jobId, withText, limit: 5, after: 5 })).toEqual({ pages: [], more: false });
          expect(await numbers({ jobId, withText, limit: 5, after: 99 })).toEqual({ pages: [], more: false });
        }
      });

      it('pages.read: returns what was stored, byte for byte', async () => {
        const text = 'Grüße 🌾 "quoted" \u0000 '.repeat(5_000);
        const jobId = await crawledJob(1, text);
        const sent = page('https://a.test/1', { text });
        const [withoutText] = (await store.pages.read({ ...wholeJob, jobId }))!.pages;
        expect(withoutText).toEqual({ page: 1, meta: { ...sent.meta, deflated: expect.anything() as Uint8Array } });
        expect(Buffer.from(withoutText!.meta!.deflated).equals(sent.meta.deflated)).toBe(true);
        const [withText] = (await store.pages.read({ ...wholeJob, jobId, withText: true }))!.pages;
        const { deflated, crc, length } = textOf(withText!);
        expect({ crc, length }).toEqual({ crc: sent.body.crc, length: sent.body.length });
        const inflated = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
        expect(JSON.parse(`{"meta":{${inflated}`)).toMatchObject({ meta: { url: 'https://a.test/1' }, text });
      });

      it('pages.read: returns no text by default', async () => {
        const jobId = await crawledJob(1);
        const [stored] = (await store.pages.read({ ...wholeJob, jobId }))!.pages;
        expect(stored).not.toHaveProperty('body');
        expect(urlOf(metadataIn(stored!))).toBe('https://a.test/1');
      });

      it('pages.read: returns the metadata of each page', async () => {
        const jobId = await crawledJob(30);
        const { pages } = (await store.pages.read({ ...wholeJob, jobId }))!;
        expect(pages.map((stored) => urlOf(metadataIn(stored)))).toEqual(
          pages.map(({ page: number }) => `https://a.test/${number}`),
        );
      });

      it('pages.read: ends once the texts exceed bytesMax, after one page at least', async () => {
        const jobId = await crawledJob(4, 'x'.repeat(1_000));
        const query = { jobId, withText: true };
        expect(await numbers({ ...query, bytesMax: 1 })).toEqual({ pages: [1], more: true });
        expect(await numbers({ ...query, bytesMax: 1_500 })).toEqual({ pages: [1, 2], more: true });
        expect(await numbers({ ...query, bytesMax: 1_500, after: 2 })).toEqual({ pages: [3, 4], more: false });
        expect(await numbers({ ...query, bytesMax: 1, after: 3 })).toEqual({ pages: [4], more: false });
        expect(await numbers({ ...query, bytesMax: 10_000 })).toEqual({ pages: [1, 2, 3, 4], more: false });
      });

      it('pages.read: returns no page of another job', async () => {
        const jobIds = [await crawledJob(2), await crawledJob(3), await crawledJob(1)];
        expect(await Promise.all(jobIds.map(async (jobId) => (await numbers({ jobId })).pages))).toEqual([
          [1, 2],
          [1, 2, 3],
          [1],
        ]);
      });

      it('pages.read: returns the pages and the state of the job of one moment', async () => {
        const job = await createJob(store, { startLinks: links(30, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        const settling = requests.map((request) => store.frontier.settle(held, [settlement(request)]));
        for (;;) {
          const slice = (await store.pages.read({ ...wholeJob, jobId: job.id }))!;
          expect(slice.pages).toHaveLength(slice.total);
          expect(slice.status === 'succeeded').toBe(slice.total === 30);
          expect(slice.areResultsGone).toBe(false);
          if (hasEnded(slice.status)) break;
          await store.jobs.waitForChange(job.id, 100, AbortSignal.timeout(1_000));
        }
        await Promise.all(settling);
      });
    });

    describe('knownUrl', () => {
      it('knownUrl: returns the state of a URL, also while it waits or is in flight', async () => {
        const job = await createJob(store);
        const known = (path: string) => store.frontier.knownUrl(job.id, link(path).key);
        expect(await known('/1')).toBeUndefined();
        expect(await store.frontier.knownUrl('no such job', link('/').key)).toBeUndefined();
        const found = [...links(5), link('/off', { depth: 3, discard: { reason: 'off_host', detail: 'why' } })];
        const { held, requests } = await leaseAndTake(store);
        expect(await known('/')).toMatchObject({ state: 'queued', attempts: 0 });
        await store.frontier.settle(held, [settlement(requests[0]!, scraped(requests[0]!, found))]);
        const taken = await store.frontier.take(held, 10);
        const [scrapedOne, failedOne, discardedOne, later] = taken;
        await store.frontier.settle(held, [
          settlement(scrapedOne!),
          settlement(failedOne!, {
            kind: 'failed',
            error: { reason: 'http_error', message: 'Gone.', statusCode: 410 },
          }),
          settlement(discardedOne!, discarded),
          settlement(later!, retryLater),
        ]);
        const none = { reason: null, detail: null, statusCode: null, hasEarlier: false };
        expect(await known('/1')).toEqual({
          id: scrapedOne!.id,
          url: 'https://a.test/1',
          depth: 1,
          state: 'scraped',
          attempts: 1,
          ...none,
          statusCode: 200,
        });
        expect(await known('/2')).toMatchObject({ state: 'failed', attempts: 1, reason: 'http_410', statusCode: 410 });
        expect(await known('/3')).toMatchObject({
          state: 'discarded',
          attempts: 1,
          reason: 'content_type',
          detail: 'image/png',
        });
        expect(await known('/4')).toMatchObject({ state: 'queued', attempts: 1, reason: 'connect' });
        expect(await known('/5')).toMatchObject({ state: 'queued', attempts: 0, ...none });
        expect(await known('/off')).toMatchObject({
          state: 'outside',
          attempts: 0,
          depth: 3,
          reason: 'off_host',
          detail: 'why',
        });
      });

      it('knownUrl: returns no URL of another job', async () => {
        const job = await createJob(store);
        const other = await createJob(store, { startLinks: [link('/other', { depth: 0 })] });
        expect(await store.frontier.knownUrl(other.id, link('/').key)).toBeUndefined();
        expect(await store.frontier.knownUrl(job.id, link('/').key)).toMatchObject({ url: 'https://a.test/' });
      });
    });

    describe('ledger', () => {
      it('jobs.listUrls: lists URLs in the order of discovery, in parts', async () => {
        const job = await createJob(store);
        await crawl(store, (request) => scraped(request, request.depth === 0 ? links(9) : []));
        const urls: string[] = [];
        for (let after = 0; ;) {
          const { entries: part } = await store.jobs.listUrls(job.id, { after, limit: 4 });
          urls.push(...part.map(({ url }) => url));
          if (part.length < 4) break;
          after = part.at(-1)!.entry;
        }
        expect(urls).toEqual([link('/'), ...links(9)].map(({ url }) => url));
      });

      it('jobs.findUrl: finds a URL by its dedupe key within its own job', async () => {
        const job = await createJob(store);
        const other = await createJob(store, { startLinks: [link('/elsewhere', { depth: 0 })] });
        const [first] = links(1);
        await crawl(store, (request) => scraped(request, request.jobId === job.id ? [first!] : []));
        expect(await store.jobs.findUrl(job.id, first!.key)).toMatchObject({ url: first!.url, status: 'scraped' });
        expect(await store.jobs.findUrl(other.id, first!.key)).toBeUndefined();
        expect(await store.jobs.findUrl(job.id, 'no such key')).toBeUndefined();
        expect(await store.jobs.findUrl('nope', first!.key)).toBeUndefined();
      });

      it('jobs.listUrls: filters by status and reason, in parts', async () => {
        const job = await createJob(store, { startLinks: links(12, '/', { depth: 0 }) });
        await crawl(store, ({ url }) => {
          const number = Number(new URL(url).pathname.slice(1));
          if (number % 3 === 0)
            return {
              kind: 'failed',
              error: {
                reason: 'http_error',
                message: 'The site responded with 404.',
                statusCode: number === 12 ? 410 : 404,
              },
            };
          return number % 3 === 1 ? discarded : { kind: 'discarded', reason: 'robots_disallowed' };
        });
        const listed = async (query: Partial<Parameters<Store['jobs']['listUrls']>[1]>) =>
          (await store.jobs.listUrls(job.id, { after: 0, limit: 100, ...query })).entries.map(
            ({ url }) => new URL(url).pathname,
          );
        expect(await listed({ status: 'failed' })).toEqual(['/3', '/6', '/9', '/12']);
        expect(await listed({ reason: 'http_404' })).toEqual(['/3', '/6', '/9']);
        expect(await listed({ status: 'failed', reason: 'http_410' })).toEqual(['/12']);
        expect(await listed({ status: 'discarded', reason: 'http_410' })).toEqual([]);
        expect(await listed({ reason: 'robots_disallowed', limit: 2 })).toEqual(['/2', '/5']);
        const {
          entries: [, second],
        } = await store.jobs.listUrls(job.id, { after: 0, limit: 2, reason: 'robots_disallowed' });
        expect(await listed({ reason: 'robots_disallowed', after: second!.entry })).toEqual(['/8', '/11']);
        expect(await listed({ status: 'scraped' })).toEqual([]);
      });

      it('jobs.listUrls: returns every field of a URL', async () => {
        const job = await createJob(store);
        const found = [link('/1'), link('/off', { discard: { reason: 'excluded_by_glob', detail: '/off*' } })];
        const { held, requests } = await leaseAndTake(store);
        await store.frontier.settle(held, [settlement(requests[0]!, scraped(requests[0]!, found))]);
        const [one] = await store.frontier.take(held, 1);
        await store.frontier.settle(held, [settlement(one!, { ...discarded, statusCode: 200 })]);
        expect(await listAll(store, job.id)).toEqual([
          {
            entry: expect.any(Number) as number,
            kind: 'page',
            url: 'https://a.test/',
            status: 'scraped',
            reason: null,
            detail: null,
            depth: 0,
            attempts: 1,
            attemptedAt: expect.any(Number) as number,
            statusCode: 200,
            page: 1,
            foundOn: null,
            foundBy: null,
            lastmod: null,
          },
          {
            entry: expect.any(Number) as number,
            kind: 'page',
            url: 'https://a.test/1',
            status: 'discarded',
            reason: 'content_type',
            detail: 'image/png',
            depth: 1,
            attempts: 1,
            attemptedAt: expect.any(Number) as number,
            statusCode: 200,
            page: null,
            foundOn: 'https://a.test/',
            foundBy: null,
            lastmod: null,
          },
          {
            entry: expect.any(Number) as number,
            kind: 'page',
            url: 'https://a.test/off',
            status: 'outside',
            reason: 'excluded_by_glob',
            detail: '/off*',
            depth: 1,
            attempts: 0,
            attemptedAt: null,
            statusCode: null,
            page: null,
            foundOn: 'https://a.test/',
            foundBy: null,
            lastmod: null,
          },
        ]);
      });

      it('jobs.listUrls: lists the URLs left at the end of a job under the reason of its end', async () => {
        const job = await createJob(store, { startLinks: links(4, '/', { depth: 0 }), spec: { pageLimit: 2 } });
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [settlement(requests[0]!, retryLater)]);
        await crawl(store);
        await store.frontier.release(held);
        await crawl(store);
        const { entries: left } = await store.jobs.listUrls(job.id, {
          after: 0,
          limit: 10,
          status: 'discarded',
          reason: 'page_limit',
        });
        expect(left).toMatchObject([
          { url: 'https://a.test/1', detail: null, attempts: 1 },
          { url: 'https://a.test/4' },
        ]);
        expect((await store.jobs.listUrls(job.id, { after: 0, limit: 10, status: 'queued' })).entries).toEqual([]);
        expect((await store.jobs.listUrls(job.id, { after: 0, limit: 10, reason: 'connect' })).entries).toEqual([]);
      });
    });

    describe('sweeping', () => {
      const sweepAll = async (now: number): Promise<number> => {
        for (let steps = 1; ; steps++) if (!(await store.sweep(now)).more) return steps;
      };

      it('sweep: removes nothing that can still be read', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        await crawl(store);
        const { resultsGoneAt } = await getJob(store, job.id);
        await sweepAll(resultsGoneAt! - 1);
        expect(Object.keys(await pagesOf(store, job.id))).toHaveLength(3);
        expect(await listAll(store, job.id)).toHaveLength(3);
      });

      it.each(['expired', 'deleted'])(
        'sweep: removes pages and URLs of %s jobs in steps, and keeps the job',
        async (why) => {
          const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
          const other = await createJob(store, {
            startLinks: links(2, '/', { depth: 0 }),
            spec: { outputExpirySeconds: 3_600 },
          });
          await crawl(store, (request) =>
            scraped(
              request,
              request.depth === 0 ? links(400, new URL(request.url).pathname, { discard: { reason: 'depth' } }) : [],
            ),
          );
          const ended =
            why === 'deleted' ? (await store.jobs.delete(org, job.id, Date.now()))! : await getJob(store, job.id);
          expect(await sweepAll(ended.resultsGoneAt!)).toBeGreaterThan(1);
          expect(await pagesOf(store, job.id)).toEqual({});
          expect((await store.pages.read({ ...wholeJob, jobId: job.id, withText: true }))?.pages).toEqual([]);
          expect(await listAll(store, job.id)).toEqual([]);
          expect(await getJob(store, job.id)).toEqual({ ...ended, areResultsGone: true });
          expect(await store.pages.read({ ...wholeJob, jobId: job.id })).toMatchObject({
            status: ended.status,
            areResultsGone: true,
            pages: [],
          });
          expect(Object.keys(await pagesOf(store, other.id))).toHaveLength(2);
          expect(await listAll(store, other.id)).toHaveLength(802);
          expect(await store.sweep(ended.resultsGoneAt!)).toEqual({ more: false });
        },
      );

      it('sweep: finishes what it began to remove after a restart with an earlier clock', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        await crawl(store);
        const { resultsGoneAt } = await getJob(store, job.id);
        expect(await store.sweep(resultsGoneAt!)).toEqual({ more: true });
        // By the clock of this test it has a minute to go still.
        expect((await getJob(store, job.id)).areResultsGone).toBe(true);
        expect((await store.pages.read({ ...wholeJob, jobId: job.id }))?.areResultsGone).toBe(true);
        await restart();
        expect((await getJob(store, job.id)).areResultsGone).toBe(true);
        // What was begun is brought to its end.
        await sweepAll(Date.now());
        expect(await listAll(store, job.id)).toEqual([]);
      });

      it('sweep: removes deleted results with an earlier clock', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        await crawl(store);
        const ahead = Date.now() + 30_000;
        expect((await store.jobs.delete(org, job.id, ahead))?.areResultsGone).toBe(true);
        expect((await store.pages.read({ ...wholeJob, jobId: job.id }))?.areResultsGone).toBe(true);
        await sweepAll(Date.now());
        expect(await listAll(store, job.id)).toEqual([]);
      });

      it('sweep: deletes nothing when the clock is more than a day ahead, and reports it', async () => {
        const kept = await createJob(store, {
          startLinks: links(3, '/', { depth: 0 }),
          spec: { outputExpirySeconds: 7 * 86_400 },
        });
        await crawl(store);
        const now = Date.now();
        expect(await sweepAll(now)).toBeGreaterThan(0);
        const { resultsGoneAt } = await getJob(store, kept.id);
        expect((await store.sweep(now + 86_000_000)).clockAheadMs).toBeUndefined();
        for (const later of [60_000, 120_000]) {
          const { clockAheadMs } = await store.sweep(resultsGoneAt! + later);
          expect(clockAheadMs).toBeGreaterThan(5 * 86_400_000);
        }
        expect(await sweepAll(now)).toBe(1);
        expect(Object.keys(await pagesOf(store, kept.id))).toHaveLength(3);
      });

      it('sweep: removes requests in flight without harm to later jobs', async () => {
        const job = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
        const { held, requests } = await leaseAndTake(store);
        await store.jobs.delete(org, job.id, Date.now());
        await sweepAll(Date.now());
        const next = await createJob(store, { startLinks: links(3, '/next', { depth: 0 }) });
        const taken = await store.frontier.take(held, 10);
        expect(taken).toHaveLength(3);
        // The ids of requests are never given again, so this is about nothing that exists.
        await store.frontier.settle(
          held,
          requests.map((request) => settlement(request, failed)),
        );
        expect((await getJob(store, next.id)).progress).toEqual({
          queued: 0,
          inFlight: 3,
          scraped: 0,
          discarded: 0,
          failed: 0,
          outside: 0,
        });
        await store.frontier.settle(
          held,
          taken.map((request) => settlement(request)),
        );
        expect((await getJob(store, next.id)).status).toBe('succeeded');
      });

      it('take: skips the queue of a cancelled job before a sweep', async () => {
        const ended = await createJob(store, { startLinks: links(2_500, '/', { depth: 0 }) });
        await store.jobs.cancel(org, ended.id, Date.now());
        const job = await createJob(store, { startLinks: [link('/', { depth: 0 })] });
        expect(await crawl(store)).toEqual(['https://a.test/']);
        expect((await getJob(store, job.id)).status).toBe('succeeded');
      });

      it('sweep: forgets idempotency keys after 24 hours', async () => {
        const createdAt = Date.now();
        const first = await createJob(store, { createdAt, idempotency: { key: 'k', bodyHash: 'h' } });
        await sweepAll(createdAt + 24 * hourMs - 1);
        expect((await createJob(store, { createdAt, idempotency: { key: 'k', bodyHash: 'h' } })).id).toBe(first.id);
        await sweepAll(createdAt + 24 * hourMs);
        expect((await createJob(store, { createdAt, idempotency: { key: 'k', bodyHash: 'h' } })).id).not.toBe(first.id);
      });
    });

    describe('tokens', () => {
      const token = {
        id: 't1',
        org,
        name: 'laptop',
        permissions: ['read', 'write'],
        createdAt: 1,
        revokedAt: null,
        expiresAt: null,
      } as const;

      it('tokens.find: finds a token by its hash', async () => {
        await store.tokens.add(token, 'hash');
        expect(await store.tokens.find('hash')).toEqual(token);
        expect(await store.tokens.find('other')).toBeUndefined();
      });

      it('tokens.list: lists tokens', async () => {
        await store.tokens.add({ ...token, createdAt: 2 }, 'hash 1');
        await store.tokens.add({ ...token, id: 't2', permissions: ['read'] }, 'hash 2');
        expect((await store.tokens.list()).map(({ id, permissions }) => [id, permissions])).toEqual([
          ['t2', ['read']],
          ['t1', ['read', 'write']],
        ]);
      });

      it('tokens.find: returns the name of a token', async () => {
        await store.tokens.add({ ...token, name: 'search 🔎' }, 'hash');
        expect(await store.tokens.find('hash')).toEqual({ ...token, name: 'search 🔎' });
      });

      it('tokens.page: pages tokens of one org or all, newest first', async () => {
        for (const [index, at] of [5, 5, 7, 1].entries())
          await store.tokens.add({ ...token, id: `t${index}`, createdAt: at }, `hash ${index}`);
        await store.tokens.add({ ...token, id: 'other', org: 'another', createdAt: 6 }, 'hash of another');
        const ids = async (query: Parameters<typeof store.tokens.page>[0]): Promise<string[]> =>
          (await store.tokens.page(query)).map(({ id }) => id);
        expect(await ids({ org, limit: 10 })).toEqual(['t2', 't1', 't0', 't3']);
        expect(await ids({ limit: 2 })).toEqual(['t2', 'other']);
        expect(await ids({ org, limit: 2, before: { createdAt: 5, id: 't1' } })).toEqual(['t0', 't3']);
        expect(await ids({ org: 'nobody', limit: 2 })).toEqual([]);
      });

      it('tokens.add: adds at most `max` valid tokens of an org', async () => {
        const add = (id: string, more: object, max = 2): Promise<boolean> =>
          store.tokens.add({ ...token, createdAt: 10, id, ...more }, `hash of ${id}`, max);
        expect(await add('expired', { createdAt: 1, expiresAt: 9 })).toBe(true);
        expect(await add('elsewhere', { org: 'another' })).toBe(true);
        expect(await add('first', {})).toBe(true);
        expect(await add('second', {})).toBe(true);
        expect(await add('third', {})).toBe(false);
        expect(await store.tokens.find('hash of third')).toBeUndefined();
        await store.tokens.revoke('first', 11);
        expect(await add('third', {})).toBe(true);
      });

      it('tokens.revoke: revokes a token only for its own org when one is named', async () => {
        await store.tokens.add(token, 'hash');
        expect(await store.tokens.revoke('t1', 5, 'another')).toBe(false);
        expect((await store.tokens.find('hash'))?.revokedAt).toBeNull();
        expect(await store.tokens.revoke('t1', 5, org)).toBe(true);
      });

      it('tokens.find: returns a revoked token with the first time of its revocation', async () => {
        await store.tokens.add(token, 'hash');
        expect(await store.tokens.revoke('t1', 5)).toBe(true);
        expect(await store.tokens.revoke('t1', 6)).toBe(true);
        expect(await store.tokens.revoke('nope', 6)).toBe(false);
        expect(await store.tokens.find('hash')).toEqual({ ...token, revokedAt: 5 });
      });

      it('tokens.add: rejects a second token with the same hash or id', async () => {
        await store.tokens.add(token, 'hash');
        await expect(store.tokens.add({ ...token, id: 't2' }, 'hash')).rejects.toThrow(Error);
        await expect(store.tokens.add(token, 'other')).rejects.toThrow(Error);
      });
    });

    describe('waiting', () => {
      it('waitForChange: returns with the next change of the job', async () => {
        const job = await createJob(store);
        const waiting = store.jobs.waitForChange(job.id, hourMs, new AbortController().signal);
        await store.jobs.cancel(org, job.id, Date.now());
        await expect(waiting).resolves.toBeUndefined();
      });

      it('waitForWork: returns when there is work', async () => {
        const waiting = store.frontier.waitForWork(hourMs, new AbortController().signal);
        await createJob(store);
        await waiting;
        expect(await leaseHost(store.frontier)).toBeDefined();
      });

      it('waitForWork: does not miss work that is created during leaseHost', async () => {
        const asking = leaseHost(store.frontier);
        const creating = createJob(store);
        const found = await asking;
        // Over several connections, who asked first may be answered last.
        if (!found) await store.frontier.waitForWork(hourMs, new AbortController().signal);
        await creating;
        expect(found ?? (await leaseHost(store.frontier))).toBeDefined();
      });

      it('waitForWork: returns when a host is released', async () => {
        await createJob(store);
        const held = await lease(store);
        const waiting = store.frontier.waitForWork(hourMs, new AbortController().signal);
        await store.frontier.release(held);
        await expect(waiting).resolves.toBeUndefined();
      });

      it('waitForWork and waitForChange: return after their time and on abort', async () => {
        await store.frontier.waitForWork(1, new AbortController().signal);
        await store.jobs.waitForChange('nope', 1, new AbortController().signal);
        await store.frontier.waitForWork(hourMs, AbortSignal.abort());
        const ending = new AbortController();
        const waiting = Promise.all([
          store.frontier.waitForWork(hourMs, ending.signal),
          store.jobs.waitForChange('nope', hourMs, ending.signal),
        ]);
        ending.abort();
        await expect(waiting).resolves.toHaveLength(2);
      });
    });

    describe('store as a whole', () => {
      it('secret: has 32 bytes and never changes', async () => {
        const { secret } = store;
        expect(secret).toHaveLength(32);
        await restart();
        expect(Buffer.from(store.secret).equals(secret)).toBe(true);
        expect(Buffer.from((await database.open()).secret).equals(secret)).toBe(true);
      });

      it('ping: resolves when the store can be written', async () => {
        await expect(store.ping()).resolves.toBeUndefined();
      });

      it('store: completes the other operations when one fails', async () => {
        const token = {
          id: 't1',
          org,
          name: '',
          permissions: ['read'],
          createdAt: 1,
          revokedAt: null,
          expiresAt: null,
        } as const;
        await store.tokens.add(token, 'hash');
        const held = lease(store);
        const results = await Promise.allSettled([
          createJob(store),
          store.tokens.add(token, 'hash'),
          createJob(store, { startLinks: links(3, '/', { depth: 0 }) }),
          store.tokens.add({ ...token, id: 't2' }, 'hash'),
          store.ping(),
        ]);
        expect(results.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
        await store.frontier.release(await held);
        expect(await crawl(store)).toHaveLength(4);
        for (const job of (await store.jobs.list(org, { limit: 10 })).jobs) expect(job.status).toBe('succeeded');
      });

      it('close: makes later writes reject', async () => {
        await store.close();
        await expect(store.ping()).rejects.toThrow('closed');
        await expect(store.jobs.create(newJob())).rejects.toThrow('closed');
      });

      it('close: waits for the writes that were called before', async () => {
        const creating = Promise.all([createJob(store), createJob(store)]);
        await store.close();
        await creating;
        store = await database.open({ crawling: true });
        expect((await store.jobs.list(org, { limit: 10 })).jobs).toHaveLength(2);
      });
    });
  });
}
