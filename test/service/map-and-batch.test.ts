// POST /scraper/map and POST /scraper/batch.
//
// How real sites and clients differ: sitemaps in an index, packed, on another host, broken, missing, slow, or forbidden by
// robots.txt; a page that is gone while its sitemap is there; links of one page in several spellings; a host that does not
// answer. Clients send a URL twice, a few that are no URLs, ten thousand at once, the same batch again, and files.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteMap } from '../../src/api/routes/schemas.ts';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type NewToken, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

interface MapAnswer {
  readonly status: string;
  readonly jobId: string;
  readonly data: readonly { readonly url: string; readonly lastmod?: string }[];
  readonly truncated: boolean;
  readonly truncatedBy?: string;
  readonly sitemapPageCount: number;
  readonly notices: readonly { readonly code: string }[];
  readonly findings: readonly { readonly code: string }[];
  readonly error?: { readonly reason: string; readonly statusCode?: number };
}

interface Url {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
}

let site: TestSite;
let plain: TestSite;
let service: TestService;
let reader: NewToken;
let other: NewToken;

const xml = (text: string) => (_request: unknown, response: { end(body: string | Buffer): unknown }) => {
  response.end(text);
};
const sitemap = (urls: readonly string[]): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`;

beforeAll(async () => {
  [site, plain] = await Promise.all([startTestSite(), startTestSite()]);
  const { origin } = site;
  const index = ['/docs.xml', '/packed.xml.gz', '/broken.xml'].map(
    (path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`,
  );
  site.add({
    '/robots.txt': xml(`User-agent: *\nDisallow: /private\nSitemap: ${origin}/index.xml\n`),
    '/index.xml': xml(`<?xml version="1.0"?><sitemapindex>${index.join('')}</sitemapindex>`),
    '/docs.xml': xml(
      sitemap([
        `<url><loc>${origin}/docs/start</loc><lastmod>2026-01-30</lastmod></url>`,
        `<url><loc>${origin}/docs/end</loc></url>`,
        '<url><loc>https://elsewhere.test/docs</loc></url>',
      ]),
    ),
    '/packed.xml.gz': (_request, response) =>
      response.end(gzipSync(sitemap([`<url><loc>${origin}/packed</loc></url>`]))),
    '/broken.xml': htmlPage({ text: 'Not a sitemap.' }),
    '/': htmlPage({ text: 'home', links: ['/docs/start#top', '/about', '/?utm_source=x', 'https://elsewhere.test/'] }),
    '/private': htmlPage({ text: 'private', links: ['/secret'] }),
  });
  plain.add({
    '/': htmlPage({ text: 'plain', links: ['/a', '/b', '/docs/c'] }),
    '/a': htmlPage({ text: 'a' }),
    '/b': htmlPage({ text: 'b', links: ['/never'] }),
    '/notes.txt': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('Hay has to be turned twice.\n'),
    '/moved': (_request, response) => response.writeHead(301, { location: '/a' }).end(),
  });
  service = await startService();
  [reader, other] = await Promise.all([
    service.createToken({ org: 'default', permissions: 'read' }),
    service.createToken({ org: 'elsewhere' }),
  ]);
});

afterAll(async () => {
  await service.close();
  await Promise.all([site.close(), plain.close()]);
});

const post = (path: string, body: unknown, init: { token?: string; headers?: Record<string, string> } = {}) =>
  service.raw(path, {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...init.headers },
    body: JSON.stringify(body),
  });

describe('POST /scraper/map', () => {
  const map = async (body: Readonly<Record<string, unknown>>): Promise<MapAnswer> => {
    const answer = await service.ok<MapAnswer>('/scraper/map', { json: body });
    expect(() => siteMap.parse(answer)).not.toThrow();
    return answer;
  };
  const paths = ({ data }: MapAnswer): string[] =>
    data.map(({ url }) => new URL(url).pathname + new URL(url).search).toSorted();

  test('POST /scraper/map: lists the page, its links and the URLs of sitemaps once each, and fetches no other page', async () => {
    const answer = await map({ url: `${site.origin}/` });
    expect(answer).toMatchObject({ status: 'mapped', url: `${site.origin}/`, sitemapPageCount: 4 });
    expect(answer.data[0]?.url).toBe(`${site.origin}/`);
    expect(paths(answer)).toEqual(['/', '/about', '/docs/end', '/docs/start', '/packed']);
    expect(answer.data.find(({ url }) => url.endsWith('/docs/start'))).toMatchObject({ lastmod: '2026-01-30' });
    // A part of the site could not be read.
    expect(answer).toMatchObject({
      truncated: true,
      truncatedBy: 'unread',
      findings: [{ code: 'sitemap_unreadable' }],
    });
    expect(site.requests.map(({ path }) => path).toSorted()).toEqual(
      ['/', '/robots.txt', '/index.xml', '/docs.xml', '/packed.xml.gz', '/broken.xml'].toSorted(),
    );
    expect(await service.ok<JobAnswer>(`/crawler/jobs/${answer.jobId}`)).toMatchObject({ kind: 'map' });
  });

  test('POST /scraper/map: filters by `q`, stops at `limit`, and GET /urls lists the others', async () => {
    expect(paths(await map({ url: site.origin, q: 'DOCS' }))).toEqual(['/docs/end', '/docs/start']);
    expect(paths(await map({ url: site.origin, q: '' }))).toHaveLength(5);
    const some = await map({ url: plain.origin, limit: 2, q: '/' });
    expect(some).toMatchObject({ truncated: true, truncatedBy: 'limit', data: [{}, {}] });
    const rest = await service.ok<{ data: Url[] }>(`/crawler/jobs/${some.jobId}/urls?reason=depth`);
    expect(rest.data).toHaveLength(3);
  });

  test('POST /scraper/map: applies scope, globs and mode, and lists the links when a site has no sitemap', async () => {
    expect(await map({ url: plain.origin })).toMatchObject({ truncated: false, notices: [], findings: [] });
    expect(paths(await map({ url: plain.origin, exclude_globs: ['/docs/**'] }))).toEqual(['/', '/a', '/b']);
    expect(paths(await map({ url: site.origin, force_crawling_mode: 'link' }))).toEqual(['/', '/about', '/docs/start']);
    expect(paths(await map({ url: site.origin, force_crawling_mode: 'sitemap' }))).toEqual([
      '/',
      '/docs/end',
      '/docs/start',
      '/packed',
    ]);
  });

  test('POST /scraper/map: lists the URLs of sitemaps and the reason when the page is missing or forbidden', async () => {
    expect(await map({ url: `${site.origin}/gone` })).toMatchObject({
      status: 'mapped',
      data: [{}, {}, {}],
      error: { reason: 'http_404', statusCode: 404 },
    });
    expect(await map({ url: `${site.origin}/private` })).toMatchObject({ error: { reason: 'robots_disallowed' } });
    expect(await map({ url: `${plain.origin}/gone` })).toMatchObject({ status: 'failed', data: [] });
  });

  test('POST /scraper/map: returns what it found when its `timeout` is over', async () => {
    const gate = site.hold('/docs.xml');
    const answer = await map({ url: `${site.origin}/`, timeout: 2 });
    expect(answer).toMatchObject({ status: 'mapped', truncated: true });
    expect(paths(answer)).toContain('/about');
    gate.open();
  });

  test('POST /scraper/map: reports host_unresponsive when the host does not answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await map({ url: `http://127.0.0.1:${port}/`, timeout: 20 })).toMatchObject({
      status: 'failed',
      data: [],
      error: { reason: 'host_unreachable' },
    });
  });

  test.each([
    [{}, 'invalid_body'],
    [{ url: 'ftp://a.test/' }, 'invalid_body'],
    [{ url: 'http://169.254.169.254/' }, 'destination_not_allowed'],
    [{ url: 'https://a.test/', limit: 0 }, 'invalid_body'],
    [{ url: 'https://a.test/', limit: 30_001 }, 'invalid_body'],
    [{ url: 'https://a.test/', q: 'x'.repeat(501) }, 'invalid_body'],
    [{ url: 'https://a.test/', output_format: 'text' }, 'invalid_body'],
  ] as const)('POST /scraper/map: refuses %j with 400 and %s', async (body, code) => {
    expectProblem(await post('/scraper/map', body), 400, code);
  });

  test('POST /scraper/map: needs the permissions `write` and, without robots.txt, `ignore_robots`', async () => {
    const { token } = reader;
    expectProblem(await post('/scraper/map', { url: plain.origin }, { token }), 403, 'permission_denied');
    const writer = await service.createToken({ org: 'default', permissions: 'read,write' });
    const body = { url: plain.origin, respect_robots: false };
    expectProblem(await post('/scraper/map', body, { token: writer.token }), 403, 'permission_denied');
  });
});

describe('POST /scraper/batch', () => {
  const urlsOf = async ({ id }: { readonly id: string }): Promise<Record<string, string>> => {
    const { data } = await service.ok<{ data: Url[] }>(`/crawler/jobs/${id}/urls`);
    return Object.fromEntries(data.map(({ url, status, reason }) => [new URL(url).pathname, reason ?? status]));
  };
  const batch = (body: unknown) => service.ok<JobAnswer>('/scraper/batch', { json: body });

  test('POST /scraper/batch: accounts for each URL, follows no link, and counts duplicates', async () => {
    const names = ['/a', '/b', '/gone', '/notes.txt', '/moved', '/a#top', '/b?utm_source=x', '/private'];
    const urls = names.map((path) => `${path === '/private' ? site.origin : plain.origin}${path}`);
    const job = await batch({ urls, output_format: 'text' });
    expect(job).toMatchObject({ kind: 'batch', urls: [`${plain.origin}/a`, `${site.origin}/private`], max_depth: 0 });
    expect(job.notices).toMatchObject([{ code: 'duplicate_urls', count: 2, example: `${plain.origin}/a` }]);
    const ended = await service.untilEnded(job.id);
    expect(ended).toMatchObject({ status: 'succeeded', progress: { discovered: 6, scraped: 3 } });
    const { '/a': direct, '/moved': redirected, ...others } = await urlsOf(job);
    // Both are fetched at the same time; the first one to be stored is the page.
    expect(new Set([direct, redirected])).toEqual(new Set(['duplicate_of', 'scraped']));
    expect(others).toEqual({
      '/b': 'scraped',
      '/gone': 'http_404',
      '/notes.txt': 'scraped',
      '/private': 'robots_disallowed',
    });
  });

  test('POST /scraper/batch: accepts 10,000 URLs and a body above 1 MiB, and refuses more', async () => {
    const urls = Array.from({ length: 10_000 }, (_, at) => `${plain.origin}/a?page=${at}&${'x'.repeat(100)}`);
    const job = await batch({ urls });
    expect(job).toMatchObject({ progress: { discovered: 10_000 }, page_limit: 10_000, notices: [], findings: [] });
    expect(JSON.stringify(job).length).toBeLessThan(10_000);
    await service.ok(`/crawler/jobs/${job.id}/cancel`, { method: 'POST' });
    expectProblem(await post('/scraper/batch', { urls: [...urls, `${plain.origin}/a`] }), 400, 'invalid_body');
    const long = urls.map((url) => `${url}${'x'.repeat(400)}`);
    expectProblem(await post('/scraper/batch', { urls: long }), 413, 'body_too_large');
  });

  test('POST /scraper/batch: names invalid URLs by their place and creates no job', async () => {
    const org = await service.createToken({ org: 'batches' });
    const body = { urls: [`${plain.origin}/a`, 'nothing', `${plain.origin}/b`, 'ftp://a.test/'] };
    const { errors } = expectProblem(await post('/scraper/batch', body, { token: org.token }), 400, 'invalid_body');
    expect(errors?.map(({ field }) => field)).toEqual(['urls[1]', 'urls[3]']);
    for (const wrong of [{}, { urls: [] }, { urls: ['https://a.test/'], max_depth: 1 }])
      expectProblem(await post('/scraper/batch', wrong, { token: org.token }), 400, 'invalid_body');
    expectProblem(await post('/scraper/batch', { urls: ['http://10.0.0.1/'] }), 400, 'destination_not_allowed');
    const all = await service.ok<{ data: unknown[] }>('/crawler/jobs?kind=all', { token: org.token });
    expect(all.data).toEqual([]);
    expectProblem(await post('/scraper/batch', body, { token: reader.token }), 403, 'permission_denied');
  });

  test('POST /scraper/batch: ends in its time when earlier batches failed on the same host', async () => {
    const busy = await startTestSite({
      '/robots.txt': (_request, response) => void response.writeHead(404).end(),
      '/busy': (_request, response) => void response.writeHead(503).end(),
    });
    const urls = [`${plain.origin}/a`, `${busy.origin}/busy`];
    const tookSeconds: number[] = [];
    for (let at = 0; at < 6; at++) {
      const began = performance.now();
      const ended = await service.untilEnded((await batch({ urls, url_timeout: 3 })).id);
      tookSeconds.push((performance.now() - began) / 1_000);
      expect(ended).toMatchObject({ progress: { scraped: 1, failed: 1 }, reasons: { http_503: 1 } });
    }
    expect(Math.max(...tookSeconds)).toBeLessThan(6);
    await busy.close();
  }, 60_000);

  test('POST /scraper/batch: creates one job per idempotency key, which no crawl can reuse', async () => {
    const headers = { 'idempotency-key': 'one' };
    const body = { urls: [`${plain.origin}/a`] };
    const made = [await post('/scraper/batch', body, { headers }), await post('/scraper/batch', body, { headers })];
    const [first, second] = made.map(({ body: bytes }) => (JSON.parse(bytes.toString()) as JobAnswer).id);
    expect(second).toBe(first);
    expect(made[0]?.headers['location']).toBe(`/crawler/jobs/${first}`);
    expectProblem(await post('/crawler/jobs', body, { headers }), 422, 'idempotency_key_reused');
    expectProblem(await service.raw(`/crawler/jobs/${first}`, { token: other.token }), 404, 'job_not_found');
  });

  test('GET /crawler/jobs?kind=batch: lists batches, and a retry of a batch is a batch', async () => {
    const job = await batch({ urls: [`${plain.origin}/a`, `${plain.origin}/later`] });
    await service.untilEnded(job.id);
    plain.add({ '/later': htmlPage({ text: 'later' }) });
    const retry = await service.ok<JobAnswer>(`/crawler/jobs/${job.id}/retry`, { method: 'POST' });
    expect(retry).toMatchObject({ kind: 'batch', retryOf: job.id });
    expect(await service.untilEnded(retry.id)).toMatchObject({ progress: { scraped: 1, discovered: 1 } });
    const { data } = await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?kind=batch&limit=2');
    expect(data.map(({ id }) => id)).toEqual([retry.id, job.id]);
  });
});
