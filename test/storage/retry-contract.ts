// What every store promises about jobs that crawl again what failed in another: a part of the contract suite.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import type { Outcome, Request } from '../../src/core/request.ts';
import type { RetryJob, RetryRefusal, Store } from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  getJob,
  hostA,
  lease,
  leaseAndTake,
  ledgerOf,
  link,
  links,
  listAll,
  newJob,
  org,
  pagesOf,
  scraped,
  settlement,
  type TestDatabase,
  unreachable,
} from './test-data.ts';

const failed = { kind: 'failed', error: unreachable } as const satisfies Outcome;
const discarded = { kind: 'discarded', reason: 'content_type', detail: 'image/png' } as const satisfies Outcome;
const startLinks = [link('/', { depth: 0 })];

export function describeRetries(createDatabase: () => Promise<TestDatabase>): void {
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

  const tryRetry = async (id: string, fields: Partial<RetryJob> = {}, owner = org): Promise<Job | RetryRefusal> => {
    const { spec } = (await store.jobs.get(owner, id)) ?? newJob();
    return store.jobs.retry(owner, id, { id: newJob().id, spec, createdAt: Date.now(), headers: {}, ...fields });
  };

  const retry = async (id: string, fields: Partial<RetryJob> = {}): Promise<Job> => {
    const job = await tryRetry(id, fields);
    if (typeof job === 'string') throw new Error(job);
    return job;
  };

  /** What becomes of each path; what is not named is scraped, and `/` links to all. */
  const site =
    (outcomes: Readonly<Record<string, Outcome>>, found = links(4)) =>
    (request: Request): Outcome => {
      const { pathname } = new URL(request.url);
      return outcomes[pathname] ?? scraped(request, pathname === '/' ? found : []);
    };

  const pathsOf = (urls: readonly string[]): string[] => urls.map((url) => new URL(url).pathname);

  describe('refused retries', () => {
    it('jobs.retry: returns unknown when the job does not exist or is of another org', async () => {
      const job = await createJob(store);
      await crawl(store, () => failed);
      expect(await tryRetry('job-0')).toBe('unknown');
      expect(await tryRetry(job.id, {}, 'other')).toBe('unknown');
    });

    it('jobs.retry: returns running while the job runs', async () => {
      const job = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
      expect(await tryRetry(job.id)).toBe('running');
      const { held, requests } = await leaseAndTake(store);
      await store.frontier.settle(held, [settlement(requests[0]!, failed)]);
      expect(await tryRetry(job.id)).toBe('running');
    });

    it('jobs.retry: returns expired when the results are gone', async () => {
      const deleted = await createJob(store);
      const expired = await createJob(store, {
        startLinks: [link('/e', { depth: 0 })],
        spec: { outputExpirySeconds: 0 },
      });
      const kept = await createJob(store, {
        startLinks: [link('/k', { depth: 0 })],
        spec: { outputExpirySeconds: 60 },
      });
      await crawl(store, () => failed);
      await store.jobs.delete(org, deleted.id, Date.now());
      expect(await tryRetry(deleted.id)).toBe('expired');
      expect(await tryRetry(expired.id)).toBe('expired');
      expect(await tryRetry(kept.id)).toMatchObject({ retryOf: kept.id });
    });

    it('jobs.retry: returns nothing_failed when URLs were only scraped, discarded or cancelled', async () => {
      const job = await createJob(store, { startLinks });
      await crawl(store, site({ '/1': discarded }, [link('/1'), link('/2', { discard: { reason: 'off_host' } })]));
      expect(await tryRetry(job.id)).toBe('nothing_failed');
      const cancelled = await createJob(store, { startLinks });
      await store.jobs.cancel(org, cancelled.id, Date.now());
      expect(await tryRetry(cancelled.id)).toBe('nothing_failed');
      expect((await store.jobs.list(org, { limit: 10 })).jobs).toHaveLength(2);
    });
  });

  describe('retries with an idempotency key', () => {
    const idempotency = { key: 'k', bodyHash: 'h' };
    let id: string;

    beforeEach(async () => {
      ({ id } = await createJob(store));
      await crawl(store, () => failed);
    });

    const retries = async (): Promise<number> =>
      (await store.jobs.list(org, { limit: 10 })).jobs.filter(({ retryOf }) => retryOf === id).length;

    it('jobs.retry: creates one job per idempotency key, and returns its current state later', async () => {
      const first = await retry(id, { idempotency });
      await crawl(store);
      expect(await retry(id, { idempotency })).toEqual(await getJob(store, first.id));
      await restart();
      expect(await retry(id, { idempotency })).toMatchObject({ id: first.id, status: 'succeeded' });
      expect(await retries()).toBe(1);
    });

    it('jobs.retry: creates one job for several simultaneous requests with one key', async () => {
      const jobs = await Promise.all([1, 2, 3].map(() => retry(id, { idempotency })));
      expect(new Set(jobs.map((job) => job.id)).size).toBe(1);
      expect(await retries()).toBe(1);
    });

    it('jobs.retry: returns the earlier retry when the job is deleted or the org has too many jobs', async () => {
      const { id: first } = await retry(id, { idempotency, unfinishedMax: 1 });
      expect(await tryRetry(id, { unfinishedMax: 1 })).toBe('too_many');
      expect(await retry(id, { idempotency, unfinishedMax: 1 })).toMatchObject({ id: first });
      await store.jobs.delete(org, id, Date.now());
      expect(await tryRetry(id)).toBe('expired');
      expect(await retry(id, { idempotency })).toMatchObject({ id: first });
    });

    it('jobs.retry: returns conflict when the key belongs to another request', async () => {
      await retry(id, { idempotency });
      const other = { key: 'k', bodyHash: 'other' };
      expect(await tryRetry(id, { idempotency: other })).toBe('conflict');
      expect(await store.jobs.create(newJob({ idempotency: other }))).toBe('conflict');
      await createJob(store, { idempotency: { key: 'created', bodyHash: 'h' } });
      expect(await tryRetry(id, { idempotency: { key: 'created', bodyHash: 'another' } })).toBe('conflict');
      expect(await retries()).toBe(1);
    });

    it('jobs.retry: leaves the key free when it refuses', async () => {
      const running = await createJob(store, { startLinks: [link('/r', { depth: 0 })] });
      expect(await tryRetry(running.id, { idempotency })).toBe('running');
      expect(await tryRetry('job-0', { idempotency })).toBe('unknown');
      expect(await retry(id, { idempotency: { key: 'k', bodyHash: 'other' } })).toMatchObject({ retryOf: id });
    });

    it('jobs.retry: keeps the keys of orgs apart', async () => {
      await createJob(store, { org: 'other', idempotency: { key: 'k', bodyHash: 'another' } });
      expect(await retry(id, { idempotency })).toMatchObject({ retryOf: id, org });
    });

    it('jobs.retry: forgets a key after 24 hours', async () => {
      const later = Date.now();
      const first = await retry(id, { idempotency, createdAt: later - 24 * 3_600_000 });
      const second = await retry(id, { idempotency, createdAt: later });
      expect(second.id).not.toBe(first.id);
      expect((await retry(id, { idempotency, createdAt: later })).id).toBe(second.id);
    });
  });

  describe('retries', () => {
    it('jobs.retry: copies the options and the failed URLs, and has written them when it returns', async () => {
      const robots = { code: 'robots_ignored', message: 'Told so.', at: 1 } as const;
      const earlier = await createJob(store, {
        startLinks: links(3, '/', { depth: 0 }),
        spec: { pageLimit: 7, excludeGlobs: ['/x'], respectRobots: false },
        scopeHosts: ['a.test', 'b.test'],
        headers: { cookie: 'old' },
        webhookUrl: 'https://old.test/',
        notices: [robots],
      });
      await store.frontier.noteNetworks(earlier.id, { 'a.test': '' });
      await crawl(store, site({ '/1': failed, '/3': failed }));
      const createdAt = Date.now();
      const job = await retry(earlier.id, { createdAt, headers: { cookie: 'new' }, webhookUrl: 'https://new.test/' });
      expect(job).toMatchObject({
        org,
        status: 'starting',
        createdAt,
        finishedAt: null,
        retryOf: earlier.id,
        webhookUrl: 'https://new.test/',
        progress: { queued: 2, inFlight: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 },
        notices: [{ ...robots, at: createdAt }],
      });
      expect(job.spec).toEqual(earlier.spec);
      const other = await database.open();
      expect(await getJob(other, job.id)).toEqual(job);
      expect(await ledgerOf(other, job.id)).toEqual({ '/1': 'queued', '/3': 'queued' });
      expect(await other.frontier.crawlJob(job.id)).toMatchObject({
        scopeHosts: ['a.test', 'b.test'],
        networks: { 'a.test': '' },
        headers: { cookie: 'new' },
      });
    });

    it('jobs.retry: has no webhook and no headers by default, and leaves the earlier job unchanged', async () => {
      const { id } = await createJob(store, {
        startLinks,
        headers: { cookie: 'old' },
        webhookUrl: 'https://old.test/',
      });
      await crawl(store, () => failed);
      const [earlier, ledger] = [await getJob(store, id), await listAll(store, id)];
      const job = await retry(id);
      await crawl(store);
      expect(job.webhookUrl).toBeNull();
      expect((await store.frontier.crawlJob(job.id))?.headers).toEqual({});
      expect(await getJob(store, id)).toEqual(earlier);
      expect(await listAll(store, id)).toEqual(ledger);
    });

    it('jobs.retry: scrapes what failed and what it leads to, and nothing twice', async () => {
      const earlier = await createJob(store, { startLinks });
      await crawl(store, site({ '/2': failed, '/3': discarded }));
      const job = await retry(earlier.id);
      const behind = [...links(4), link('/', { depth: 2 }), link('/new', { depth: 2 })];
      const asked = await crawl(store, (request) => scraped(request, request.url.endsWith('/2') ? behind : []));
      expect(pathsOf(asked)).toEqual(['/2', '/new']);
      expect(await ledgerOf(store, job.id)).toEqual({
        '/2': 'scraped',
        '/1': 'outside crawled_before',
        '/3': 'outside crawled_before',
        '/4': 'outside crawled_before',
        '/': 'outside crawled_before',
        '/new': 'scraped',
      });
      const details = (await listAll(store, job.id)).map(({ detail }) => detail).filter((detail) => detail !== null);
      expect(details).toEqual(['scraped', 'discarded: content_type', 'scraped', 'scraped']);
      expect(await getJob(store, job.id)).toMatchObject({
        status: 'succeeded',
        progress: { queued: 0, inFlight: 0, scraped: 2, discarded: 0, failed: 0, outside: 4 },
        reasons: { crawled_before: 4 },
      });
      expect(pathsOf(Object.values(await pagesOf(store, job.id)))).toEqual(['/2', '/new']);
    });

    it('jobs.retry: discards a page that the earlier job has under another URL', async () => {
      const earlier = await createJob(store, { startLinks });
      await crawl(store, site({ '/2': failed, '/3': failed }));
      const job = await retry(earlier.id);
      const sameAs = (path: string) => ({ fetchedKey: link(path).key, contentKey: `content of ${path}` });
      await crawl(store, (request) => scraped(request, [], request.url.endsWith('/2') ? sameAs('/1') : {}));
      expect(await ledgerOf(store, job.id)).toEqual({ '/2': 'discarded duplicate_of', '/3': 'scraped' });
    });

    it('jobs.retry: crawls the whole site when the start page failed', async () => {
      const earlier = await createJob(store, { startLinks });
      await crawl(store, () => failed);
      expect((await getJob(store, earlier.id)).status).toBe('failed');
      const job = await retry(earlier.id);
      expect(await crawl(store, site({}))).toHaveLength(5);
      expect((await listAll(store, job.id)).map(({ depth }) => depth)).toEqual([0, 1, 1, 1, 1]);
    });

    it('jobs.retry: crawls what the earlier job never reached', async () => {
      const earlier = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
      const { held, requests } = await leaseAndTake(store, 1);
      await store.frontier.settle(held, [settlement(requests[0]!, failed)]);
      await store.frontier.release(held);
      await store.jobs.cancel(org, earlier.id, Date.now());
      const job = await retry(earlier.id);
      expect(await crawl(store, (request) => scraped(request, links(3)))).toHaveLength(3);
      expect((await getJob(store, job.id)).progress).toMatchObject({ scraped: 3, discarded: 0 });
    });

    it('jobs.retry: judges links again that the earlier job did not try', async () => {
      const earlier = await createJob(store, { startLinks });
      const off = link('/off', { discard: { reason: 'nofollow' } });
      await crawl(store, site({ '/1': failed }, [link('/1'), off]));
      const job = await retry(earlier.id);
      await crawl(store, (request) => scraped(request, [off, link('/off', { depth: 2 })]));
      expect(await ledgerOf(store, job.id)).toEqual({ '/1': 'scraped', '/off': 'scraped' });
    });

    it.each(['the same', 'the next'])(
      'jobs.retry: discards a known URL once when it is found again in %s process',
      async (which) => {
        const earlier = await createJob(store, { startLinks });
        await crawl(store, site({ '/1': failed, '/2': failed }));
        const job = await retry(earlier.id);
        const { held, requests } = await leaseAndTake(store, 1);
        await store.frontier.settle(held, [
          settlement(requests[0]!, scraped(requests[0]!, [link('/4', { depth: 9 })])),
        ]);
        await store.frontier.release(held);
        if (which === 'the next') await restart();
        const asked = await crawl(store, (request) => scraped(request, links(4)));
        expect(pathsOf(asked)).toEqual(['/2']);
        expect(await ledgerOf(store, job.id)).toMatchObject({ '/4': 'outside crawled_before' });
        expect((await getJob(store, job.id)).reasons).toEqual({ crawled_before: 2 });
      },
    );

    it('jobs.retry: knows the pages of all earlier jobs of its chain', async () => {
      const first = await createJob(store, { startLinks });
      await crawl(store, site({ '/1': failed, '/2': failed }));
      const second = await retry(first.id);
      await crawl(store, site({ '/2': failed }));
      const third = await retry(second.id);
      const asked = await crawl(store, (request) => scraped(request, [...links(4), ...startLinks]));
      expect(pathsOf(asked)).toEqual(['/2']);
      expect(await getJob(store, third.id)).toMatchObject({
        retryOf: second.id,
        progress: { scraped: 1, discarded: 0, outside: 4 },
      });
      expect(await tryRetry(third.id)).toBe('nothing_failed');
      // What failed in the first stays failed there.
      expect((await retry(first.id)).progress.queued).toBe(2);
    });

    it('jobs.retry: reads sitemaps again that could not be read', async () => {
      const earlier = await createJob(store, { startLinks, origins: [link('/', { depth: 0 })] });
      const held = await lease(store);
      while (await store.frontier.giveUp(held, unreachable, { code: 'host_unreachable', message: 'Gone.' }));
      await store.frontier.release(held);
      const job = await retry(earlier.id);
      const asked: string[] = [];
      await crawl(store, (request) => {
        asked.push(`${request.kind} ${request.url}`);
        return request.kind === 'page'
          ? scraped(request)
          : { kind: 'sitemap', ending: { state: 'scraped' }, urls: links(2), sitemaps: [] };
      });
      expect(asked.toSorted()).toEqual([
        'origin https://a.test/',
        'page https://a.test/',
        'page https://a.test/1',
        'page https://a.test/2',
      ]);
      expect(await getJob(store, job.id)).toMatchObject({ status: 'succeeded', progress: { scraped: 3 } });
    });

    it(
      'jobs.retry: takes the first 100,000 failed URLs, and a second retry the next ones',
      { timeout: 120_000 },
      async () => {
        const count = 100_002;
        const earlier = await createJob(store, {
          startLinks: links(count, '/', { depth: 0, host: hostA }),
          spec: { pageLimit: count, fetchLimit: count },
        });
        const held = await lease(store);
        while (await store.frontier.giveUp(held, unreachable, { code: 'host_unreachable', message: 'Gone.' }));
        await store.frontier.release(held);
        const jobs = [await retry(earlier.id), await retry(earlier.id)];
        expect(jobs.map(({ progress }) => progress.queued)).toEqual([100_000, 2]);
        expect(Object.keys(await ledgerOf(store, jobs[1]!.id))).toEqual(['/100001', '/100002']);
        expect(jobs.map(({ findings }) => findings.map(({ code, message }) => `${code}: ${message}`))).toEqual(
          ['1 to 100,000', '100,001 to 100,002'].map((range) => [
            `retry_partial: A retry crawls at most 100,000 URLs. Of 100,002 failed URLs, this one crawls ${range}. Retry the same job again for the next ones.`,
          ]),
        );
      },
    );
  });
}
