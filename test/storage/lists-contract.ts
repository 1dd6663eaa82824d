// Lists of jobs and of URLs: what they find, where they end, and that what a read costs has a limit.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobKinds } from '../../src/core/job.ts';
import {
  type HostQuery,
  type JobQuery,
  type LedgerQuery,
  type Store,
  treeGroupsMax,
  type TreeQuery,
} from '../../src/core/ports/stores.ts';
import {
  crawl,
  createJob,
  getJob,
  leaseAndTake,
  link,
  links,
  listAll,
  org,
  scraped,
  settlement,
  type TestDatabase,
} from './test-data.ts';

/** Works on one request. */
async function crawlOne(store: Store): Promise<void> {
  const { held, requests } = await leaseAndTake(store, 1);
  await store.frontier.settle(
    held,
    requests.map((request) => settlement(request, scraped(request))),
  );
  await store.frontier.release(held);
}

export function describeLists(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  describe('lists of jobs', () => {
    const listed = async (query: Partial<JobQuery> = {}): Promise<readonly string[]> =>
      (await store.jobs.list(org, { limit: 100, ...query })).jobs.map(({ id }) => id);
    const on = (...urls: string[]) => ({ spec: { urls } });

    it('jobs.list: returns the requested kinds, newest first, in any status', async () => {
      const made = [];
      for (const kind of [...jobKinds, ...jobKinds]) made.unshift(await createJob(store, { kind }));
      for (const { id } of made.slice(2, 5)) await store.jobs.cancel(org, id);
      expect(await listed()).toEqual(made.map(({ id }) => id));
      const kinds = ['crawl', 'map'] as const;
      const some = made.filter(({ kind }) => kind === 'crawl' || kind === 'map').map(({ id }) => id);
      expect(await listed({ kinds })).toEqual(some);
      const first = await store.jobs.list(org, { kinds, limit: 3 });
      expect(first.next).toBe(some[2]);
      expect(await store.jobs.list(org, { kinds, limit: 3, after: some[2]! })).toEqual({
        jobs: [expect.objectContaining({ id: some[3] })],
      });
      expect(await listed({ kinds: ['scrape'], status: 'cancelled' })).toHaveLength(1);
    });

    it('jobs.create: keeps the kind of a job', async () => {
      expect(await createJob(store, { kind: 'batch' })).toMatchObject({ kind: 'batch' });
      expect(await createJob(store)).toMatchObject({ kind: 'crawl' });
    });

    it('jobs.list: finds part of a start URL in any case, and treats wildcards as characters', async () => {
      const one = await createJob(store, on('https://docs.test/100%25_sure', 'https://b.test/Guide/'));
      const two = await createJob(store, on('https://b.test/M%C3%BCnchen'));
      await createJob(store, { ...on('https://docs.test/'), org: 'other' });
      expect(await listed({ q: 'B.TEST/guide' })).toEqual([one.id]);
      expect(await listed({ q: 'b.test' })).toEqual([two.id, one.id]);
      expect(await listed({ q: 'M\u00FCnchen' })).toEqual([two.id]);
      expect(await listed({ q: '%25_s' })).toEqual([one.id]);
      for (const nothing of ['b_test', 'd%test', '"urls"', 'a.test', '\\', "'", '\uD800'])
        expect(await listed({ q: nothing }), nothing).toEqual([]);
    });

    it('jobs.count: counts jobs by status for the same filter', async () => {
      for (const kind of ['crawl', 'crawl', 'scrape'] as const) await createJob(store, { kind });
      const { id } = await createJob(store, on('https://b.test/'));
      await store.jobs.cancel(org, id);
      await createJob(store, { org: 'other' });
      const none = { starting: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
      const { jobs } = store;
      expect(await jobs.count(org, {})).toEqual({ counts: { ...none, starting: 3, cancelled: 1 }, isCut: false });
      expect(await jobs.count(org, { kinds: ['crawl'] })).toMatchObject({ counts: { starting: 2, cancelled: 1 } });
      expect(await jobs.count(org, { q: 'b.test' })).toEqual({ counts: { ...none, cancelled: 1 }, isCut: false });
      expect(await jobs.count('nobody', {})).toEqual({ counts: none, isCut: false });
    });

    it('jobs.list and jobs.count: search at most searchedMax jobs, and return where to continue', async () => {
      const { jobs } = store;
      const old = await createJob(store, on('https://needle.test/'));
      const others = [await createJob(store), await createJob(store), await createJob(store)];
      const query = { q: 'needle', limit: 10, searchedMax: 3 };
      expect(await jobs.list(org, query)).toEqual({ jobs: [], next: others[0]?.id });
      expect(await jobs.list(org, { ...query, after: others[0]!.id })).toEqual({
        jobs: [expect.objectContaining({ id: old.id })],
      });
      expect(await jobs.count(org, query)).toMatchObject({ counts: { starting: 0 }, isCut: true });
    });
  });

  describe('lists of URLs', () => {
    /** A job of five URLs: `/`, and those that a function names, found on `/` or on the first of these. */
    const crawled = async () => {
      const job = await createJob(store);
      await crawl(store, (request) => {
        if (request.url === 'https://a.test/')
          return scraped(request, [link('/Guide/Start'), link('/100%25_sure'), link('/gone', { discard })]);
        return scraped(request, request.url.endsWith('Start') ? [link('/guide/end'), link('/gone')] : []);
      });
      return job.id;
    };
    const discard = { reason: 'off_host' } as const;
    const paths = async (id: string, query: Partial<LedgerQuery>): Promise<readonly string[]> =>
      (await store.jobs.listUrls(id, { after: 0, limit: 100, ...query })).entries.map(
        ({ url }) => new URL(url).pathname,
      );

    it('jobs.listUrls: finds part of a URL in any case, and treats wildcards as characters', async () => {
      const id = await crawled();
      expect(await paths(id, { q: '/GUIDE' })).toEqual(['/Guide/Start', '/guide/end']);
      expect(await paths(id, { q: 'a.test/g', status: 'scraped' })).toEqual(['/Guide/Start', '/gone', '/guide/end']);
      expect(await paths(id, { q: '5_S' })).toEqual(['/100%25_sure']);
      for (const nothing of ['b_test', '/%/', '\\', "'", 'key ', '\uD800'])
        expect(await paths(id, { q: nothing }), nothing).toEqual([]);
    });

    it('jobs.listUrls: filters by the page that a URL was first found on, also with other filters', async () => {
      const id = await crawled();
      const on = (path: string): string => link(path).key;
      expect(await paths(id, { foundOn: on('/') })).toEqual(['/Guide/Start', '/100%25_sure']);
      expect(await paths(id, { foundOn: on('/Guide/Start'), q: 'END' })).toEqual(['/guide/end']);
      expect(await paths(id, { foundOn: on('/guide/end') })).toEqual([]);
      expect(await paths(id, { foundOn: on('/nowhere') })).toEqual([]);
      expect(await paths(id, { foundOn: on('/'), reason: 'off_host' })).toEqual([]);
    });

    it('jobs.listUrls: compares at most searchedMax URLs, and returns where to continue', async () => {
      const { id } = await createJob(store);
      await crawl(store, (request) => scraped(request, request.depth === 0 ? links(9) : []));
      const read = (after: number) => store.jobs.listUrls(id, { after, limit: 2, q: '/8', searchedMax: 4 });
      const all = await listAll(store, id);
      expect(await read(0)).toEqual({ entries: [], searchedTo: all[3]!.entry });
      expect(await read(all[3]!.entry)).toEqual({ entries: [], searchedTo: all[7]!.entry });
      expect(await read(all[7]!.entry)).toEqual({ entries: [expect.objectContaining({ url: link('/8').url })] });
      const full = await store.jobs.listUrls(id, { after: 0, limit: 2, q: '/', searchedMax: 4 });
      expect(full).toEqual({ entries: all.slice(0, 2) });
    });
  });

  describe('trees of URLs', () => {
    const none = { queued: 0, scraped: 0, discarded: 0, failed: 0, outside: 0 };
    const startLinks = [
      '/',
      '/docs',
      '/docs/',
      '/docs/a?b=/c#d',
      '/docs/a/b',
      '/docsets/e',
      '/x%2Fy/z',
      '/?q=/docs/',
    ].map((path) => link(path, { depth: 0 }));
    const elsewhere = {
      ...link('/docs/a', { host: 'b.test:443', depth: 0 }),
      discard: { reason: 'off_host' } as const,
    };
    const treeOf = async (id: string, query: Partial<TreeQuery> = {}) => {
      const tree = await store.jobs.countTree(id, { depth: 1, ...query });
      return Object.fromEntries(tree?.groups.map(({ path, ...counts }) => [path.join(' > '), counts]) ?? []);
    };

    it('jobs.countTree: counts URLs by origin and by the segments below a prefix', async () => {
      const { id } = await createJob(store, { startLinks: [...startLinks, elsewhere] });
      expect(await treeOf(id)).toEqual({
        'https://a.test': { ...none, queued: 8 },
        'https://b.test': { ...none, outside: 1 },
      });
      const queued = (count: number) => ({ ...none, queued: count });
      expect(await treeOf(id, { prefix: 'https://a.test/' })).toEqual({
        '': queued(2),
        docs: queued(4),
        docsets: queued(1),
        'x%2Fy': queued(1),
      });
      expect(await treeOf(id, { prefix: 'https://a.test/docs/', depth: 2 })).toEqual({
        '': queued(1),
        a: queued(1),
        'a > b': queued(1),
      });
      expect(await treeOf(id, { depth: 2 })).toMatchObject({
        'https://a.test > ': queued(2),
        'https://a.test > docs': queued(4),
        'https://b.test > docs': { discarded: 0, outside: 1 },
      });
      expect(await treeOf(id, { prefix: 'https://a.test/doc/' })).toEqual({});
      expect(await store.jobs.countTree('nope', { depth: 1 })).toBeUndefined();
    });

    it('jobs.countTree: counts the unfinished URLs of an ended job as discarded', async () => {
      const { id } = await createJob(store, { startLinks });
      await crawlOne(store);
      await store.jobs.cancel(org, id);
      expect(await treeOf(id)).toEqual({ 'https://a.test': { ...none, scraped: 1, discarded: 7 } });
    });

    it('jobs.countTree: returns the largest groups and counts the others', async () => {
      const many = links(treeGroupsMax + 20, '/one', { depth: 0 });
      const { id } = await createJob(store, { startLinks: [...many, ...links(3, '/more/', { depth: 0 })] });
      const tree = await store.jobs.countTree(id, { prefix: 'https://a.test/', depth: 1 });
      expect(tree?.groups).toHaveLength(treeGroupsMax);
      expect(tree?.groups[0]).toMatchObject({ path: ['more'], queued: 3 });
      expect(tree?.others).toEqual({ ...none, queued: 21 });
    });
  });

  describe('series of a job', () => {
    it('crawlStatus.sample: returns the counters and the fetched bytes of a job', async () => {
      const { id } = await createJob(store);
      const { held, requests } = await leaseAndTake(store);
      const [request] = requests;
      const retry = { kind: 'retry', afterMs: 0, error: { reason: 'reset', message: 'Closed.' } } as const;
      await store.frontier.settle(held, [{ ...settlement(request!, retry), bytes: 3_000_000_000 }]);
      const [again] = await store.frontier.take(held, 1);
      await store.frontier.settle(held, [{ ...settlement(again!, scraped(again!, links(2))), bytes: 7 }]);
      await store.frontier.release(held);
      const progress = { queued: 2, inFlight: 0, scraped: 1, discarded: 0, failed: 0, outside: 0 };
      expect(await store.crawlStatus.sample([id, 'nope'])).toEqual([
        { id, hasEnded: false, findings: [], progress, bytes: 3_000_000_007 },
      ]);
      await store.jobs.cancel(org, id);
      expect(await store.crawlStatus.sample([id])).toMatchObject([
        { hasEnded: true, findings: ['cancelled'], bytes: 3_000_000_007 },
      ]);
      expect(await getJob(store, id)).toMatchObject({ fetchedBytes: 3_000_000_007 });
    });

    it('jobs.readSeries: returns what was written last, until the results are gone', async () => {
      const { id } = await createJob(store);
      expect(await store.jobs.readSeries(id)).toBeUndefined();
      await store.jobs.writeSeries(id, 'one');
      await store.jobs.writeSeries(id, 'two');
      await store.jobs.writeSeries('nope', 'three');
      expect(await store.jobs.readSeries(id)).toBe('two');
      await store.jobs.delete(org, id);
      expect(await store.jobs.readSeries(id)).toBeUndefined();
      await store.jobs.writeSeries(id, 'four');
      while ((await store.sweep()).more);
      expect(await store.jobs.readSeries(id)).toBeUndefined();
    });
  });

  describe('lists of hosts', () => {
    const on = (...hosts: string[]) => ({
      startLinks: hosts.map((host) => link('/', { host: `${host}.test:443`, depth: 0 })),
    });
    const hostsOf = async (query: Partial<HostQuery> = {}, of = org) =>
      (await store.jobs.hosts(of, { after: 0, limit: 10, ...query })).hosts.map(({ host }) => host.split('.')[0]);

    it('jobs.hosts: lists the hosts that unfinished jobs of the org wait for', async () => {
      const first = await createJob(store, on('a', 'b'));
      const second = await createJob(store, on('b', 'docs-c'));
      await createJob(store, { ...on('d'), org: 'other' });
      expect(await hostsOf()).toEqual(['a', 'b', 'docs-c']);
      expect(await hostsOf({ q: 'DOCS' })).toEqual(['docs-c']);
      expect(await hostsOf({ jobId: first.id })).toEqual(['a', 'b']);
      expect(await hostsOf({ jobId: first.id }, 'other')).toEqual([]);
      expect(await hostsOf({}, 'other')).toEqual(['d']);
      const { hosts } = await store.jobs.hosts(org, { after: 0, limit: 10, q: 'b.test' });
      expect(hosts).toEqual([
        { host: 'b.test:443', jobs: [second.id, first.id], isLeased: false, delayMs: 0, waitMs: 0 },
      ]);
      await store.jobs.cancel(org, first.id);
      expect(await hostsOf()).toEqual(['b', 'docs-c']);
    });

    it('jobs.hosts: continues after a position, and reports leased and postponed hosts', async () => {
      await createJob(store, on('a', 'b', 'c'));
      const page = await store.jobs.hosts(org, { after: 0, limit: 2 });
      expect(page.hosts).toHaveLength(2);
      expect(await hostsOf({ after: page.next! })).toEqual(['c']);
      const { held, requests } = await leaseAndTake(store);
      const leased = async () => (await store.jobs.hosts(org, { after: 0, limit: 10 })).hosts;
      expect(await leased()).toContainEqual(expect.objectContaining({ host: held.host, isLeased: true }));
      const retry = { kind: 'retry', afterMs: 60_000, error: { reason: 'reset', message: 'Closed.' } } as const;
      await store.frontier.settle(
        held,
        requests.map((request) => settlement(request, retry)),
      );
      await store.frontier.release(held);
      const waiting = (await leased()).find(({ host }) => host === held.host);
      expect(waiting).toMatchObject({ isLeased: false });
      expect(waiting?.waitMs).toBeGreaterThan(30_000);
    });
  });
}
