// The search of a real service over its API, and of the command line beside it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import { startService, type TestService } from './start-service.ts';
import { startTestSite, type TestSite } from './test-site.ts';

interface Hit {
  readonly page: number;
  readonly url: string;
  readonly title: string;
  readonly score: number;
  readonly snippet: string;
  readonly snippetParts: readonly { readonly text: string; readonly hit?: boolean }[];
}

interface Found {
  readonly data: readonly Hit[];
  readonly pages: number;
  readonly indexedPages: number;
  readonly damagedPages?: number;
  readonly cursor?: string;
  readonly nextCursor?: string;
}

let site: TestSite;
let service: TestService;
let id: string;

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;
const linked = Array.from({ length: 9 }, (_, index) => `<a href="/meadow/${index}">Meadow ${index}</a>`).join(' ');

beforeAll(async () => {
  site = await startTestSite({
    '/': page('Hay', `How to rake hay, and where to keep it dry. ${linked}`),
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `/meadow/${index}`,
        page(
          `Meadow ${index}`,
          `Field number ${index} has clover &lt;script&gt;alert(1)&lt;/script&gt; and &quot;dry grass&quot;.`,
        ),
      ]),
    ),
    '/jp': page('東京', '東京都は日本の首都です。'),
  });
  service = await startService();
  ({ id } = await service.crawl({ urls: [`${site.origin}/`, `${site.origin}/jp`], force_crawling_mode: 'link' }));
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const search = (q: string, rest = ''): Promise<Found> =>
  service.ok(`/crawler/jobs/${id}/search?q=${encodeURIComponent(q)}${rest}`);

describe('GET /crawler/jobs/{id}/search', () => {
  test('GET /search: returns hits with page, score and a snippet in parts', async () => {
    const response = await service.api(`/crawler/jobs/${id}/search?q=rake%20hay`);
    expect(response.headers.get('x-job-status')).toBe('succeeded');
    const found = (await response.json()) as Found;
    expect(found).toEqual({ data: [expect.anything()], pages: 11, indexedPages: 11 });
    const [hit] = found.data;
    expect(hit).toMatchObject({
      url: `${site.origin}/`,
      title: 'Hay',
      page: expect.any(Number),
      score: expect.any(Number),
    });
    expect(hit!.snippetParts.filter((part) => part.hit).map((part) => part.text)).toContain('rake');
    expect(hit!.snippetParts.map((part) => part.text).join('')).toBe(hit!.snippet);
  });

  test('GET /search: pages through all hits, and refuses a cursor of another query', async () => {
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const found = await search('clover', `&limit=4${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      seen.push(...found.data.map((hit) => hit.page));
      expect(found.nextCursor).toBe(found.cursor);
      ({ cursor } = found);
      if (cursor !== undefined)
        expectProblem(await service.raw(`/crawler/jobs/${id}/search?q=dry&cursor=${cursor}`), 400, 'invalid_cursor');
    } while (cursor !== undefined);
    expect(seen).toHaveLength(9);
    expect(new Set(seen).size).toBe(9);
  });

  test('GET /search: finds phrases, prefixes and words of languages without spaces', async () => {
    expect((await search('"dry grass"')).data).toHaveLength(9);
    expect((await search('"grass dry"')).data).toHaveLength(0);
    expect((await search('clov')).data).toHaveLength(9);
    for (const q of ['東京', '京', '日本の首都', '"首都です"'])
      expect((await search(q)).data.map((hit) => hit.url)).toEqual([`${site.origin}/jp`]);
    expect((await search('alert script')).data).toHaveLength(9);
  });

  test.each([
    ['', /`q`: Give the words/],
    ['?q=', /at least one letter/],
    ['?q=%20%22%22%20-!', /at least one letter/],
    ['?q=%00', /at least one letter/],
    ['?q=a&q=b', /Give the words/],
    [`?q=${'a'.repeat(501)}`, /at most 500 characters; this one has 501/],
    [`?q=${Array.from({ length: 33 }, (_, index) => `w${index}`).join('+')}`, /at most 32 words/],
    ['?q=hay&limit=0', /from 1 to 100/],
    ['?q=hay&limit=101', /from 1 to 100/],
    ['?q=hay&cursor=x', /not issued for this list/],
    ['?q=hay&offset=3', /no such parameter/],
  ])('GET /search: refuses the query %s with 400 and says what is wrong', async (query, message) => {
    const problem = expectProblem(await service.raw(`/crawler/jobs/${id}/search${query}`), 400);
    expect(problem.detail).toMatch(message);
  });

  test.each([
    'NEAR(hay',
    'title:hay+OR+1',
    '%FF%FE+hay',
    'hay%00hay',
    '%ED%A0%80hay',
    '{a+b}+:+^x*',
    "';--hay",
    '%22hay',
  ])('GET /search: takes %s as words', async (q) => {
    expect((await service.raw(`/crawler/jobs/${id}/search?q=${q}`)).status).toBe(200);
  });

  test('GET /search: answers 404 for foreign and unknown jobs, 410 for deleted results, 401 without a token', async () => {
    const { token } = await service.createToken({ org: 'other' });
    for (const [job, init] of [
      [id, { token }],
      ['7ZSA4YN8XEM0V3T2K9QJ5RCWBD', {}],
      ['x', {}],
    ] as const)
      expectProblem(await service.raw(`/crawler/jobs/${job}/search?q=hay`, init), 404, 'job_not_found');
    const { id: deleted } = await service.crawl({ urls: [`${site.origin}/jp`], page_limit: 1 });
    await service.ok(`/crawler/jobs/${deleted}/search?q=${encodeURIComponent('東京')}`);
    await service.api(`/crawler/jobs/${deleted}`, { method: 'DELETE' });
    expectProblem(await service.raw(`/crawler/jobs/${deleted}/search?q=hay`), 410, 'job_data_expired');
    expectProblem(await service.raw(`/crawler/jobs/${id}/search?q=hay`, { token: null }), 401);
  });

  test('GET /search: returns no hits when the job has no page', async () => {
    const { id: empty } = await service.crawl({ urls: [`${site.origin}/nothing`] });
    expect(await service.ok(`/crawler/jobs/${empty}/search?q=hay`)).toEqual({ data: [], pages: 0, indexedPages: 0 });
  });

  test('GET /search: answers 95 first searches at once', async () => {
    const jobs = await Promise.all(
      Array.from({ length: 5 }, () => service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link' })),
    );
    const all = await Promise.all(
      Array.from({ length: 95 }, (_, index) =>
        service.ok<Found>(`/crawler/jobs/${jobs[index % jobs.length]?.id ?? ''}/search?q=clover`),
      ),
    );
    for (const { data, pages, indexedPages } of all) expect([data.length, pages, indexedPages]).toEqual([9, 10, 10]);
  });

  test('GET /metrics: counts indexed pages, rebuilds and running indexing', async () => {
    await search('clover');
    const text = (await service.raw('/metrics', { token: null })).body.toString();
    expect(Number(/^hayrake_search_indexed_pages_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(11);
    expect(text).toMatch(/^hayrake_search_rebuilds_total 0$/m);
    expect(text).toMatch(/^hayrake_search_indexing_jobs 0$/m);
  });
});

describe('hayrake search', () => {
  test('hayrake search: prints hits for people and as JSON while the service runs', async () => {
    const { code, stdout, stderr } = await service.run(['search', id, 'clover', 'dry', '--limit', '2']);
    expect([code, stderr.trim()]).toEqual([0, '2 hits in 11 pages, and more: --limit shows them.']);
    expect(stdout).toMatch(/^ +\d+ {2}Meadow \d\n {9}http:\/\/127\.0\.0\.1:\d+\/meadow\/\d\n {9}.*clover/);
    const json = await service.run(['search', id, '"dry grass"', '--json']);
    const lines = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Hit);
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatchObject({ page: expect.any(Number), snippet: expect.stringContaining('dry grass') });
    expect((await service.run(['search', id, 'nowhere'])).stderr.trim()).toBe('No hits in 11 pages.');
  });

  test('hayrake search: reports what is wrong with its exit code', async () => {
    expect(await service.run(['search', id, '!!'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least one letter'),
    });
    expect(await service.run(['search', 'x', 'hay'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no job with this id'),
    });
    expect(await service.run(['search', id, 'hay', '--limit', '0'])).toMatchObject({ code: 2 });
    expect(await service.run(['search', id, 'hay'], { HAYRAKE_SEARCH: 'off' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HAYRAKE_SEARCH'),
    });
  });
});

test('GET /search: answers 403 search_off with HAYRAKE_SEARCH=off', async () => {
  const off = await startService({ env: { HAYRAKE_SEARCH: 'off' } });
  try {
    const { id: job } = await off.crawl({ urls: [`${site.origin}/jp`], page_limit: 1 });
    expectProblem(await off.raw(`/crawler/jobs/${job}/search?q=hay`), 403, 'search_off');
  } finally {
    await off.close();
  }
});
