// POST /crawler/jobs/preview.
//
// How real sites and clients differ from plain ones: robots.txt forbids the start page, is missing, fails, or asks for long
// delays; the start URL redirects, on the site and away from it; sitemaps are indexes, missing, forbidden or elsewhere; the
// host is slow or gone; the page needs its scripts, or is a file. Clients leave early, and send what no job may have.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pageMetadata } from '../../src/api/routes/schemas.ts';
import { crawlPreview } from '../../src/core/ports/preview.ts';
import { expectProblem } from './expect-problem.ts';
import { startService, type TestService } from './start-service.ts';
import { htmlPage, type SitePage, startTestSite, type TestSite } from './test-site.ts';

let service: TestService;
const sites: TestSite[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  for (const site of sites) await site.close();
  await service.close();
});

const plain =
  (text: string): SitePage =>
  (_request, response) => {
    response.setHeader('content-type', 'text/plain');
    response.end(text);
  };
const moved =
  (location: string): SitePage =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };
const urlset = (urls: readonly string[]): SitePage =>
  plain(
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
  );

/** A site of its own for each test, because the service keeps the pace of a host. */
async function siteWith(pages: (origin: string) => Readonly<Record<string, SitePage>>): Promise<TestSite> {
  const site = await startTestSite();
  site.add(pages(site.origin));
  sites.push(site);
  return site;
}

async function preview(body: Readonly<Record<string, unknown>>) {
  const answer = await service.ok<unknown>('/crawler/jobs/preview', { method: 'POST', json: body });
  return crawlPreview(z, pageMetadata).strict().parse(answer);
}

const pathsOf = (site: TestSite): readonly string[] => site.requests.map(({ path }) => path);

describe('content of a preview', () => {
  test('POST /preview: shows robots.txt, the first page, the verdict of each link and the sitemap, and stores nothing', async () => {
    const site = await siteWith((origin) => ({
      '/robots.txt': plain(`User-agent: *\nDisallow: /private\nSitemap: ${origin}/map.xml\n`),
      '/': htmlPage({
        title: 'Welcome',
        text: 'A page with some words. '.repeat(60),
        links: ['/a', '/a#part', '/archive/1', '/private/1', 'https://elsewhere.test/', '/private/2'],
      }),
      '/map.xml': urlset([`${origin}/a`, `${origin}/b`, `${origin}/archive/2`]),
    }));
    const found = await preview({ urls: [site.origin], exclude_globs: ['/archive/**'] });
    expect(found).toMatchObject({
      url: `${site.origin}/`,
      fetches: 3,
      robots: { status: 'read', isObeyed: true, isAllowed: true, sitemaps: 1 },
      page: { status: 'read', statusCode: 200, fetchedUrl: `${site.origin}/`, isTextCut: false },
      sitemap: { status: 'read', url: `${site.origin}/map.xml`, urls: 3, followed: 2, sitemaps: 0 },
    });
    expect(found.page.meta).toMatchObject({ title: 'Welcome', extractionQuality: expect.any(Number) as number });
    expect(found.page.text).toContain('A page with some words.');
    expect(found.links).toEqual({
      found: 5,
      followed: 1,
      delivered: 1,
      reasons: { excluded_by_glob: 1, robots_disallowed: 2, off_host: 1 },
      isRobotsChecked: true,
      data: [
        { url: `${site.origin}/a`, verdict: 'follow' },
        { url: `${site.origin}/archive/1`, verdict: 'discard', reason: 'excluded_by_glob', detail: '/archive/**' },
        {
          url: `${site.origin}/private/1`,
          verdict: 'discard',
          reason: 'robots_disallowed',
          detail: 'Disallow: /private (robots.txt, line 2)',
        },
        { url: 'https://elsewhere.test/', verdict: 'discard', reason: 'off_host' },
        {
          url: `${site.origin}/private/2`,
          verdict: 'discard',
          reason: 'robots_disallowed',
          detail: 'Disallow: /private (robots.txt, line 2)',
        },
      ],
    });
    expect(pathsOf(site)).toEqual(['/robots.txt', '/', '/map.xml']);
    expect(await service.ok('/crawler/jobs?kind=all')).toMatchObject({ data: [] });
    expect(await service.ok('/crawler/hosts')).toEqual({ data: [] });
  });

  test('POST /preview: shows the links again when it is repeated', async () => {
    const site = await siteWith(() => ({ '/': htmlPage({ text: 'One.', links: ['/a', '/b'] }) }));
    for (const _ of [1, 2]) expect((await preview({ urls: [site.origin] })).links.found).toBe(2);
    const { id } = await service.crawl({ urls: [site.origin] });
    expect(await service.ok(`/crawler/jobs/${id}`)).toMatchObject({ progress: { discovered: 3 } });
    await service.ok(`/crawler/jobs/${id}`, { method: 'DELETE' });
  });

  test('POST /preview: does not fetch a start page that robots.txt forbids, and names the rule', async () => {
    const site = await siteWith(() => ({ '/robots.txt': plain('User-agent: *\nDisallow: /\n'), '/': 'never' }));
    const found = await preview({ urls: [site.origin] });
    expect(found.robots).toMatchObject({ isAllowed: false, rule: 'Disallow: / (robots.txt, line 2)' });
    expect(found.page).toEqual({
      status: 'discarded',
      reason: 'robots_disallowed',
      message: 'Disallow: / (robots.txt, line 2)',
    });
    expect(found.sitemap.status).toBe('not_read');
    expect(pathsOf(site)).toEqual(['/robots.txt']);
  });

  test('POST /preview: fetches a forbidden page with respect_robots: false, and still shows the rule', async () => {
    const site = await siteWith(() => ({ '/robots.txt': plain('User-agent: *\nDisallow: /\n'), '/': htmlPage({}) }));
    const found = await preview({ urls: [site.origin], respect_robots: false });
    expect(found.robots).toMatchObject({ isObeyed: false, isAllowed: false });
    expect(found.page.status).toBe('read');
  });

  test('POST /preview: fetches nothing when robots.txt fails with 503', async () => {
    const site = await siteWith(() => ({ '/robots.txt': (_request, response) => void response.writeHead(503).end() }));
    const found = await preview({ urls: [site.origin] });
    expect(found).toMatchObject({
      fetches: 1,
      robots: { status: 'unreachable' },
      page: { status: 'failed', reason: 'robots_unreachable' },
      sitemap: { status: 'not_read' },
    });
    expect(pathsOf(site)).toEqual(['/robots.txt']);
  });

  test('POST /preview: follows a redirect on the site, and then has no request left for the sitemap', async () => {
    const site = await siteWith(() => ({ '/': moved('/en/'), '/en/': htmlPage({ title: 'English', text: 'Hello.' }) }));
    const found = await preview({ urls: [site.origin] });
    expect(found).toMatchObject({
      fetches: 3,
      page: { status: 'read', fetchedUrl: `${site.origin}/en/` },
      sitemap: { status: 'not_read', message: 'The preview sends at most 3 requests, and they were used.' },
    });
  });

  test('POST /preview: does not follow a redirect to a path that robots.txt forbids', async () => {
    const site = await siteWith(() => ({
      '/robots.txt': plain('User-agent: *\nDisallow: /members\n'),
      '/': moved('/members/'),
    }));
    expect((await preview({ urls: [site.origin] })).page).toMatchObject({ reason: 'robots_disallowed' });
    expect(pathsOf(site)).not.toContain('/members/');
  });

  test('POST /preview: names a redirect to another origin and does not follow it', async () => {
    const other = await siteWith(() => ({ '/': htmlPage({}) }));
    const site = await siteWith(() => ({ '/': moved(`${other.origin}/`) }));
    expect((await preview({ urls: [site.origin] })).page).toEqual({
      status: 'redirected',
      redirectsTo: `${other.origin}/`,
      statusCode: 302,
    });
    expect(other.requests).toEqual([]);
  });

  test('POST /preview: ends an endless redirect with the third request', async () => {
    const site = await siteWith(() => ({ '/': moved('/1'), '/1': moved('/2'), '/2': moved('/3') }));
    const found = await preview({ urls: [site.origin] });
    expect(found).toMatchObject({ fetches: 3, page: { status: 'redirected', redirectsTo: `${site.origin}/2` } });
    expect(site.requests).toHaveLength(3);
  });

  test.each([404, 410, 500, 503])(
    'POST /preview: reports a page with status %d as failed with this status',
    async (status) => {
      const site = await siteWith(() => ({ '/': (_request, response) => void response.writeHead(status).end() }));
      const { page } = await preview({ urls: [site.origin] });
      expect(page).toMatchObject({ status: 'failed', reason: 'http_error', statusCode: status });
    },
  );

  test('POST /preview: discards an image and names its type', async () => {
    const site = await siteWith(() => ({
      '/': (_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    }));
    expect((await preview({ urls: [site.origin] })).page).toMatchObject({
      status: 'discarded',
      reason: 'content_type',
      message: 'image/png',
    });
  });

  test('POST /preview: reports that a page needs a browser and is shorter than min_length', async () => {
    const site = await siteWith(() => ({
      '/': '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>',
    }));
    const { page } = await preview({ urls: [site.origin], min_length: 100 });
    expect(page).toMatchObject({ status: 'discarded', reason: 'below_min_length', needsBrowser: true });
  });

  test('POST /preview: reads no sitemap in link mode, and none on another host', async () => {
    const site = await siteWith(() => ({
      '/robots.txt': plain('Sitemap: https://elsewhere.test/map.xml\n'),
      '/': htmlPage({}),
    }));
    expect((await preview({ urls: [site.origin], force_crawling_mode: 'link' })).sitemap).toEqual({
      status: 'not_read',
      message: 'The crawl reads no sitemaps.',
    });
    expect((await preview({ urls: [site.origin] })).sitemap).toMatchObject({
      status: 'not_read',
      url: 'https://elsewhere.test/map.xml',
    });
    expect((await preview({ urls: [site.origin] })).fetches).toBe(2);
  });

  test('POST /preview: shows 200 links of a page with 30,000', async () => {
    const links = Array.from({ length: 30_000 }, (_, index) => `/p/${index}`);
    const site = await siteWith(() => ({ '/': htmlPage({ text: 'Many.', links }) }));
    const found = await preview({ urls: [site.origin] });
    expect(found.links.data).toHaveLength(200);
    expect(found.links.found).toBe(found.links.followed);
    expect(found.links.found).toBeGreaterThanOrEqual(10_000);
  });

  test('POST /preview: cuts the text of a page at 100,000 characters', async () => {
    const site = await siteWith(() => ({ '/': htmlPage({ text: 'word '.repeat(400_000) }) }));
    const { page } = await preview({ urls: [site.origin] });
    expect(page.text).toHaveLength(100_000);
    expect(page.isTextCut).toBe(true);
  });

  test('POST /preview: sends the headers of the job to the page and the sitemap, not to robots.txt', async () => {
    const site = await siteWith(() => ({ '/': htmlPage({}) }));
    await preview({ urls: [site.origin], headers: { 'X-Secret': 'key' } });
    expect(site.requests.map(({ headers }) => headers['x-secret'])).toEqual([undefined, 'key', 'key']);
  });
});

// Most of them wait.
describe.concurrent('pace and time', () => {
  test('POST /preview: keeps Crawl-delay between its requests, and ends after 20 seconds with what it has', async () => {
    const site = await siteWith((origin) => ({
      '/robots.txt': plain(`User-agent: *\nCrawl-delay: 11\nSitemap: ${origin}/map.xml\n`),
      '/': htmlPage({ title: 'Slow' }),
    }));
    const found = await preview({ urls: [site.origin] });
    expect(found).toMatchObject({
      fetches: 2,
      robots: { crawlDelaySeconds: 11 },
      page: { status: 'read' },
      sitemap: { status: 'not_read' },
    });
    const [first, second] = site.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(10_900);
  });

  test('POST /preview: ends when the host does not answer', async () => {
    const site = await siteWith(() => ({ '/': htmlPage({}) }));
    const gate = site.hold('/');
    const found = await preview({ urls: [site.origin] });
    expect(['not_read', 'failed']).toContain(found.page.status);
    expect(found.page.message).toBeTruthy();
    gate.open();
  });

  test('POST /preview: waits for its turn when a job crawls the host', async () => {
    const site = await siteWith(() => ({
      '/robots.txt': plain('User-agent: *\nCrawl-delay: 1\n'),
      '/': htmlPage({ text: 'Start.', links: ['/1', '/2', '/3'] }),
      ...Object.fromEntries([1, 2, 3].map((page) => [`/${page}`, htmlPage({ text: `Page ${page}.` })])),
    }));
    const job = await service.createJob({ urls: [site.origin] });
    await expect.poll(() => site.requests.length, { timeout: 10_000 }).toBeGreaterThan(1);
    await preview({ urls: [`${site.origin}/2`] });
    await service.untilEnded(job.id);
    const times = site.requests.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - times[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(950);
    await service.ok(`/crawler/jobs/${job.id}`, { method: 'DELETE' });
  });

  test('POST /preview: sends no further request when the client goes away', async () => {
    const site = await siteWith(() => ({ '/': htmlPage({}) }));
    const gate = site.hold('/robots.txt');
    const leave = new AbortController();
    const asked = service.api('/crawler/jobs/preview', {
      method: 'POST',
      json: { urls: [site.origin] },
      signal: leave.signal,
    });
    await gate.reached;
    leave.abort();
    await expect(asked).rejects.toThrow('aborted');
    gate.open();
    await sleep(300);
    expect(pathsOf(site)).toEqual(['/robots.txt']);
  });
});

describe('permissions and bad input', () => {
  test("POST /preview: needs the permission `write` and those of the job's options", async () => {
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    const body = JSON.stringify({ urls: ['https://example.com/'] });
    const post = (token: string, text = body) =>
      service.raw('/crawler/jobs/preview', {
        method: 'POST',
        token,
        headers: { 'content-type': 'application/json' },
        body: text,
      });
    expectProblem(await post(reader.token), 403, 'permission_denied');
    const writer = await service.createToken({ org: 'default', permissions: 'read,write' });
    const unruly = JSON.stringify({ urls: ['https://example.com/'], respect_robots: false });
    expectProblem(await post(writer.token, unruly), 403, 'permission_denied');
  });

  test.each([
    ['an empty list of URLs', { urls: [] }, 'invalid_body'],
    ['an unknown option', { urls: ['https://example.com/'], nonsense: 1 }, 'invalid_body'],
    ['a private address', { urls: ['http://10.0.0.1/'] }, 'destination_not_allowed'],
  ] as const)('POST /preview: refuses %s as POST /crawler/jobs does', async (_name, json, code) => {
    const answer = await service.raw('/crawler/jobs/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    expectProblem(answer, 400, code);
  });

  test('POST /preview: answers 503 when the process does not crawl', async () => {
    const api = await startService({ role: 'api', store: service.store });
    try {
      const answer = await api.raw('/crawler/jobs/preview', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ urls: ['https://example.com/'] }),
      });
      expectProblem(answer, 503, 'unavailable');
    } finally {
      await api.close();
    }
  });
});
