// GET /crawler/jobs/{id}/pages/{n}/dropped: what was left out of a page, from the page as it is now.
//
// How sites differ from plain ones: the page has changed since, is gone, forbidden, slow or another kind of file by now; it
// was a file, or a redirect; it needs the headers of the job; its host has moved into a private network.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from './start-service.ts';
import { expectProblem } from './expect-problem.ts';
import { type SitePage, startTestSite, type TestSite } from './test-site.ts';

interface Answer {
  readonly page: number;
  readonly url: string;
  readonly data: readonly { readonly rule: string; readonly text: string; readonly words: number }[];
  readonly words: number;
  readonly refetchedAt: number;
  readonly sameText: boolean;
}

const prose = 'Hay is dried for three days in the sun, and turned twice before it goes to the barn. ';
const pageWith = (text: string, around = ''): string =>
  `<!doctype html><html><head><title>Hay</title></head><body><nav><a href="/">Home</a> <a href="/hay">Hay</a></nav>${around}
   <main><h1>Hay</h1><p>${text}</p><p>${prose.repeat(5)}</p></main><footer>Made of grass</footer></body></html>`;

const robotsTxt =
  (text: string): SitePage =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(text);

let service: TestService;
const sites: TestSite[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  for (const site of sites) await site.close();
});

/** A site of its own for each test, because the service keeps the pace and the robots.txt of a host. */
async function siteWith(pages: Readonly<Record<string, SitePage>>): Promise<TestSite> {
  const site = await startTestSite({ '/robots.txt': robotsTxt(''), ...pages });
  sites.push(site);
  return site;
}

async function crawled(body: Readonly<Record<string, unknown>>): Promise<JobAnswer> {
  const job = await service.untilEnded((await service.crawl({ force_crawling_mode: 'link', ...body })).id);
  expect(job.status).toBe('succeeded');
  return job;
}

async function changed(sql: string): Promise<void> {
  await service.stop();
  await service.changeDatabase(sql);
  await service.start();
}

const pathOf = (id: string, page: number | string = 1): string => `/crawler/jobs/${id}/pages/${page}/dropped`;
const dropped = (id: string, page = 1): Promise<Answer> => service.ok<Answer>(pathOf(id, page));
const refused = async (id: string, status: number, code: Parameters<typeof expectProblem>[2], page?: string) =>
  expectProblem(await service.raw(pathOf(id, page)), status, code);

describe('a page that can be read again', () => {
  test('dropped: lists rule, text and words of each box, in the order of the page, and their sum', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.', '<div>Our address: 4 Mill Lane</div>') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    expect(job['droppedWords']).toEqual({ 'outside-content': 4, nav: 2, footer: 3 });
    const before = Date.now();
    const answer = await dropped(job.id);
    expect(answer).toEqual({
      page: 1,
      url: `${site.origin}/hay`,
      data: [
        { rule: 'nav', text: 'Home Hay', words: 2 },
        { rule: 'outside-content', text: 'Our address: 4 Mill Lane', words: 5 },
        { rule: 'footer', text: 'Made of grass', words: 3 },
      ],
      words: 10,
      refetchedAt: expect.any(Number),
      sameText: true,
    });
    expect(answer.refetchedAt).toBeGreaterThanOrEqual(before);
    expect(site.requests.filter(({ path }) => path === '/hay')).toHaveLength(2);
  });

  test('dropped: says that the text differs when the page has changed since', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    site.add({ '/hay': pageWith('About straw.') });
    expect(await dropped(job.id)).toMatchObject({ sameText: false, data: [{ rule: 'nav' }, { rule: 'footer' }] });
  });

  test('dropped: takes the page of the number, below any limit of the job', async () => {
    const site = await siteWith({
      '/': pageWith('The start. <a href="/hay">Hay</a>'),
      '/hay': pageWith('About hay.', '<div>Second</div>'),
    });
    const job = await crawled({ urls: [`${site.origin}/`], page_limit: 2, fetch_limit: 2, min_length: 300 });
    site.add({ '/hay': pageWith('', '<div>Second</div>').replaceAll(prose, '') });
    const answer = await dropped(job.id, 2);
    expect([answer.url, answer.sameText]).toEqual([`${site.origin}/hay`, false]);
    expect(answer.data.map(({ text }) => text)).toContain('Home Hay');
  });

  test('dropped: follows the redirect of a page, and compares with the text behind it', async () => {
    const site = await siteWith({
      '/moved': (_request, response) => response.writeHead(301, { location: '/hay' }).end(),
      '/hay': pageWith('About hay.'),
    });
    const job = await crawled({ urls: [`${site.origin}/moved`], max_depth: 0 });
    expect(await dropped(job.id)).toMatchObject({ url: `${site.origin}/moved`, words: 5, sameText: true });
  });

  test.each([
    ['exclude_elements', { exclude_elements: '.note' }, ['nav', 'selectors', 'footer']],
    ['include_elements', { include_elements: '.note' }, Array.from({ length: 5 }, () => 'selectors')],
    ['content: full', { content: 'full', exclude_elements: '' }, []],
    ['another output format', { output_format: 'html', formats: ['text', 'links', 'source'] }, ['nav', 'footer']],
  ])('dropped: converts with the options of the job when it has %s', async (_name, options, rules) => {
    const site = await siteWith({ '/hay': pageWith('About hay. </p><p class="note">Of wet years.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0, ...options });
    const answer = await dropped(job.id);
    expect([answer.data.map(({ rule }) => rule), answer.sameText]).toEqual([rules, true]);
  });

  test('dropped: leaves no page behind, and is in no list of crawls', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    await dropped(job.id);
    const list = await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?kind=scrape&limit=1');
    const again = list.data[0]!;
    expect(again).toMatchObject({ kind: 'scrape', expired: true, progress: { discovered: 1, scraped: 1 } });
    expectProblem(await service.raw(`/crawler/jobs/${again.id}/data`), 410, 'job_data_expired');
    const crawls = await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?limit=1');
    expect(crawls.data[0]?.id).toBe(job.id);
  });

  test('dropped: sends the headers of a running job, and has none of them after its end', async () => {
    const seen: (string | undefined)[] = [];
    const site = await siteWith({
      '/': (request, response) => {
        seen.push(String(request.headers['x-key']));
        response.writeHead(200, { 'content-type': 'text/html' }).end(pageWith('The start. <a href="/held">Held</a>'));
      },
      '/held': pageWith('Held back.'),
    });
    const gate = site.hold('/held');
    const job = await service.ok<JobAnswer>('/crawler/jobs', {
      json: { urls: [`${site.origin}/`], force_crawling_mode: 'link', headers: { 'X-Key': 'k1' } },
    });
    await gate.reached;
    expect(await dropped(job.id)).toMatchObject({ page: 1, sameText: true });
    gate.open();
    await service.untilEnded(job.id);
    await dropped(job.id);
    expect(seen).toEqual(['k1', 'k1', 'undefined']);
  });

  test('dropped: keeps the headers of the job from other sites', async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      if (request.url !== '/robots.txt') seen.push(String(request.headers['x-key']));
      response.writeHead(200, { 'content-type': 'text/html' }).end(pageWith('Elsewhere.'));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const site = await siteWith({ '/held': pageWith('Held back.') });
    site.add({
      '/': (_request, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` }).end(),
    });
    const gate = site.hold('/held');
    const job = await service.ok<JobAnswer>('/crawler/jobs', {
      json: {
        urls: [`${site.origin}/`, `${site.origin}/held`],
        force_crawling_mode: 'link',
        headers: { 'X-Key': 'k1' },
      },
    });
    await gate.reached;
    await expect.poll(async () => (await service.job(job.id)).progress.scraped, { timeout: 30_000 }).toBe(1);
    await dropped(job.id);
    gate.open();
    await service.untilEnded(job.id);
    other.closeAllConnections();
    other.close();
    expect(seen).toEqual(['undefined', 'undefined']);
  });
});

describe('a page that cannot be read again', () => {
  test.each<[string, SitePage, string]>([
    [
      'is gone',
      (_request, response) => response.writeHead(410, { 'content-type': 'text/html' }).end('gone'),
      'http_410',
    ],
    [
      'is a picture now',
      (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
      'content_type',
    ],
  ])('dropped: says why when the page %s', async (_name, page, reason) => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    site.add({ '/hay': page });
    const problem = await refused(job.id, 422, 'page_unreadable');
    expect(problem).toMatchObject({
      reason,
      detail: expect.stringContaining(`Page 1 cannot be read again (${reason})`),
    });
    // The stored page stays.
    expect((await service.job(job.id)).progress.scraped).toBe(1);
  });

  test('dropped: obeys the robots.txt that the service knows now', async () => {
    const site = await siteWith({
      '/hay': pageWith('About hay.'),
      '/robots.txt': robotsTxt('User-agent: *\nDisallow: /'),
    });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0, respect_robots: false });
    await changed(
      `UPDATE job SET spec = replace(spec, '"respectRobots":false', '"respectRobots":true') WHERE id = '${job.id}'`,
    );
    const problem = await refused(job.id, 422, 'page_unreadable');
    expect(problem).toMatchObject({ reason: 'robots_disallowed' });
    expect(site.requests.filter(({ path }) => path === '/hay')).toHaveLength(1);
  });

  test('dropped: enters no private network when the host was on the public web for the job', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    const { host } = new URL(site.origin);
    await changed(`UPDATE job SET networks = '{"${host}":""}' WHERE id = '${job.id}'`);
    const problem = await refused(job.id, 422, 'page_unreadable');
    expect(problem).toMatchObject({ reason: expect.stringMatching(/address|destination/) });
    expect(site.requests.filter(({ path }) => path === '/hay')).toHaveLength(1);
  });

  test('dropped: says that a file is no HTML, without a request', async () => {
    const site = await siteWith({
      '/notes.txt': (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/plain' }).end(`${prose.repeat(3)}\n`),
    });
    const job = await crawled({ urls: [`${site.origin}/notes.txt`], max_depth: 0 });
    const asked = site.requests.length;
    await refused(job.id, 422, 'page_not_html');
    expect(site.requests).toHaveLength(asked);
  });

  test('dropped: says that the page is no HTML when it has become a file', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    site.add({
      '/hay': (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/plain' }).end(`${prose.repeat(3)}\n`),
    });
    expect((await refused(job.id, 422, 'page_not_html')).detail).toContain('Page 1 is a file');
  });

  test.each(['2', '0', '-1', '1.0', 'x', '99999999999'])(
    'dropped: answers 404 when the job has no page %s',
    async (page) => {
      const site = await siteWith({ '/hay': pageWith('About hay.') });
      const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
      expect((await refused(job.id, 404, 'page_not_found', page)).detail).toContain('It has 1, numbered from 1.');
    },
  );

  test('dropped: answers 404 for an unknown job and for one of another org, and 410 after the deletion', async () => {
    await refused('01ARZ3NDEKTSV4RRFFQ69G5FAV', 404, 'job_not_found');
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    const stranger = await service.createToken({ org: 'strangers', permissions: 'read,write' });
    expectProblem(await service.raw(pathOf(job.id), { token: stranger.token }), 404, 'job_not_found');
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    expectProblem(await service.raw(pathOf(job.id), { token: reader.token }), 403, 'permission_denied');
    await service.ok(`/crawler/jobs/${job.id}`, { method: 'DELETE' });
    await refused(job.id, 410, 'job_data_expired');
  });

  test('dropped: needs the permission that the job needed', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0, respect_robots: false });
    const writer = await service.createToken({ org: 'default', permissions: 'read,write' });
    const problem = expectProblem(await service.raw(pathOf(job.id), { token: writer.token }), 403, 'permission_denied');
    expect(problem.detail).toContain('respect_robots');
  });

  test('dropped: ends its job when the client has left', async () => {
    const site = await siteWith({ '/hay': pageWith('About hay.') });
    const job = await crawled({ urls: [`${site.origin}/hay`], max_depth: 0 });
    const gate = site.hold('/hay');
    const left = new AbortController();
    const asked = service.api(pathOf(job.id), { signal: left.signal }).catch(() => 'left');
    await gate.reached;
    left.abort();
    expect(await asked).toBe('left');
    await expect
      .poll(
        async () => (await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?kind=scrape&limit=1')).data[0]?.status,
        {
          timeout: 30_000,
        },
      )
      .toBe('cancelled');
    gate.open();
  });
});
