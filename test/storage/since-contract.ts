// What every store promises about jobs with `since`: a part of the contract suite.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Job, JobSpec } from '../../src/core/job.ts';
import type { Link, Outcome, Request } from '../../src/core/request.ts';
import { sourceIn, withSource } from '../../src/core/page-traits.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { parsePage } from '../../src/page/decode.ts';
import {
  crawl,
  createJob,
  getJob,
  ledgerOf,
  link,
  links,
  newJob,
  type OpenDatabase,
  org,
  pagesOf,
  scraped,
  wholeJob,
} from './test-data.ts';

const unchanged = { kind: 'unchanged', evidence: '304', statusCode: 304 } as const satisfies Outcome;
const gone = {
  kind: 'failed',
  error: { reason: 'http_error', message: 'gone', statusCode: 404 },
} as const satisfies Outcome;
const [startLinks, later] = [[link('/', { depth: 0 })], { outputExpirySeconds: 3_600 }];

export function describeSince(createDatabase: () => Promise<OpenDatabase>): void {
  let database: OpenDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await database.open({ crawling: true });
    await store.frontier.recover({ delayMs: 0 });
  });
  afterEach(() => database.remove());

  const since = (job: Pick<Job, 'id'>, spec: Partial<JobSpec> = {}): Promise<Job> =>
    createJob(store, { startLinks, spec: { ...later, ...spec, baseline: { of: job.id, isSame: true } } });
  /** Queues all URLs of the earlier job, some at a time. */
  const seed = async (id: string, atOnce = 2): Promise<void> => {
    for (;;) {
      const earlier = await store.baselines.read(id, atOnce);
      if (!earlier) return;
      const { after, urls } = earlier;
      const upTo = urls.at(-1)?.entry ?? after;
      const found = urls.map(({ url, depth }) => link(new URL(url).pathname, { depth }));
      expect(await store.baselines.add(id, { after, upTo, links: found, isLast: urls.length < atOnce })).toBe(true);
    }
  };
  const site = (request: Request): Outcome => scraped(request, new URL(request.url).pathname === '/' ? links(4) : []);
  const first = async (): Promise<Job> => {
    const job = await createJob(store, { startLinks, spec: later });
    await crawl(store, site);
    return getJob(store, job.id);
  };
  const textOf = async (id: string): Promise<unknown[]> => {
    const slice = await store.pages.read({ ...wholeJob, jobId: id, withText: true });
    return (slice?.pages ?? []).map(({ page, body }) => [page, body?.length]);
  };
  const sweepAll = async (): Promise<void> => {
    for (let steps = 0; (await store.sweep()).more; steps++) if (steps > 200) throw new Error('the sweep does not end');
  };

  it('since: shares the texts of pages that are unchanged, and counts what became of the others', async () => {
    const one = await first();
    const two = await since(one);
    await seed(two.id);
    await crawl(store, (request) => {
      const { pathname } = new URL(request.url);
      expect(request.earlier === null).toBe(pathname === '/new');
      if (pathname === '/1') return gone;
      if (pathname === '/2') return scraped(request, [link('/new')], { text: 'another text', change: 'changed' });
      return request.earlier ? unchanged : scraped(request);
    });
    expect(await getJob(store, two.id)).toMatchObject({
      status: 'succeeded',
      changes: { added: 1, changed: 1, moved: 0, unchanged: 3, removed: 0, unknown: 1 },
    });
    expect(await ledgerOf(store, two.id)).toMatchObject({
      '/1': 'failed http_404',
      '/3': 'scraped',
      '/new': 'scraped',
    });
    expect(Object.values(await pagesOf(store, two.id)).toSorted()).toEqual(
      ['/', '/2', '/3', '/4', '/new'].map((path) => `https://a.test${path}`),
    );
    expect(await database.count('body')).toBe(10);
  });

  it.each(['304', 'bytes', 'lastmod'] as const)(
    'since: says again what was remarked on a page that is unchanged: %s',
    async (evidence) => {
      const source = { bytes: 'digest', options: 'same', program: 'one' };
      const one = await createJob(store, { startLinks, spec: later });
      await crawl(store, (request) => {
        const links = new URL(request.url).pathname === '/' ? [link('/1')] : [];
        return scraped(request, links, {
          traits: withSource('60 page en form', source, links.length > 0 ? [] : ['truncated']),
        });
      });
      let last = await getJob(store, one.id);
      for (let run = 0; run < 2; run++) {
        last = await since(last);
        await seed(last.id);
        await crawl(store, () => ({ kind: 'unchanged', evidence, statusCode: 200, validator: `"run ${run}"` }));
        last = await getJob(store, last.id);
        expect(last.changes).toMatchObject({ unchanged: 2 });
        expect(last.findings).toMatchObject([{ code: 'truncated', count: 1, example: 'https://a.test/1' }]);
      }
      const three = await since(last);
      await seed(three.id);
      const asked: Request[] = [];
      await crawl(store, (request) => (asked.push(request), unchanged));
      expect(asked.map(({ earlier }) => earlier?.validator)).toEqual(['"run 1"', '"run 1"']);
      expect(asked.map(({ earlier }) => sourceIn(earlier?.traits)?.bytes)).toEqual(['digest', 'digest']);
    },
  );

  it.each([
    ['program', { program: 'two' }],
    ['program', { program: 'two', options: 'other' }],
    ['options', { options: 'other' }],
    [null, { bytes: 'other', program: 'two' }],
    [null, { bytes: '-', program: 'two' }],
  ])('since: says of a changed page that it was the %s: %j', async (reason, now) => {
    const source = { bytes: 'digest', options: 'same', program: 'one' };
    const one = await createJob(store, { startLinks, spec: later });
    await crawl(store, (request) => scraped(request, [], { traits: withSource('60 page en form', source) }));
    const two = await since(await getJob(store, one.id));
    await seed(two.id);
    await crawl(store, (request) => {
      // Hardly a word is left: of other bytes this would be doubted.
      const traits = withSource(reason === null ? '60 page en form' : '1 page en form', { ...source, ...now });
      return scraped(request, [], { text: 'another text', change: 'changed', traits });
    });
    const query = { org, jobId: two.id, after: 0, limit: 9 };
    expect((await store.changes.read(query))?.changes).toMatchObject([{ change: 'changed', reason }]);
  });

  it('since: gives a URL its earlier page that the job finds before it is queued', async () => {
    const one = await first();
    const two = await since(one);
    await crawl(store, (request) => (request.earlier ? unchanged : scraped(request)));
    expect((await getJob(store, two.id)).status).toBe('running');
    await seed(two.id, 100);
    await crawl(store, (request) => (request.earlier ? unchanged : scraped(request)));
    expect(await getJob(store, two.id)).toMatchObject({ changes: { added: 0, unchanged: 5 }, status: 'succeeded' });
  });

  it.each<[which: string, path: string, other: string, isSeededFirst: boolean]>([
    ['a redirect that is found before its target is queued', '/1', '/r', false],
    ['a redirect that is found before its target was asked for', '/1', '/r', true],
    ['the target of a redirect that was not asked for yet', '/r', '/t', true],
  ])('since: %s is no page of its own', async (_, path, other, isSeededFirst) => {
    const keyOf = (name: string): string => link(name).key;
    const one = await createJob(store, { startLinks, spec: later });
    await crawl(store, (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/') return scraped(request, [...links(2), ...(path === '/r' ? [link('/r')] : [])]);
      return scraped(request, [], { fetchedKey: keyOf(pathname === '/r' ? '/t' : pathname) });
    });
    const two = await since(one);
    const answer = (request: Request): Outcome => {
      const { pathname } = new URL(request.url);
      const change = request.earlier ? ({ change: 'changed' } as const) : {};
      if (pathname === '/') return scraped(request, [link(other)], { text: 'with another link', ...change });
      const isPair = pathname === path || pathname === other;
      if (!isPair) return unchanged;
      return scraped(request, [], { text: 'new', fetchedKey: keyOf(path === '/r' ? '/t' : path), ...change });
    };
    if (isSeededFirst) await seed(two.id);
    const { lease, requests } = (await store.frontier.leaseHosts({ takes: true }))[0]!;
    const settle = (some: readonly Request[]): Promise<unknown> =>
      store.frontier.settle(
        lease,
        some.map((request) => ({ request, outcome: answer(request), fetched: true })),
      );
    await settle(requests.filter(({ url }) => new URL(url).pathname === '/'));
    const found = [...requests, ...(await store.frontier.take(lease, 100))];
    await settle(found.filter(({ url }) => new URL(url).pathname === other));
    expect((await ledgerOf(store, two.id))[other]).toBe('queued');
    await settle(found.filter(({ url }) => !['/', other].includes(new URL(url).pathname)));
    await store.frontier.release(lease);
    if (!isSeededFirst) await seed(two.id);
    while ((await getJob(store, two.id)).status === 'running') {
      await crawl(store, answer);
      await store.frontier.waitForWork(50, AbortSignal.timeout(1_000));
    }
    expect((await getJob(store, two.id)).changes).toMatchObject({
      added: 0,
      changed: 2,
      moved: 0,
      removed: 0,
      unknown: 0,
    });
    expect(await ledgerOf(store, two.id)).toMatchObject({ [path]: 'scraped', [other]: 'discarded duplicate_of' });
  });

  it('since: adds nothing when another process has added it, or the job has ended', async () => {
    const one = await first();
    const two = await since(one);
    const urls = { after: 0, upTo: 1_000_000, links: links(2), isLast: false };
    expect(await store.baselines.add(two.id, urls)).toBe(true);
    expect(await store.baselines.add(two.id, urls)).toBe(false);
    await store.jobs.cancel(org, two.id);
    expect(await store.baselines.add(two.id, { ...urls, after: 1_000_000, upTo: 2_000_000 })).toBe(false);
    expect(await getJob(store, two.id)).toMatchObject({ isSeeding: true, changes: { removed: 0, unknown: 3 } });
  });

  it('since: a cancelled job removes nothing', async () => {
    const one = await first();
    const two = await since(one);
    await seed(two.id);
    const [leased] = await store.frontier.leaseHosts({ takes: true });
    const asked = leased!.requests.filter(({ url }) => url.endsWith('/1'));
    await store.frontier.settle(
      leased!.lease,
      asked.map((request) => ({ request, outcome: gone, fetched: true })),
    );
    expect(await store.jobs.cancel(org, two.id)).toMatchObject({ changes: { removed: 0, unknown: 5 } });
  });

  it('since: a later job keeps the texts that it names when earlier jobs are swept, and the last one removes them', async () => {
    const one = await first();
    const texts = await textOf(one.id);
    const two = await since(one);
    // Its pages are not handed on yet.
    await store.jobs.delete(org, one.id);
    await sweepAll();
    await seed(two.id);
    await crawl(store, (request) =>
      request.url.endsWith('/2') ? scraped(request, [], { text: 'another text', change: 'changed' }) : unchanged,
    );
    await sweepAll();
    // The text that has changed is named as the one before.
    expect(await database.count('body')).toBe(5 + 5);
    expect(await textOf(two.id)).toHaveLength(texts.length);
    const three = await since(two);
    await seed(three.id);
    await crawl(store, () => unchanged);
    const shared = await textOf(three.id);
    await store.jobs.delete(org, two.id);
    await sweepAll();
    expect(await textOf(three.id)).toEqual(shared);
    expect(await database.count('body')).toBe(5 + 5);
    await store.jobs.delete(org, three.id);
    await sweepAll();
    expect([await database.count('body'), await database.count('page'), await database.count('ledger')]).toEqual([
      0, 0, 0,
    ]);
  });

  it('since: a page is erased in every job that shares its text, also if the first of them is gone', async () => {
    const one = await first();
    const two = await since(one);
    await seed(two.id);
    await crawl(store, () => unchanged);
    const three = await since(two);
    await seed(three.id);
    await crawl(store, () => unchanged);
    await store.jobs.delete(org, one.id);
    await sweepAll();
    const erased = await store.erasures.erase({ org, jobId: three.id, page: 3, withUrl: false });
    expect(erased).toMatchObject({
      jobs: expect.toSatisfy((ids: string[]) => ids.includes(two.id) && ids.includes(three.id)),
    });
    const lengths = await Promise.all([two.id, three.id].map(textOf));
    const whole = lengths[0]![0] as [number, number];
    for (const texts of lengths)
      expect(texts.filter((text) => (text as [number, number])[1] < whole[1] - 5)).toHaveLength(1);
    const four = await since(three);
    await seed(four.id);
    await crawl(store, (request) => (request.earlier ? unchanged : scraped(request)));
    // The site still has the page: it is a new one.
    expect((await getJob(store, four.id)).changes).toMatchObject({ added: 1, unchanged: 4, removed: 0, unknown: 0 });
    const slice = await store.pages.read({ ...wholeJob, jobId: four.id, withText: true });
    expect(slice!.pages.map(parsePage).filter(({ meta }) => meta.meta['erasedAt'] !== undefined)).toEqual([]);
  });

  it('since: knows when each page was asked for last, and its lastmod then, only where pages can go without a request', async () => {
    const dated = (lastmod: string): Link[] => links(3, '/', { lastmod });
    const asking = async (of: Job, spec: Partial<JobSpec>, outcomeOf: (request: Request) => Outcome): Promise<Job> => {
      const baseline = { of: of.id, isSame: true };
      const job = await createJob(store, { startLinks, spec: { ...later, ...spec, baseline } });
      await seed(job.id);
      await crawl(store, outcomeOf);
      return getJob(store, job.id);
    };
    const seen: Request[] = [];
    const see =
      (outcome: Outcome, found: readonly Link[] = []) =>
      (request: Request): Outcome => {
        seen.push(request);
        if (new URL(request.url).pathname === '/') return scraped(request, found, { change: 'unchanged' });
        return outcome;
      };
    const begun = Date.now();
    const one = await createJob(store, { startLinks, spec: later });
    await crawl(store, (request) => scraped(request, new URL(request.url).pathname === '/' ? dated('2026-01-01') : []));
    const whole = await getJob(store, one.id);
    await asking(whole, {}, see(unchanged));
    expect(seen.map(({ earlier, lastmod }) => [earlier?.asked, lastmod])).toEqual(seen.map(() => [null, undefined]));

    const trusting = { trustLastmod: true };
    seen.length = 0;
    const two = await asking(whole, trusting, see(unchanged, dated('2026-02-02')));
    const of = (path: string): Request => seen.find(({ url }) => new URL(url).pathname === path)!;
    const first = of('/2').earlier!.asked!;
    expect(first).toEqual({ at: expect.any(Number) as number, lastmod: '2026-01-01' });
    expect(first.at).toBeGreaterThanOrEqual(begun - 1_000);
    expect(first.at).toBeLessThanOrEqual(Date.now() + 1_000);

    // A page that was asked for has the lastmod of that job; one that was not, that of the one before.
    seen.length = 0;
    const three = await asking(two, trusting, see({ kind: 'unchanged', evidence: 'lastmod' }, dated('2026-03-03')));
    const second = of('/2').earlier!.asked!;
    expect(second).toEqual({ at: expect.any(Number) as number, lastmod: '2026-02-02' });
    expect(second.at).toBeGreaterThanOrEqual(first.at);
    expect(three).toMatchObject({ changes: { unchanged: 4 }, status: 'succeeded', complete: true });
    const unasked = await store.frontier.knownUrl(three.id, link('/2').key);
    expect(unasked).toMatchObject({ state: 'scraped', statusCode: null, attempts: 0 });

    seen.length = 0;
    const failed = await asking(
      three,
      trusting,
      see({ kind: 'failed', error: { reason: 'timeout', message: 'slow' } }),
    );
    expect(of('/2').earlier!.asked).toEqual(second);
    // Nobody knows how it is: it must be asked for.
    seen.length = 0;
    await asking(failed, trusting, see(unchanged));
    expect(of('/2').earlier).toMatchObject({ asked: null });
  });

  const traits = { long: '60 page en form', ill: '3 page en other', shut: '60 page en other asks' };
  const timeout = { kind: 'failed', error: { reason: 'timeout', message: 'slow' } } as const satisfies Outcome;
  /** A run in which `/1` answers like this. */
  const night = async (
    before: Job,
    answer: 'gone' | 'ill' | 'shut' | 'unread' | 'page',
    confirmRuns = 2,
  ): Promise<Job> => {
    const job = await since(before, { confirmRuns });
    await seed(job.id, 100);
    await crawl(store, (request) => {
      if (!request.url.endsWith('/1') || answer === 'page') return request.earlier ? unchanged : scraped(request);
      if (answer === 'gone') return gone;
      if (answer === 'unread') return timeout;
      return scraped(request, [], {
        text: answer,
        traits: traits[answer],
        ...(request.earlier && { change: 'changed' }),
      });
    });
    return getJob(store, job.id);
  };
  const firstWithTraits = async (): Promise<Job> => {
    const job = await createJob(store, { startLinks, spec: later });
    await crawl(store, (request) =>
      scraped(request, new URL(request.url).pathname === '/' ? links(4) : [], { traits: traits.long }),
    );
    return getJob(store, job.id);
  };
  const nights = <Answer extends string>(count: number, answer: Answer): Answer[] => Array<Answer>(count).fill(answer);

  it.each<
    [
      what: string,
      answers: readonly Parameters<typeof night>[1][],
      taken: 'removed' | 'changed' | undefined,
      confirmRuns?: number,
    ]
  >([
    ['gone, for two nights', nights(2, 'gone'), 'removed'],
    ['gone, with a night between on which it was not read', ['gone', 'unread', 'gone'], 'removed'],
    ['gone, with a night between on which it was there', ['gone', 'page', 'gone'], undefined],
    ['gone, ill and gone again', ['gone', 'ill', 'gone'], undefined],
    ['ill, for nine nights', nights(9, 'ill'), undefined],
    ['ill, for ten nights', nights(10, 'ill'), 'changed'],
    ['ill, for nine nights and one on which it was not read', [...nights(9, 'ill'), 'unread'], undefined],
    ['shut, for twelve nights', nights(12, 'shut'), undefined],
    ['gone, for a night that is enough', ['gone'], 'removed', 1],
    ['gone, for two nights of three', nights(2, 'gone'), undefined, 3],
    ['gone, for three nights of three', nights(3, 'gone'), 'removed', 3],
    ['ill, for five nights where one is enough of what is gone', nights(5, 'ill'), 'changed', 1],
    ['ill, for four nights where one is enough of what is gone', nights(4, 'ill'), undefined, 1],
  ])('since: a page that is %s is taken so only when its kind came often enough', async (_, answers, taken, runs) => {
    let last = await firstWithTraits();
    const texts = await textOf(last.id);
    for (const [index, answer] of answers.entries()) {
      last = await night(last, answer, runs);
      const isTaken = index === answers.length - 1 && taken !== undefined;
      const unknown = answer === 'page' || isTaken ? 0 : 1;
      expect(last.changes, `night ${index}`).toEqual({
        added: 0,
        changed: isTaken && taken === 'changed' ? 1 : 0,
        moved: 0,
        removed: isTaken && taken === 'removed' ? 1 : 0,
        unchanged: answer === 'page' ? 5 : 4,
        unknown,
      });
    }
    if (taken) return;
    // The text of the first night counts on.
    const back = await night(last, 'page');
    expect(back.changes).toMatchObject({ unchanged: 5, unknown: 0 });
    expect(await textOf(back.id)).toHaveLength(texts.length);
  });

  it.each([
    ['gone', 'removed', { removed: 1, unknown: 0 }, { added: 0, changed: 0, moved: 0, removed: 0 }],
    ['ill', 'changed', { removed: 0, unknown: 1 }, { changed: 1, unknown: 0 }],
    ['shut', 'changed', { removed: 0, unknown: 1 }, { changed: 1, unknown: 0 }],
  ] as const)('since: a page that is %s is %s once a client accepts it', async (kind, _, accepted, next) => {
    const last = await night(await firstWithTraits(), kind);
    expect(last.changes).toMatchObject({ removed: 0, unknown: 1 });
    expect(await store.jobs.acceptChanges(org, last.id)).toMatchObject({ changes: accepted });
    expect((await night(last, kind)).changes).toMatchObject(next);
  });

  const same = { traits: '60 page en form same' };
  it.each([
    ['before it is found', ['/old', '/new'], { added: 0 }, ['moved']],
    ['after it was delivered', ['/new', '/old'], { added: 1 }, ['added', 'moved']],
    ['together with it', ['/old', '/new'], { added: 0 }, ['moved']],
  ])('since: a page whose URL leads to its text at another one %s has moved', async (when, order, counts, kinds) => {
    const one = await createJob(store, { startLinks, spec: later });
    await crawl(store, (request) => scraped(request, request.url.endsWith('/') ? [link('/old')] : [], same));
    const two = await since(one);
    await seed(two.id, 100);
    const answer = (request: Request): Outcome => {
      const { pathname } = new URL(request.url);
      if (pathname === '/')
        return scraped(request, [link('/new')], { text: 'with a link', change: 'changed', ...same });
      if (pathname === '/new') return scraped(request, [], { text: 'moved', change: 'added', ...same });
      const to = link('/new');
      return { kind: 'discarded', reason: 'duplicate_of', detail: to.url, leftTo: to.key, links: [to] };
    };
    const { lease, requests } = (await store.frontier.leaseHosts({ takes: true }))[0]!;
    const pathOf = ({ url }: Request): string => new URL(url).pathname;
    const settle = (some: readonly Request[]): Promise<unknown> =>
      store.frontier.settle(
        lease,
        some.map((request) => ({ request, outcome: answer(request), fetched: true })),
      );
    await settle(requests.filter((request) => pathOf(request) === '/'));
    const found = [...requests, ...(await store.frontier.take(lease, 100))];
    const inOrder = order.map((path) => found.filter((request) => pathOf(request) === path));
    if (when === 'together with it') await settle(inOrder.flat());
    else for (const some of inOrder) await settle(some);
    await store.frontier.release(lease);
    const { changes, status } = await getJob(store, two.id);
    expect({ changes, status }).toEqual({
      status: 'succeeded',
      changes: { changed: 1, moved: 1, unchanged: 0, removed: 0, unknown: 0, ...counts },
    });
    const read = await store.changes.read({ org, jobId: two.id, after: 0, limit: 10 });
    const [, ...rows] = read!.changes;
    expect(rows.map(({ change }) => change)).toEqual(kinds);
    const to = (await store.frontier.knownUrl(two.id, link('/new').key))!;
    expect(rows.at(-1)).toMatchObject({ url: link('/old').url, movedTo: link('/new').url, page: 2, previousPage: 2 });
    expect(to).toMatchObject({ state: 'scraped' });
    // The next job knows it at its new URL only.
    const three = await since(two);
    await seed(three.id, 100);
    await crawl(store, (request) => (request.earlier ? unchanged : answer(request)));
    expect((await getJob(store, three.id)).changes).toMatchObject({ added: 0, moved: 0, unchanged: 2, unknown: 0 });
  });

  it('since: refuses a job whose results are gone', async () => {
    const one = await first();
    await store.jobs.delete(org, one.id);
    expect(await store.jobs.create(newJob({ spec: { baseline: { of: one.id, isSame: true } } }))).toBe('gone');
  });
}
