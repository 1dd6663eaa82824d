// POST /scraper/scrape: one page, answered with the page or with why there is none.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scrapeResponse } from '../../src/api/routes/schemas.ts';
import { expectProblem } from './expect-problem.ts';
import { type JobAnswer, type NewToken, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

interface Answer {
  readonly status: 'scraped' | 'failed';
  readonly url: string;
  readonly jobId: string;
  readonly text?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly reason: string; readonly detail: string; readonly statusCode?: number };
}

const article = `<!doctype html><html lang="en"><head><title>Hay</title><meta name="description" content="About hay."></head>
  <body><nav><a href="/a">Menu</a></nav><main><h1>Hay</h1><p class="lead">Dried <b>grass</b>.</p><p>Kept in barns.</p></main></body></html>`;

let site: TestSite;
let service: TestService;
let reader: NewToken;
let writer: NewToken;

beforeAll(async () => {
  site = await startTestSite({
    '/robots.txt': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /private'),
    '/hay': article,
    '/private/hay': article,
    '/moved': (_request, response) => response.writeHead(301, { location: '/hay' }).end(),
    '/picture': (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
    '/secret': (request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(htmlPage({ text: `${String(request.headers['x-key'])} ${String(request.headers.cookie)}` })),
    '/notes.txt': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('Hay has to be turned twice.\n'),
    '/links': htmlPage({ text: 'links', links: ['/hay', '/moved'] }),
  });
  service = await startService();
  [reader, writer] = await Promise.all([
    service.createToken({ org: 'default', permissions: 'read' }),
    service.createToken({ org: 'writers', permissions: 'read,write' }),
  ]);
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const post = (body: unknown, token?: string) =>
  service.raw('/scraper/scrape', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(token !== undefined && { token }),
  });

async function scrape(body: Readonly<Record<string, unknown>>, token?: string): Promise<Answer> {
  const answer = await service.ok<Answer>('/scraper/scrape', { json: body, ...(token !== undefined && { token }) });
  expect(() => scrapeResponse.parse(answer)).not.toThrow();
  return answer;
}

describe('a page', () => {
  test('POST /scrape: returns the page as Markdown with its metadata', async () => {
    const url = `${site.origin}/hay`;
    expect(await scrape({ url })).toEqual({
      status: 'scraped',
      url,
      jobId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      text: '# Hay\n\nDried **grass**.\n\nKept in barns.',
      meta: expect.objectContaining({ title: 'Hay', description: 'About hay.', fetchedUrl: url, statusCode: 200 }),
    });
  });

  test.each([
    [{ format: 'text' }, 'Hay\n\nDried grass.\n\nKept in barns.'],
    [{ format: 'html' }, expect.stringContaining('<b>grass</b>')],
    [{ exclude_elements: '.lead' }, '# Hay\n\nKept in barns.'],
    [{ include_elements: '.lead' }, 'Dried **grass**.'],
    [{ content: 'full', exclude_elements: '' }, expect.stringContaining('Menu')],
  ])('POST /scrape: applies the options %j', async (options, text) => {
    expect(await scrape({ url: `${site.origin}/hay`, ...options })).toMatchObject({ status: 'scraped', text });
  });

  test('POST /scrape: returns the text of a file', async () => {
    expect(await scrape({ url: `${site.origin}/notes.txt` })).toMatchObject({
      status: 'scraped',
      text: expect.stringContaining('Hay has to be turned twice.'),
    });
  });

  test('POST /scrape: reports the URL after redirects as fetchedUrl', async () => {
    const answer = await scrape({ url: `${site.origin}/moved` });
    expect(answer).toMatchObject({ url: `${site.origin}/moved`, meta: { fetchedUrl: `${site.origin}/hay` } });
  });

  test('POST /scrape: sends the given headers and cookies', async () => {
    const { text } = await scrape({ url: `${site.origin}/secret`, headers: { 'X-Key': 'k1' }, cookies: { id: 'c1' } });
    expect(text).toContain('k1 id=c1');
  });

  test('POST /scrape: creates a job of one page that follows no link and is kept for an hour', async () => {
    const { jobId } = await scrape({ url: `${site.origin}/links` });
    expect(await service.job(jobId)).toMatchObject({
      status: 'succeeded',
      max_depth: 0,
      page_limit: 1,
      output_expiry: 3_600,
      progress: { discovered: 1, scraped: 1 },
    });
    const listed = await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?kind=scrape&limit=1');
    expect(listed.data[0]?.id).toBe(jobId);
  });

  test('POST /scrape: gives each of 20 simultaneous requests its own page', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/many/${index}`);
    site.add(Object.fromEntries(paths.map((path) => [path, htmlPage({ text: `I am ${path}.` })])));
    const answers = await Promise.all(paths.map((path) => scrape({ url: `${site.origin}${path}` })));
    expect(answers.map(({ text }) => text)).toEqual(paths.map((path) => `I am ${path}.`));
  });
});

describe('pages that cannot be read', () => {
  test.each([
    ['/none', { reason: 'http_404', detail: 'The site responded with 404.', statusCode: 404 }],
    ['/private/hay', { reason: 'robots_disallowed', detail: expect.stringContaining('Disallow: /private') }],
    ['/picture', { reason: 'content_type', detail: expect.stringContaining('(image/png)'), statusCode: 200 }],
  ])('POST /scrape: answers 200 with the reason when %s cannot be read', async (path, error) => {
    const url = `${site.origin}${path}`;
    expect(await scrape({ url })).toEqual({ status: 'failed', url, jobId: expect.any(String), error });
  });

  test('POST /scrape: reports an unreachable host without retries, and cancels the job', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    // Any port that may be fetched is allowed inside HAYRAKE_ALLOW_PRIVATE.
    const { status, error, jobId } = await scrape({ url: `http://127.0.0.1:${port}/` });
    expect([status, error?.reason]).toEqual(['failed', 'host_unreachable']);
    expect((await service.job(jobId)).status).toBe('cancelled');
  });

  test('POST /scrape: reports a timeout and cancels the job when the page takes longer than `timeout`', async () => {
    site.add({ '/slow': article });
    const gate = site.hold('/slow');
    const { error, jobId } = await scrape({ url: `${site.origin}/slow`, timeout: 1 });
    gate.open();
    expect(error).toEqual({ reason: 'timeout', detail: 'The page was not fetched within 1 s.' });
    expect((await service.job(jobId)).status).toBe('cancelled');
  });

  test('POST /scrape: reports the last failure when the time ends between two attempts', async () => {
    // Its pause is the whole host's, so it is a site of its own.
    const busy = await startTestSite({
      '/busy': (_request, response) => response.writeHead(503, { 'retry-after': '100' }).end(),
    });
    const { error } = await scrape({ url: `${busy.origin}/busy`, timeout: 1 });
    await busy.close();
    expect(error).toMatchObject({
      reason: 'timeout',
      detail: expect.stringContaining('The last attempt failed: The site responded with 503.'),
      statusCode: 503,
    });
  });
});

test('POST /scrape: cancels the job when the client goes away', async () => {
  site.add({ '/abandoned': article });
  const gate = site.hold('/abandoned');
  const gone = new AbortController();
  const answer = service.api('/scraper/scrape', {
    json: { url: `${site.origin}/abandoned` },
    signal: gone.signal,
  });
  await gate.reached;
  const { data } = await service.ok<{ data: JobAnswer[] }>('/crawler/jobs?kind=scrape&limit=1');
  gone.abort();
  await expect(answer).rejects.toThrow(/abort/i);
  expect((await service.untilEnded(data[0]!.id)).status).toBe('cancelled');
  gate.open();
});

describe('bad requests', () => {
  test.each<[unknown, string]>([
    [undefined, 'body'],
    [[], 'body'],
    [{}, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'http://example.com/', format: 'pdf' }, 'format'],
    [{ url: 'http://example.com/', timeout: 0 }, 'timeout'],
    [{ url: 'http://example.com/', timeout: 301 }, 'timeout'],
    [{ url: 'http://example.com/', timeout: '5' }, 'timeout'],
    [{ url: 'http://example.com/', page_limit: 5 }, 'page_limit'],
    [{ url: 'http://example.com/', exclude_elements: '::::' }, 'exclude_elements'],
    [{ url: 'http://example.com/', include_elements: 'a[' }, 'include_elements'],
  ])('POST /scrape: refuses %j with 400 and names %s', async (body, field) => {
    const { errors = [], detail } = expectProblem(await post(body), 400, 'invalid_body');
    expect(errors.map((error) => error.field)).toEqual([field]);
    expect(detail).toContain(`\`${field}\``);
  });

  test('POST /scrape: refuses private addresses, a missing browser and missing permissions', async () => {
    expectProblem(await post({ url: 'http://10.0.0.1/' }), 400, 'destination_not_allowed');
    const refused = await post({ url: 'http://example.com/', use_browser: true });
    expect(expectProblem(refused, 400, 'browser_missing').detail).toContain('HAYRAKE_BROWSER is off there, or');
    expectProblem(await post({ url: `${site.origin}/hay` }, reader.token), 403, 'permission_denied');
    const ignoring = { url: `${site.origin}/private/hay`, respect_robots: false };
    expectProblem(await post(ignoring, writer.token), 403, 'permission_denied');
    expect(await scrape(ignoring)).toMatchObject({ status: 'scraped' });
  });
});

describe('fields of other clients', () => {
  const fields = ['advanced_proxy'];

  test('POST /scrape: ignores fields of other clients when their value is empty or false', async () => {
    for (const no of [false, null, '', [], {}]) {
      const given = Object.fromEntries(fields.map((name) => [name, no]));
      expect(await scrape({ url: `${site.origin}/hay`, ...given })).toMatchObject({ status: 'scraped' });
    }
  });

  test.each(fields)('POST /scrape: refuses %s when it has a value that names no proxy', async (name) => {
    for (const more of [true, 1, 'auto', ['x'], { x: null }]) {
      const answer = await post({ url: `${site.origin}/hay`, [name]: more });
      const { detail, errors = [] } = expectProblem(answer, 400, 'invalid_body');
      expect(detail).toContain(`\`${name}\``);
      expect(errors.map(({ field }) => field)).toEqual([name]);
    }
  });
});

test('POST /scrape: answers 503 at once when the service stops', async () => {
  const stopping = await startService();
  try {
    site.add({ '/until-stop': article });
    const gate = site.hold('/until-stop');
    const answer = stopping.raw('/scraper/scrape', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${site.origin}/until-stop` }),
    });
    await gate.reached;
    const stopped = stopping.stop();
    expectProblem(await answer, 503, 'unavailable');
    gate.open();
    expect(await stopped).toBe(0);
    expect(stopping.stderr).toBe('');
  } finally {
    await stopping.close();
  }
});
