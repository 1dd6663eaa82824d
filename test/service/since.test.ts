// `since`: what a job asks again, and what it says of the pages that an earlier job knew.
//
// How sites differ: with and without ETags and dates, pages that come, go, change and move, copies, redirects, bad nights,
// limits, deleted jobs, other options.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { type Living, startLivingSite } from './living-site.ts';
import { type JobAnswer, startService, type TestService } from './start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_UNREACHABLE_SECONDS: '5' } });
});
afterAll(() => service.close());

interface Row {
  readonly meta: {
    readonly page: number;
    readonly url: string;
    readonly meta: { readonly change?: string; readonly evidence?: string; readonly title: string };
  };
  readonly text: string;
}

const crawl = (body: Readonly<Record<string, unknown>>): Promise<JobAnswer> => service.crawl(body);
const since = (id: string, more: Readonly<Record<string, unknown>> = {}): Promise<JobAnswer> =>
  crawl({ since: id, ...more });

async function rowsOf(id: string): Promise<readonly Row[]> {
  const { body } = await service.raw(`/crawler/jobs/${id}/data`);
  return (JSON.parse(body.toString()) as { data: readonly Row[] }).data;
}
/** What is said of each page, by path. */
async function changesOf(id: string): Promise<Readonly<Record<string, string>>> {
  const rows = await rowsOf(id);
  return Object.fromEntries(
    rows.map(({ meta: { url, meta } }) => [
      new URL(url).pathname,
      [meta.change, meta.evidence].filter(Boolean).join(' '),
    ]),
  );
}
const textsOf = async (id: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await rowsOf(id)).map(({ meta, text }) => [new URL(meta.url).pathname, text]));
const first = async (site: Living, more: Readonly<Record<string, unknown>> = {}): Promise<JobAnswer> =>
  crawl({ urls: [`${site.origin}/`], ...more });

/** Where redirects from `/a` lead, and at last `/z`. */
const onTheWay = (hops: number): string[] => ['x', 'y', 'z'].slice(-hops);
const redirects = (hops: number): Readonly<Record<string, `redirect ${string}`>> =>
  Object.fromEntries(onTheWay(hops).map((to, hop) => [['a', ...onTheWay(hops)][hop], `redirect /${to}` as const]));
/** Texts of those pages, so that links lead to them. */
const redirected = (hops: number): Readonly<Record<string, string>> =>
  Object.fromEntries(onTheWay(hops).map((name) => [name, `Apples and ${name}`]));

describe.concurrent('since', () => {
  test.each([
    { validator: 'etag', evidence: '304' },
    { validator: 'date', evidence: '304' },
    { validator: 'none', evidence: 'bytes' },
  ] as const)(
    'says which pages are unchanged when the site gives as validator: $validator',
    async ({ validator, evidence }) => {
      const site = await startLivingSite({ validator, pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
      const one = await first(site);
      expect(one.progress.scraped).toBe(4);
      site.write({ b: 'Bees and wasps', d: 'Dew' });
      site.forget();
      const two = await since(one.id);
      expect(two).toMatchObject({
        since: one.id,
        changes: { added: 1, changed: 2, moved: 0, unchanged: 2, removed: 0, unknown: 0 },
      });
      expect(two).toMatchObject({ status: 'succeeded', complete: true });
      expect(await changesOf(two.id)).toEqual({
        '/': 'changed hash',
        '/a': `unchanged ${evidence}`,
        '/b': 'changed hash',
        '/c': `unchanged ${evidence}`,
        '/d': 'added',
      });
      expect(site.asked().toSorted()).toEqual(['/', '/a', '/b', '/c', '/d']);
      const [old, now] = [await textsOf(one.id), await textsOf(two.id)];
      expect(now['/a']).toBe(old['/a']);
      expect(now['/b']).toContain('Bees and wasps');
      // A third job compares with the second, whose texts are partly those of the first.
      const three = await since(two.id);
      expect(three['changes']).toMatchObject({ added: 0, changed: 0, moved: 0, unchanged: 5, removed: 0 });
      expect(await textsOf(three.id)).toEqual(now);
    },
  );

  test('removes what the site says is gone, and nothing else', async () => {
    const site = await startLivingSite({
      pages: { a: 'Apples', b: 'Bees', c: 'Clover', d: 'Dew', e: 'Elm', f: 'Fir', g: 'Grass' },
    });
    const one = await first(site);
    site.answer({ a: 404, b: 500, c: 403, d: 410, e: 'redirect /g' });
    const two = await since(one.id, { time_limit: 30 });
    expect(two['changes']).toEqual({ added: 0, changed: 0, moved: 0, unchanged: 3, removed: 0, unknown: 5 });
    expect(two.notices).toMatchObject([{ code: 'removals_held', count: 3 }]);
    site.answer({ b: 'page', c: 'page' });
    // What could not be asked is known still.
    const three = await since(two.id);
    expect(three['changes']).toEqual({ added: 0, changed: 0, moved: 0, unchanged: 5, removed: 3, unknown: 0 });
    expect(three).toMatchObject({ complete: true, notices: [] });
  });

  test('finds a page again that has moved, without calling it a copy', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
    const one = await first(site);
    site.answer({ a: 404 });
    site.write({ z: 'Apples' });
    const two = await since(one.id);
    expect(two['changes']).toMatchObject({ added: 1, removed: 0, unknown: 1 });
    expect((await changesOf(two.id))['/z']).toBe('added');
    const three = await since(two.id);
    expect(three['changes']).toMatchObject({ added: 0, removed: 1, unknown: 0 });
  });

  test('calls the copy of an unchanged page a copy again', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Apples' } });
    const one = await first(site);
    expect(one.progress).toMatchObject({ scraped: 3, discarded: 1 });
    const two = await since(one.id);
    expect(two['changes']).toEqual({ added: 0, changed: 0, moved: 0, unchanged: 3, removed: 0, unknown: 0 });
    expect(two.progress).toMatchObject({ scraped: 3, discarded: 1 });
  });

  test('removes nothing when more than half of the pages are gone, until a client accepts it', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
    const one = await first(site);
    site.answer({ a: 404, b: 404, c: 404 });
    const two = await since(one.id);
    expect(two['changes']).toMatchObject({ removed: 0, unknown: 3 });
    expect(two.findings).toMatchObject([{ code: 'shrunk', count: 3 }]);
    expect(two.complete).toBe(false);
    const three = await since(two.id);
    expect(three['changes']).toMatchObject({ removed: 0, unknown: 3 });
    expect(three.findings).toMatchObject([{ code: 'shrunk', count: 3 }]);
    await service.ok(`/crawler/jobs/${three.id}/changes/accept`, { method: 'POST' });
    expect((await service.job(three.id))['changes']).toMatchObject({ removed: 3, unknown: 0 });
  });

  test('delivers only what is new or changed when asked to, and keeps the rest for the next job', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
    const one = await first(site);
    const two = await since(one.id, { deliver: 'changed', page_limit: 1 });
    expect(two).toMatchObject({ status: 'succeeded', complete: true, deliver: 'changed' });
    expect(two.progress).toMatchObject({ scraped: 0, discarded: 3 });
    expect(two['reasons']).toEqual({ unchanged: 3 });
    site.write({ b: 'Bees and wasps' });
    const three = await since(two.id, { deliver: 'changed', page_limit: 100 });
    expect(await changesOf(three.id)).toEqual({ '/b': 'changed hash' });
    const four = await since(three.id, { deliver: 'all' });
    expect(Object.keys(await changesOf(four.id)).toSorted()).toEqual(['/', '/a', '/b']);
    expect((await textsOf(four.id))['/a']).toContain('Apples');
  });

  test('asks in full when the options that make a page are others', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
    const one = await first(site);
    site.forget();
    const two = await since(one.id, { output_format: 'text' });
    expect(site.conditional()).toEqual([]);
    expect(two.progress.scraped).toBe(3);
    site.forget();
    await since(two.id);
    expect(site.conditional().toSorted()).toEqual(['/', '/a', '/b']);
    site.forget();
    await since(two.id, { headers: { 'x-team': 'hay' } });
    expect(site.conditional()).toEqual([]);
  });

  test.each<[what: string, options: Readonly<Record<string, unknown>>, evidence: string | undefined]>([
    ['the same', {}, 'bytes'],
    ['another limit', { page_limit: 50 }, 'bytes'],
    ['deliver: changed', { deliver: 'changed' }, undefined],
    ['other globs, which need its links', { exclude_globs: ['/z'] }, 'hash'],
    ['another depth', { max_depth: 5 }, 'hash'],
    ['raw bodies, which are of their own time', { store_raw: true }, 'hash'],
    ['another shape', { images: 'none' }, 'hash'],
  ])('takes a page for unchanged by its bytes, or by its text: with options: %s', async (_, options, evidence) => {
    const site = await startLivingSite({ validator: 'none', pages: { a: 'Apples', b: 'Bees' } });
    site.answer({ b: { body: '<title>Bees</title><p>All about bees.' } });
    const one = await first(site, { content: 'auto' });
    const two = await since(one.id, options);
    expect(two['changes']).toEqual({ ...none, unchanged: 3, unknown: 0 });
    expect((await changesOf(two.id))['/b']).toBe(evidence && `unchanged ${evidence}`);
    // What a run knows passes on.
    const three = await since(two.id, { deliver: 'all' });
    const isRaw = options['store_raw'] === true;
    expect((await changesOf(three.id))['/b']).toBe(isRaw ? 'unchanged hash' : 'unchanged bytes');
    expect(await textsOf(three.id)).toEqual(await textsOf(one.id));
  });

  test('says that options changed a page whose bytes did not', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
    site.strew('Seen today.');
    const one = await first(site);
    site.write({ b: 'Bees and wasps' });
    const two = await since(one.id, { exclude_elements: '.seen' });
    const { data } = await service.ok<{ data: readonly { url: string; reason: string | null }[] }>(
      `/crawler/jobs/${two.id}/changes?change=changed`,
    );
    expect(Object.fromEntries(data.map(({ url, reason }) => [new URL(url).pathname, reason]))).toEqual({
      '/a': 'options',
      '/b': null,
    });
  });

  test('knows a page by its bytes after a night on which it was ill', async () => {
    const pages = names(4);
    const site = await startLivingSite({ validator: 'none', pages: proseOf(pages) });
    const one = await first(site);
    site.answer({ p0: backSoon });
    const two = await since(one.id);
    expect(two['changes']).toEqual({ ...none, unchanged: 4, unknown: 1 });
    site.answer({ p0: 'page' });
    const three = await since(two.id);
    expect((await changesOf(three.id))['/p0']).toBe('unchanged bytes');
  });

  test.each(['etag', 'none'] as const)(
    'takes an erased page for none by what the site gave with it: %s',
    async (validator) => {
      const site = await startLivingSite({ validator, pages: { a: 'Apples', b: 'Bees' } });
      const one = await first(site);
      const page = (await rowsOf(one.id)).find(({ meta }) => meta.url.endsWith('/a'))?.meta.page ?? 0;
      expect((await service.raw(`/crawler/jobs/${one.id}/pages/${page}/erase`, { method: 'POST' })).status).toBe(200);
      site.forget();
      const two = await since(one.id);
      expect(site.conditional()).not.toContain('/a');
      expect((await changesOf(two.id))['/a']).not.toMatch(/304|bytes/);
    },
  );

  test('sends no validator after a redirect', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
    site.answer({ a: 'redirect /elsewhere' });
    const one = await first(site);
    expect(one.progress.scraped).toBe(3);
    site.forget();
    const two = await since(one.id);
    expect(site.conditional().toSorted()).toEqual(['/', '/b']);
    expect(two['changes']).toMatchObject({ unchanged: 3 });
    // It has given a validator, and redirects since then.
    site.answer({ a: 'redirect /elsewhere', b: 'redirect /beyond' });
    site.forget();
    await since(two.id);
    expect(site.conditional().toSorted()).toEqual(['/', '/b']);
    expect(site.asked()).toContain('/beyond');
  });

  test.each(
    [1, 2].flatMap((hops) =>
      (['first', 'last'] as const).flatMap((target) =>
        (['same', 'changed'] as const).map((text) => ({ hops, target, text })),
      ),
    ),
  )(
    'a page that $hops redirects lead to keeps its URL when links lead to its own: $target, text $text',
    async ({ hops, target, text }) => {
      const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
      site.answer({ a: 'redirect /elsewhere', ...(hops === 2 && { elsewhere: 'redirect /beyond' }) });
      const end = hops === 2 ? 'beyond' : 'elsewhere';
      const one = await first(site);
      expect(one.progress).toMatchObject({ scraped: 3 });
      // The title of a page that is not written is its path.
      site.write({ [end]: text === 'same' ? `/${end}` : 'Other apples', ...(hops === 2 && { elsewhere: 'x' }) });
      site.forget();
      const gate = target === 'first' ? site.hold('/a') : undefined;
      const { id } = await service.ok<JobAnswer>('/crawler/jobs', { json: { since: one.id } });
      if (gate) {
        await vi.waitUntil(() => site.asked().includes(`/${end}`), { timeout: 20_000 });
        gate.open();
      }
      const two = await service.untilEnded(id);
      const changed = { added: 0, changed: text === 'same' ? 1 : 2, moved: 0, unchanged: text === 'same' ? 2 : 1 };
      expect(two['changes']).toEqual({ ...changed, removed: 0, unknown: 0 });
      expect(Object.keys(await changesOf(id)).toSorted()).toEqual(['/', '/a', '/b']);
      const three = await since(id);
      expect(three['changes']).toEqual({ added: 0, changed: 0, moved: 0, unchanged: 3, removed: 0, unknown: 0 });
    },
  );

  test('a page keeps its URL when a redirect to it is found first', async () => {
    const site = await startLivingSite({ pages: { b: 'Bees', z: 'Zebras' } });
    const one = await first(site);
    site.write({ a: 'x', z: 'Other zebras' });
    site.answer({ a: 'redirect /z' });
    const gate = site.hold('/z');
    const { id } = await service.ok<JobAnswer>('/crawler/jobs', { json: { since: one.id } });
    await vi.waitUntil(() => site.asked().includes('/a'), { timeout: 20_000 });
    gate.open();
    const two = await service.untilEnded(id);
    expect(two['changes']).toEqual({ added: 0, changed: 2, moved: 0, unchanged: 1, removed: 0, unknown: 0 });
    expect(Object.keys(await changesOf(id)).toSorted()).toEqual(['/', '/b', '/z']);
  });

  test('asks with another validator once the site has given one for the same text', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees' } });
    const one = await first(site);
    site.deploy();
    const two = await since(one.id);
    expect((await changesOf(two.id))['/a']).toBe('unchanged bytes');
    const three = await since(two.id);
    expect(await changesOf(three.id)).toEqual({ '/': 'unchanged 304', '/a': 'unchanged 304', '/b': 'unchanged 304' });
  });

  test('keeps pages for a night when some of them begin to show that the site is back soon', async () => {
    const pages = { a: 'Apples', b: 'Bees', c: 'Clover', d: 'Dew', e: 'Elm', f: 'Fir', g: 'Grass' };
    const site = await startLivingSite({ pages });
    const one = await first(site);
    site.write({ a: 'Back soon', b: 'Back soon', c: 'Back soon' });
    const two = await since(one.id);
    expect(two['changes']).toEqual({ added: 0, changed: 1, moved: 0, unchanged: 5, removed: 0, unknown: 2 });
    site.write({ a: 'Apples', b: 'Bees' });
    const three = await since(two.id);
    expect(three['changes']).toMatchObject({ added: 0, removed: 0, unknown: 0 });
    expect(await textsOf(three.id)).toMatchObject({ '/b': expect.stringContaining('Bees') });
  });

  test('removes pages that show one new text the next time too', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover', d: 'Dew' } });
    const one = await first(site);
    site.write({ a: 'Not here', b: 'Not here' });
    const two = await since(one.id);
    expect(two['changes']).toMatchObject({ changed: 1, removed: 0, unknown: 1 });
    const three = await since(two.id);
    expect(three['changes']).toMatchObject({ changed: 0, removed: 1, unknown: 0 });
  });

  test.each([1, 2, 3])(
    'since: keeps a page that %d redirects lead from to one that could not be read',
    async (hops) => {
      const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
      const one = await first(site);
      site.write(redirected(hops));
      site.answer({ ...redirects(hops), z: 400 });
      const two = await since(one.id);
      expect(two['changes']).toMatchObject({ removed: 0, unknown: 1 });
      // It was not read, so this night does not count.
      site.answer({ z: 'page' });
      const three = await since(two.id);
      expect(three['changes']).toMatchObject({ added: 1, removed: 0, unknown: 1 });
      const four = await since(three.id);
      expect(four['changes']).toMatchObject({ removed: 1, unknown: 0 });
    },
  );

  test.each([
    { hops: 1, status: 404, isLinked: false },
    { hops: 1, status: 410, isLinked: true },
    { hops: 2, status: 404, isLinked: true },
  ])(
    'since: removes a page that $hops redirects lead from to one that answers $status: linked $isLinked',
    async ({ hops, status, isLinked }) => {
      const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
      const one = await first(site);
      if (isLinked) site.write(redirected(hops));
      site.answer({ ...redirects(hops), z: status });
      const two = await since(one.id);
      expect(two['changes']).toMatchObject({ removed: 0, unknown: 1 });
      const three = await since(two.id);
      expect(three['changes']).toMatchObject({ removed: 1, unknown: 0 });
    },
  );

  test('says that a clock on each page makes all of them change, until it is left out', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const site = await startLivingSite({ pages: Object.fromEntries(names.map((name) => [name, `the page ${name}`])) });
    site.strew('It is noon.');
    const one = await first(site);
    site.strew('It is midnight.');
    const two = await since(one.id);
    expect(two['changes']).toMatchObject({ changed: 12, unchanged: 1 });
    expect(two).toMatchObject({ complete: true, notices: [{ code: 'all_changed', count: 12 }] });
    const three = await since(two.id, { exclude_elements: '.seen' });
    site.strew('It is noon.');
    const four = await since(three.id);
    expect(four['changes']).toMatchObject({ changed: 0, unchanged: 13 });
    expect(four.notices).toEqual([]);
    expect((await changesOf(four.id))['/p0']).toBe('unchanged hash');
  });

  test('keeps two pages that have swapped their texts', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
    const one = await first(site, { host_concurrency: 1 });
    site.write({ a: 'Bees', b: 'Apples' });
    const two = await since(one.id);
    expect(two['changes']).toEqual({ added: 0, changed: 2, moved: 0, unchanged: 2, removed: 0, unknown: 0 });
  });

  test('asks for what failed and what a limit left', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover', d: 'Dew' } });
    site.answer({ a: 404 });
    const one = await first(site, { page_limit: 2, host_concurrency: 1 });
    expect(one.progress.scraped).toBe(2);
    site.answer({ a: 'page' });
    const two = await since(one.id, { page_limit: 100 });
    expect(two['changes']).toEqual({ added: 3, changed: 0, moved: 0, unchanged: 2, removed: 0, unknown: 0 });
  });

  test('calls a page that the options no longer admit unknown, with the reason', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
    const one = await first(site);
    const two = await since(one.id, { exclude_globs: ['/a'] });
    expect(two['changes']).toEqual({ added: 0, changed: 0, moved: 0, unchanged: 3, removed: 0, unknown: 1 });
    expect(two['reasons']).toMatchObject({ excluded_by_glob: 1 });
    const three = await since(two.id, { exclude_globs: [] });
    expect(three['changes']).toMatchObject({ unchanged: 4, unknown: 0 });
  });
});

const vocabulary = 'hay meadow clover barn rake dew summer harvest field grass seed root stem leaf bloom wind'.split(
  ' ',
);
/** A text of its own for each name, in more than digits. */
const prose = (name: string, words = 100): string => {
  const own = name.replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
  return Array.from(
    { length: words },
    (_, index) => `${vocabulary[(index * name.length + index) % 16]}${index % 7 === 0 ? own : ''}`,
  ).join(' ');
};
const names = (count: number, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const proseOf = (pages: readonly string[]): Record<string, string> =>
  Object.fromEntries(pages.map((name) => [name, prose(name)]));
type Ending = Parameters<Living['answer']>[0][string];
const all = (pages: readonly string[], ending: Ending | ((name: string) => Ending)): Record<string, Ending> =>
  Object.fromEntries(pages.map((name) => [name, typeof ending === 'function' ? ending(name) : ending]));
const signIn = { body: '<title>Sign in</title><h1>Sign in</h1><form><input name=user><input type=password></form>' };
const backSoon = { body: '<title>Back soon</title><main><h1>Back soon</h1><p>We are working on it.</p></main>' };
const none = { added: 0, changed: 0, moved: 0, removed: 0 };

/** What is said of pages that are unknown, by reason. */
async function unknownOf(id: string): Promise<Readonly<Record<string, number>>> {
  const { data } = await service.ok<{ data: readonly { reason: string }[] }>(
    `/crawler/jobs/${id}/changes?change=unknown`,
  );
  const reasons = data.map(({ reason }) => reason);
  return Object.fromEntries(
    [...new Set(reasons)].map((one) => [one, reasons.filter((reason) => reason === one).length]),
  );
}

describe.concurrent('since: a bad night', () => {
  const lists = Array.from({ length: 50 }, (_, index) => `<li><a href="/p${index}">Page number ${index}</a></li>`).join(
    '',
  );
  const empty = (name: string): Ending => ({
    body: `<html lang=en><title>Site</title><nav><ul>${lists}</ul></nav><main></main><footer>Served in 0.${name.slice(1)}34 s</footer>`,
  });
  const french = (name: string): Ending => ({
    body: `<html lang=fr><title>${name}</title><main><p>${prose(name, 50)} chat</p></main>`,
  });

  test.each<[what: string, ending: Ending | ((name: string) => Ending), kind: string, finding: string]>([
    ['redirects to a sign-in page', 'redirect /login', 'shut', 'signed_out'],
    ['redirects to sign-in pages of their own', (name) => `redirect /login?next=${name}`, 'shut', 'signed_out'],
    ['is a sign-in page', signIn, 'shut', 'signed_out'],
    ['is a maintenance page', backSoon, 'ill', 'empty_pages'],
    ['is empty but for menus and a clock', empty, 'ill', 'empty_pages'],
    ['is in another language', french, 'ill', 'language_changed'],
    ['is JSON', { body: '{"error":"rate limit"}', type: 'application/json' }, 'ill', 'site_changed'],
    ['redirects to another host', (name) => `redirect http://elsewhere.test/${name}`, 'ill', 'site_changed'],
  ])('overwrites and removes nothing when a part of the site %s, two nights long', async (_, ending, kind, finding) => {
    const pages = names(30);
    const site = await startLivingSite({ pages: { ...proseOf(pages), login: 'x' } });
    site.answer({ login: 404 });
    const one = await first(site, { store_raw: true });
    expect(one.progress.scraped).toBe(31);
    site.answer({ ...all(pages.slice(0, 8), ending), login: signIn });
    site.answer(
      all(
        pages.slice(0, 8).map((name) => `login?next=${name}`),
        signIn,
      ),
    );
    for (let [night, last] = [0, one]; night < 2; night++) {
      last = await since(last.id);
      expect(last['changes']).toMatchObject({ changed: 0, removed: 0, unknown: 8 });
      expect(await unknownOf(last.id)).toEqual({ [kind]: 8 });
      expect(last.findings).toMatchObject([{ code: finding, count: 8 }]);
      expect(last.complete).toBe(false);
    }
  });

  test('two kinds of bad nights do not add up, and a night on which nothing is read does not count', async () => {
    const pages = names(20);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const ill = pages.slice(0, 5);
    const night = async (earlier: JobAnswer, ending: Ending): Promise<JobAnswer> => {
      site.answer(all(ill, ending));
      return since(earlier.id, { time_limit: 30 });
    };
    const one = await first(site);
    const gone = await night(one, 404);
    const unread = await night(gone, 403);
    const shut = await night(unread, signIn);
    expect(shut['changes']).toEqual({ ...none, unchanged: 16, unknown: 5 });
    const goneAgain = await night(shut, 404);
    expect(goneAgain['changes']).toEqual({ ...none, unchanged: 16, unknown: 5 });
    const unreadAgain = await night(goneAgain, 403);
    expect(unreadAgain['changes']).toEqual({ ...none, unchanged: 16, unknown: 5 });
    const third = await night(unreadAgain, 404);
    expect(third['changes']).toEqual({ ...none, unchanged: 16, removed: 5, unknown: 0 });
  });

  test('pages that redirect to an error page are unknown for a night, and then removed', async () => {
    const pages = names(12);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const one = await first(site);
    site.answer({ ...all(pages.slice(0, 4), 'redirect /elsewhere'), elsewhere: backSoon });
    const two = await since(one.id);
    expect(two['changes']).toMatchObject({ removed: 0, unknown: 4 });
    expect(await unknownOf(two.id)).toEqual({ gone: 4 });
    expect(two.complete).toBe(true);
    const three = await since(two.id);
    expect(three['changes']).toMatchObject({ removed: 4, unknown: 0 });
  });

  test.each([
    ['that nothing links to', false],
    ['that the home page links to', true],
  ])(
    'pages have moved that redirect to their text at a URL %s, and their links can lead elsewhere',
    async (_, isLinked) => {
      const pages = names(5);
      const bodyOf = (name: string, at: string): Ending => ({
        body: `<html lang=en><title>${name}</title><main><p>${prose(name)} <a href="${at}next">next</a></p></main>`,
      });
      const site = await startLivingSite({ pages: proseOf(pages) });
      site.answer(all(pages, (name) => bodyOf(name, '/')));
      const one = await first(site);
      const moved = pages.slice(0, 3);
      if (isLinked) site.write(proseOf(moved.map((name) => `new-${name}`)));
      site.answer({
        ...all(moved, (name) => `redirect /new-${name}`),
        ...Object.fromEntries(moved.map((name) => [`new-${name}`, bodyOf(name, '/new-')])),
        p3: 'redirect /elsewhere',
        elsewhere: backSoon,
      });
      const two = await since(one.id);
      // A page that was delivered before its old URL was asked for keeps its row.
      expect(two['changes']).toMatchObject({ moved: 3, removed: 0, unknown: 1, ...(!isLinked && { added: 0 }) });
      expect(await unknownOf(two.id)).toEqual({ gone: 1 });
      const { data } = await service.ok<{
        data: readonly { url: string; movedTo: string; page: number; text: string }[];
      }>(`/crawler/jobs/${two.id}/changes?change=moved&text=true`);
      const textOf = await textsOf(two.id);
      expect(Object.fromEntries(data.map(({ url, movedTo }) => [url, movedTo]))).toEqual(
        Object.fromEntries(moved.map((name) => [`${site.origin}/${name}`, `${site.origin}/new-${name}`])),
      );
      for (const { movedTo, text } of data) expect(text).toBe(textOf[new URL(movedTo).pathname]);
      expect(Object.keys(textOf).toSorted()).toEqual(['/', '/new-p0', '/new-p1', '/new-p2', '/p4']);
      const three = await since(two.id);
      expect(three['changes']).toMatchObject({ added: 0, changed: 0, moved: 0, removed: 1, unchanged: 5, unknown: 0 });
    },
  );

  test('a text that two other pages show is not taken for one of a third', async () => {
    const pages = names(12);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const one = await first(site);
    site.answer(
      all(pages.slice(0, 6), (name) => ({
        body: `<html lang=en><main><h1>Maintenance</h1><p>${prose('us', 40)} ticket ${name.slice(1)}1</p></main>`,
      })),
    );
    const two = await since(one.id);
    expect(two['changes']).toEqual({ ...none, changed: 2, unchanged: 7, unknown: 4 });
    expect(two.findings).toMatchObject([{ code: 'same_page', count: 4 }]);
  });

  test('pages whose texts differ in digits only are taken when all of them are written anew', async () => {
    const rates = (text: string): Record<string, string> =>
      Object.fromEntries(names(12).map((name) => [name, `${text} ${name.slice(1)}.17 ${name.slice(1)}.25`]));
    const site = await startLivingSite({ pages: rates(prose('one', 30)) });
    const one = await first(site);
    site.write(rates(prose('other', 30)));
    const two = await since(one.id);
    expect(two['changes']).toEqual({ ...none, changed: 12, unchanged: 1, unknown: 0 });
  });

  test('a site that moves to other paths, with redirects, has moved as a whole', async () => {
    const pages = names(20);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const bodyOf = (name: string, at: string): Ending => ({
      body: `<html lang=en><title>${name}</title><main><p>${prose(name)} <a href="${at}p0">first</a></p></main>`,
    });
    site.answer(all(pages, (name) => bodyOf(name, '/')));
    const one = await first(site);
    site.answer({
      ...all(pages, (name) => `redirect /new/${name}`),
      ...Object.fromEntries(pages.map((name) => [`new/${name}`, bodyOf(name, '/new/')])),
    });
    const two = await since(one.id);
    expect(two['changes']).toEqual({ ...none, moved: 20, unchanged: 1, unknown: 0 });
    expect([two.complete, two.findings]).toEqual([true, []]);
  });

  test('removes nothing in a night on which all pages redirect to another host', async () => {
    const pages = names(20);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const one = await first(site);
    site.answer(all(['', ...pages], (name) => `redirect http://elsewhere.test/${name}`));
    const two = await since(one.id);
    expect(two['changes']).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(two.complete).toBe(false);
    site.answer(all(['', ...pages], 'page'));
    const three = await since(two.id);
    expect(three['changes']).toMatchObject({ unchanged: 21, removed: 0, unknown: 0 });
  });

  test('a shop that takes out some products each night loses each one a night later', async () => {
    const pages = names(60);
    const site = await startLivingSite({ pages: proseOf(pages) });
    let last = await first(site);
    for (let night = 1; night <= 3; night++) {
      site.answer(all(pages.slice(0, night * 6), 404));
      last = await since(last.id);
      expect(last.complete).toBe(true);
      expect(last['changes']).toMatchObject({ changed: 0, removed: night === 1 ? 0 : 6, unknown: 6 });
    }
  });

  test('a site whose pages all have another text and another form is taken as it is', async () => {
    const pages = names(20);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const one = await first(site);
    site.answer(
      all(pages, (name) => ({
        body: `<html lang=en><body><div><h1>New ${name}</h1><div>${prose(`new${name}`, 40)}</div></div>`,
      })),
    );
    const two = await since(one.id);
    expect(two['changes']).toEqual({ ...none, changed: 20, unchanged: 1, unknown: 0 });
    expect(two.complete).toBe(true);
  });

  test('with other options, pages of another length are taken as they are', async () => {
    const pages = names(6);
    const site = await startLivingSite({ pages: proseOf(pages) });
    const one = await first(site);
    const two = await since(one.id, { include_elements: 'title' });
    expect(two['changes']).toMatchObject({ unknown: 0, removed: 0 });
  });
});

describe('since, alone', () => {
  test('a later job keeps the texts of the jobs before it when they are deleted', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples', b: 'Bees', c: 'Clover' } });
    const one = await first(site);
    const old = await textsOf(one.id);
    const two = await since(one.id);
    site.write({ c: 'Clover in bloom' });
    const three = await since(two.id);
    for (const { id } of [one, two])
      expect((await service.raw(`/crawler/jobs/${id}`, { method: 'DELETE' })).status).toBe(200);
    await service.restart();
    expect((await service.raw(`/crawler/jobs/${two.id}/data`)).status).toBe(410);
    const texts = await textsOf(three.id);
    expect([texts['/a'], texts['/b']]).toEqual([old['/a'], old['/b']]);
    const four = await since(three.id);
    expect(four['changes']).toMatchObject({ unchanged: 4 });
    expect(await textsOf(four.id)).toEqual(texts);
  });

  test('refuses a job that cannot be compared with', async () => {
    const site = await startLivingSite({ pages: { a: 'Apples' } });
    const one = await first(site);
    const answer = (body: unknown): ReturnType<TestService['raw']> =>
      service.raw('/crawler/jobs', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    expectProblem(await answer({ since: '0'.repeat(26) }), 404, 'job_not_found');
    expectProblem(await answer({ urls: [site.origin], deliver: 'changed' }), 400, 'invalid_body');
    const gate = site.hold('/a');
    const running = JSON.parse((await answer({ urls: [`${site.origin}/`] })).body.toString()) as JobAnswer;
    expectProblem(await answer({ since: running.id }), 409, 'job_not_ended');
    gate.open();
    await service.untilEnded(running.id);
    await service.raw(`/crawler/jobs/${one.id}`, { method: 'DELETE' });
    expectProblem(await answer({ since: one.id }), 410, 'job_data_expired');
  });
});
