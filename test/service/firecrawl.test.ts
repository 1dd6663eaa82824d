// The door for clients of the Firecrawl API, as HTTP. The real clients are in test/doors.
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { jobIdOf, uuidOf } from '../../src/firecrawl/job-ids.ts';
import { startService, type TestService } from './start-service.ts';
import { htmlPage, numberedPages, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly data?: unknown };
  readonly headers: Headers;
}

async function call(
  method: string,
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await service.api(path, { method, headers, ...(json !== undefined && { json }) });
  return { status: answer.status, body: (await answer.json()) as Answer['body'], headers: answer.headers };
}

interface Status {
  readonly status: string;
  readonly completed: number;
  readonly total: number;
  readonly next?: string;
  readonly data: readonly { readonly markdown?: string; readonly metadata: { readonly sourceURL: string } }[];
}

/** Polls until the job has ended. */
async function ended(path: string): Promise<Status> {
  for (;;) {
    const { body } = await call('GET', path);
    if (body['status'] !== 'scraping') return body as unknown as Status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function started(path: string, json: unknown): Promise<{ readonly id: string; readonly path: string }> {
  const { status, body } = await call('POST', path, json);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ success: true, id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) });
  expect(body['url']).toBe(`${service.origin}${path}/${String(body['id'])}`);
  return { id: String(body['id']), path: `${path}/${String(body['id'])}` };
}

const declaredSchema = { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } };
const long = 'hay '.repeat(10_000);

beforeAll(async () => {
  const page = (text: string, links: readonly string[] = []): string => htmlPage({ text, links: [...links] });
  site = await startTestSite({
    ...numberedPages(3),
    '/hay': `<!doctype html><html lang="en"><head><title>Hay</title><meta name="keywords" content="dry, grass"></head><body><nav><a href="/page/2">menu</a></nav><main><h1>Hay</h1><p>Dry grass, ${'cut and stored. '.repeat(20)}</p></main></body></html>`,
    '/pictures': `<!doctype html><html lang="en"><head><base href="/a/"><title>Pictures</title></head><body><nav><img src="/logo.png" alt="Logo"></nav><main><h1>Pictures</h1><p>${'Hay in pictures. '.repeat(20)}<img src="1.png" alt="One"> then <img src="https://cdn.example/2.jpg" alt="Two">, again <img src="/a/1.png" alt="One">.</p></main></body></html>`,
    '/rake': `<title>Rake</title><h1>Rake</h1><p>${'A rake for hay. '.repeat(20)}</p><script type="application/ld+json">{"@type":"Product","name":"Rake","offers":{"price":"19.50"}}</script>`,
    '/docs/': page('docs', ['/docs/one', '/docs/two', '/blog/', '/docs/two?x=1']),
    '/docs/one': page('one'),
    '/docs/two': page('two'),
    '/docs/two?x=1': page('two with a query'),
    '/blog/': page('blog'),
    '/broken': page('broken', ['/gone', '/private/x', '/page/2']),
    '/robots.txt': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /private/'),
    '/many': page(
      'many',
      Array.from({ length: 60 }, (_, index) => `/big/${index}`),
    ),
    ...Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`/big/${index}`, page(`big ${index} ${index} ${long} ${index}`)]),
    ),
  });
  service = await startService();
}, 120_000);

afterAll(async () => {
  await service.close();
  await site.close();
});

describe('POST /v1/scrape and /v2/scrape', () => {
  test('POST /v2/scrape: returns the requested formats and no others', async () => {
    const formats = ['markdown', 'html', { type: 'rawHtml' }, 'links'];
    const { status, body } = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, formats, origin: 'test' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      scrape_id: expect.any(String) as string,
      data: {
        markdown: expect.stringContaining('# Hay') as string,
        html: expect.stringContaining('<h1>Hay</h1>') as string,
        rawHtml: expect.stringContaining('<meta name="keywords"') as string,
        links: [`${site.origin}/page/2`],
        metadata: {
          title: 'Hay',
          keywords: 'dry, grass',
          statusCode: 200,
          sourceURL: `${site.origin}/hay`,
          language: 'en',
        },
      },
    });
    const plain = await call('POST', '/v1/scrape', { url: `${site.origin}/hay` });
    expect(Object.keys(plain.body.data as object).toSorted()).toEqual(['markdown', 'metadata']);
    const links = await call('POST', '/v1/scrape', { url: `${site.origin}/hay`, formats: ['links'] });
    expect(Object.keys(links.body.data as object).toSorted()).toEqual(['links', 'metadata']);
    const images = await call('POST', '/v2/scrape', { url: `${site.origin}/pictures`, formats: ['images'] });
    expect(Object.keys(images.body.data as object).toSorted()).toEqual(['images', 'metadata']);
    expect(images.body.data).toMatchObject({ images: [`${site.origin}/a/1.png`, 'https://cdn.example/2.jpg'] });
    expect(site.requests.filter(({ path }) => path === '/hay')).toHaveLength(3);
  });

  test('GET /v2/scrape/{id} and /v1: returns the document of a scrape again, or its error', async () => {
    const { body } = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, formats: ['markdown', 'links'] });
    const id = String(body['scrape_id']);
    for (const version of ['v1', 'v2']) {
      const again = await call('GET', `/${version}/scrape/${id}`);
      expect(again).toMatchObject({ status: 200, body: { success: true, data: body.data } });
    }
    const { id: crawl, path } = await started('/v2/crawl', { url: `${site.origin}/hay`, limit: 1 });
    await ended(path);
    for (const other of [crawl, 'nonsense', id.replaceAll(/./g, '0')])
      expect(await call('GET', `/v2/scrape/${other}`)).toMatchObject({ status: 404, body: { success: false } });
    const failed = await call('POST', '/v2/scrape', { url: `${site.origin}/private/x` });
    expect(failed.status).toBe(403);
    const { data } = await service.ok<{ data: readonly { id: string; kind: string }[] }>(
      '/crawler/jobs?kind=scrape&limit=1',
    );
    expect(await call('GET', `/v2/scrape/${uuidOf(data[0]!.id)}`)).toMatchObject({ status: 403, body: failed.body });
  });

  test('POST /v2/scrape: applies includeTags and onlyMainContent', async () => {
    const whole = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, onlyMainContent: false });
    expect(whole.body.data).toMatchObject({ markdown: expect.stringContaining('menu') as string });
    const some = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, includeTags: ['h1'] });
    expect(some.body.data).toMatchObject({ markdown: '# Hay' });
    const none = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, includeTags: ['.none'] });
    expect(none.body.data).toMatchObject({ warning: expect.stringContaining('includeTags') as string });
  });

  test.each<[string, number, string]>([['/private/x', 403, 'SCRAPE_ROBOTS_DISALLOWED']])(
    'POST /v2/scrape: answers %s with %i %s',
    async (path, status, code) => {
      const answer = await call('POST', '/v2/scrape', { url: `${site.origin}${path}` });
      expect(answer).toMatchObject({ status, body: { success: false, code, error: expect.any(String) as string } });
    },
  );

  test('POST /v2/scrape: answers 408 when the page takes longer than `timeout`', async () => {
    site.add({ '/slow': htmlPage({ text: 'slow' }) });
    const gate = site.hold('/slow');
    const answer = await call('POST', '/v2/scrape', { url: `${site.origin}/slow`, timeout: 1_000 });
    gate.open();
    const error = expect.stringContaining('within 1 s') as string;
    expect(answer).toMatchObject({ status: 408, body: { success: false, code: 'SCRAPE_TIMEOUT', error } });
  });

  test.each<[string, Record<string, unknown>]>([
    ['zeroDataRetention', { zeroDataRetention: true }],
    ['lockdown', { lockdown: true }],
    ['actions', { actions: [{ type: 'wait', milliseconds: 1 }] }],
    ['mobile', { mobile: true }],
    ['an unknown field', { nonsense: 1 }],
    ['a field named like a property of every object', { constructor: 1 }],
    ['structured data without fields', { formats: ['markdown', { type: 'json', schema: {} }] }],
    ['structured data of a prompt alone', { formats: [{ type: 'json', prompt: 'the price' }] }],
    ['a schema with a pattern', { formats: [{ type: 'json', schema: { properties: { a: { pattern: 'x' } } } }] }],
    ['the screenshot format', { formats: ['screenshot'] }],
    ['formats that are not a list', { formats: 'markdown' }],
    ['a wrong type', { onlyMainContent: 'yes' }],
    ['a wrong number', { timeout: -5 }],
    ['wrong selectors', { includeTags: ['[['] }],
    ['a forbidden header', { headers: { Host: 'other' } }],
    ['a null URL', { url: null }],
    ['a file URL', { url: 'file:///etc/passwd' }],
    ['a list as URL', { url: ['x'] }],
  ])('POST /v2/scrape: refuses %s with 400 in the form of Firecrawl errors', async (_name, fields) => {
    const { status, body } = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, ...fields });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { success: false, error: expect.any(String) as string },
    });
    expect(String(body['error'])).not.toBe('');
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['json', '/v2', { formats: ['markdown', { type: 'json', schema: declaredSchema }] }],
    ['json', '/v1', { formats: ['json'], jsonOptions: { schema: declaredSchema, prompt: '' } }],
    ['extract', '/v1', { formats: ['extract', 'markdown'], extract: { schema: declaredSchema } }],
  ])('POST /scrape: has what the page declares as %s (%s)', async (key, version, fields) => {
    const { body } = await call('POST', `${version}/scrape`, { url: `${site.origin}/rake`, ...fields });
    const rake = { name: 'Rake', price: 19.5 };
    expect(body.data).toMatchObject({ [key]: rake });
    expect(body.data).not.toHaveProperty('warning');
    const again = await call('GET', `${version}/scrape/${String(body['scrape_id'])}`);
    expect(again.body.data).toMatchObject({ [key]: rake });
  });

  test('POST /v2/scrape: warns that a prompt has no effect', async () => {
    const formats = [{ type: 'json', schema: declaredSchema, prompt: 'Find the price.' }];
    const { body } = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, formats });
    expect(body.data).toMatchObject({ json: null, warning: expect.stringContaining('prompt') as string });
  });

  test('POST /v2/crawl: has the record of each page', async () => {
    const scrapeOptions = { formats: [{ type: 'json', schema: declaredSchema }] };
    const { path } = await started('/v2/crawl', { url: `${site.origin}/rake`, scrapeOptions });
    expect((await ended(path)).data).toMatchObject([{ json: { name: 'Rake', price: 19.5 } }]);
  });

  test('POST /v2/scrape: warns about options without effect, except when they say no', async () => {
    const silent = {
      zeroDataRetention: false,
      actions: [],
      mobile: false,
      skipTlsVerification: false,
      location: null,
      proxy: 'auto',
    };
    const quiet = await call('POST', '/v2/scrape', { url: `${site.origin}/hay`, ...silent, waitFor: 0, maxAge: 1 });
    expect(quiet.body.data).not.toHaveProperty('warning');
    const loud = await call('POST', '/v2/scrape', {
      url: `${site.origin}/hay`,
      location: { country: 'DE' },
      removeBase64Images: false,
      proxy: 'stealth',
    });
    const { warning } = loud.body.data as { warning: string };
    expect(warning).toContain('`location`');
    expect(warning).toContain('`proxy`');
    expect(warning).toContain('`removeBase64Images`');
  });
});

describe('POST /v1/crawl and /v2/crawl', () => {
  test('POST /v2/crawl: stays below the path of the start URL, except with crawlEntireDomain', async () => {
    const { path } = await started('/v2/crawl', {
      url: `${site.origin}/docs/`,
      scrapeOptions: { formats: ['markdown', 'links'] },
    });
    const { data, ...status } = await ended(path);
    expect(status).toMatchObject({ success: true, status: 'completed', completed: 4, total: 4, creditsUsed: 4 });
    expect(status).not.toHaveProperty('next');
    expect(data.map(({ metadata }) => new URL(metadata.sourceURL).pathname).toSorted()).toEqual([
      '/docs/',
      '/docs/one',
      '/docs/two',
      '/docs/two',
    ]);
    expect(data[0]).toHaveProperty('links');
    const entire = await started('/v2/crawl', {
      url: `${site.origin}/docs/`,
      crawlEntireDomain: true,
      ignoreQueryParameters: true,
    });
    expect(
      (await ended(entire.path)).data.map(({ metadata }) => metadata.sourceURL.slice(site.origin.length)).toSorted(),
    ).toEqual(['/blog/', '/docs/', '/docs/one', '/docs/two']);
  });

  test.each<[Record<string, unknown>, boolean]>([
    [{ includePaths: ['^/blog/'] }, true],
    [{ includePaths: ['^/docs/', 'blog'] }, true],
    [{ includePaths: ['^/docs/one|^/blog/'] }, true],
    [{ includePaths: ['^/docs/?'] }, true],
    [{ includePaths: ['^/docs/one$', '^\\/docs\\/two'] }, false],
    [{ includePaths: ['^/blog/'], crawlEntireDomain: true }, false],
    [{ excludePaths: ['^/blog/'] }, false],
  ])('POST /v2/crawl: warns if %j can match URLs outside the path of the start URL: %s', async (fields, warns) => {
    const { body } = await call('POST', '/v2/crawl', { url: `${site.origin}/docs/`, limit: 1, ...fields });
    expect(body).toMatchObject({ success: true });
    expect(JSON.stringify(body).includes('crawlEntireDomain')).toBe(warns);
  });

  test('POST /v1/crawl: reads includePaths and excludePaths as regular expressions on the path', async () => {
    const body = {
      url: `${site.origin}/docs/`,
      crawlEntireDomain: true,
      includePaths: ['^/(docs|blog)/'],
      excludePaths: ['two$'],
    };
    const { path } = await started('/v1/crawl', body);
    expect((await ended(path)).data.map(({ metadata }) => new URL(metadata.sourceURL).pathname).toSorted()).toEqual([
      '/blog/',
      '/docs/',
      '/docs/one',
    ]);
    const bad = await call('POST', '/v2/crawl', { url: `${site.origin}/`, includePaths: ['(?=x)'] });
    expect(bad).toMatchObject({ status: 400, body: { error: expect.stringContaining('includePaths') as string } });
  });

  test('GET /v2/crawl/{id}: returns every page of an ended job once, over `next` URLs of this service', async () => {
    const { path } = await started('/v2/crawl', { url: `${site.origin}/many`, crawlEntireDomain: true });
    await ended(path);
    let next: string | undefined = `${path}?limit=25`;
    const urls: string[] = [];
    for (let reads = 0; next !== undefined; reads++) {
      expect(reads).toBeLessThan(10);
      const { body }: Answer = await call('GET', next, undefined, {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
      });
      const status = body as unknown as Status;
      expect(status.data.length).toBeGreaterThan(0);
      urls.push(...status.data.map(({ metadata }) => metadata.sourceURL));
      expect(status.next ?? `${service.origin}/v2/crawl/`).toContain(`${service.origin}/v2/crawl/`);
      next = status.next?.slice(service.origin.length);
    }
    expect(new Set(urls).size).toBe(61);
    expect(urls).toHaveLength(61);
  });

  test('GET /v2/crawl/{id}: returns at most 1 MiB and no `next` while the job runs, except with `skip`', async () => {
    site.add({
      '/still': htmlPage({
        text: 'still',
        links: ['/held', ...Array.from({ length: 60 }, (_, index) => `/big/${index}`)],
      }),
      '/held': htmlPage({ text: 'held' }),
    });
    const gate = site.hold('/held');
    const { path } = await started('/v2/crawl', { url: `${site.origin}/still`, crawlEntireDomain: true });
    try {
      for (;;) {
        const { body } = await call('GET', path);
        if (Number(body['completed']) >= 61) break;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const poll = await service.raw(path);
      expect(poll.body.length).toBeLessThan(2 ** 20 + 2_000);
      expect(poll.body.length).toBeGreaterThan(2 ** 19);
      const status = JSON.parse(poll.body.toString()) as Status;
      expect(status.status).toBe('scraping');
      expect(status).not.toHaveProperty('next');
      const paged = (await call('GET', `${path}?skip=0`)).body as unknown as Status;
      expect(paged.data).toHaveLength(61);
      expect(paged).not.toHaveProperty('next');
    } finally {
      gate.open();
    }
    expect((await ended(path)).data).toHaveLength(62);
  });

  test('GET /v1/crawl/{id}: returns all small pages of an ended job in one response', async () => {
    const paths = Array.from({ length: 230 }, (_, index) => `/crowd/${index}`);
    site.add({
      '/crowd': htmlPage({ text: 'crowd', links: paths }),
      ...Object.fromEntries(paths.map((page) => [page, htmlPage({ text: `only ${page}` })])),
    });
    const { path } = await started('/v1/crawl', { url: `${site.origin}/crowd` });
    const status = await ended(path);
    expect(status).toMatchObject({ completed: 231 });
    expect(status.data).toHaveLength(231);
    expect(status).not.toHaveProperty('next');
    const limited = (await call('GET', `${path}?limit=150&skip=50`)).body as unknown as Status;
    expect(limited.data).toHaveLength(150);
    expect(limited.next).toBe(`${service.origin}${path}?skip=200&limit=150`);
  });

  test('GET /v1/crawl/{id}: fills 10 MiB when the job has ended, and `next` leads to the rest', async () => {
    const paths = Array.from({ length: 36 }, (_, index) => `/vast/${index}`);
    const text = (index: number): string => `vast ${index} ${`${index} hay `.repeat(50_000)}`;
    site.add({
      '/vast': htmlPage({ text: 'vast', links: paths }),
      ...Object.fromEntries(paths.map((page, index) => [page, htmlPage({ text: text(index) })])),
    });
    const { path } = await started('/v1/crawl', { url: `${site.origin}/vast` });
    await ended(path);
    const first = await service.raw(path);
    expect(first.body.length).toBeGreaterThan(9.5 * 2 ** 20);
    expect(first.body.length).toBeLessThan(10 * 2 ** 20 + 2_000);
    const { next = '', data } = JSON.parse(first.body.toString()) as Status;
    const rest = (await call('GET', next.slice(service.origin.length))).body as unknown as Status;
    expect(data.length + rest.data.length).toBe(37);
    expect(rest).not.toHaveProperty('next');
  });

  test('crawl: reports errors and robots.txt blocks, lists active crawls, and cancels', async () => {
    const { path, id } = await started('/v2/crawl', { url: `${site.origin}/broken`, crawlEntireDomain: true });
    await ended(path);
    for (const [method, version] of [
      ['GET', 'v2'],
      ['GET', 'v1'],
      ['DELETE', 'v1'],
    ] as const) {
      const { body } = await call(method, `/${version}/crawl/${id}/errors`);
      expect(body).toMatchObject({
        errors: [{ url: `${site.origin}/gone`, code: 'HTTP_404' }],
        robotsBlocked: [`${site.origin}/private/x`],
      });
      const [entry] = (
        await service.ok<{ data: { attemptedAt: number }[] }>(`/crawler/jobs/${jobIdOf(id)}/urls?status=failed`)
      ).data;
      const { timestamp } = (body as unknown as { errors: [{ timestamp: string }] }).errors[0];
      expect(Date.parse(timestamp)).toBe(entry?.attemptedAt);
    }
    expect(await call('DELETE', path)).toMatchObject({ status: 409, body: { success: false } });
    const gate = site.hold('/page/1');
    site.add({ '/wait': htmlPage({ text: 'wait', links: ['/page/1'] }) });
    const running = await started('/v2/crawl', { url: `${site.origin}/wait`, crawlEntireDomain: true });
    await gate.reached;
    const active = await call('GET', '/v2/crawl/active');
    expect(active.body['crawls']).toEqual(expect.arrayContaining([expect.objectContaining({ id: running.id })]));
    expect(await call('DELETE', running.path)).toMatchObject({
      status: 200,
      body: { success: true, status: 'cancelled' },
    });
    gate.open();
    expect(await ended(running.path)).toMatchObject({ status: 'cancelled' });
    expect(await call('DELETE', running.path)).toMatchObject({ status: 200 });
  });

  test("POST /v2/crawl: keeps the warning about ignored fields in the job's status and notices", async () => {
    const { id, path } = await started('/v2/crawl', {
      url: `${site.origin}/hay`,
      scrapeOptions: { timeout: 5_000 },
      delay: 0.1,
      maxConcurrency: 3,
      limit: 1,
    });
    const { warning } = (await ended(path)) as Status & { readonly warning: string };
    expect(warning).toContain('`scrapeOptions.timeout`');
    for (const field of ['delay', 'maxConcurrency']) expect(warning).not.toContain(`\`${field}\``);
    const { notices, ...job } = await service.job(jobIdOf(id));
    expect(job).toMatchObject({ host_delay_ms: 100, host_concurrency: 3 });
    expect(notices).toMatchObject([{ code: 'fields_ignored', message: warning }]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a webhook', { webhook: 'https://hook.example/' }],
    ['a prompt', { prompt: 'everything about hay' }],
    ['robotsUserAgent', { robotsUserAgent: 'other' }],
    ['an unknown sitemap mode', { sitemap: 'maybe' }],
    ['zeroDataRetention', { zeroDataRetention: true }],
    ['an unknown page option', { scrapeOptions: { nonsense: true } }],
    ['scrapeOptions that are not an object', { scrapeOptions: 'markdown' }],
    ['a limit of zero', { limit: 0 }],
    ['allowExternalLinks below a path', { url: 'http://127.0.0.1/docs/', allowExternalLinks: true }],
  ])('POST /v2/crawl: refuses %s with 400', async (_name, fields) => {
    const answer = await call('POST', '/v2/crawl', { url: `${site.origin}/`, ...fields });
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
  });

  test('POST /v2/crawl: answers ignoreRobotsTxt with 403 when the token lacks the permission', async () => {
    const { token } = await service.createToken({ org: 'default', permissions: 'read,write' });
    const answer = await service.api('/v2/crawl', { token, json: { url: site.origin, ignoreRobotsTxt: true } });
    expect(answer.status).toBe(403);
  });

  test('POST /v2/crawl: returns the same job for the same idempotency key, and 409 when the body differs', async () => {
    const headers = { 'x-idempotency-key': 'the-same' };
    const body = { url: `${site.origin}/hay`, limit: 1 };
    const [first, second] = [
      await call('POST', '/v2/crawl', body, headers),
      await call('POST', '/v2/crawl', body, headers),
    ];
    expect(second.body['id']).toBe(first.body['id']);
    expect((await call('POST', '/v2/crawl', { ...body, limit: 2 }, headers)).status).toBe(409);
  });
});

describe('batch and map', () => {
  test('POST /v2/batch/scrape: leaves out invalid URLs and lists them', async () => {
    const urls = [`${site.origin}/docs/one`, 'http://', 'no host', `${site.origin}/gone`, `${site.origin}/docs/two`];
    const { status, body } = await call('POST', '/v2/batch/scrape', { urls, formats: ['markdown'] });
    expect({ status, body }).toMatchObject({ status: 200, body: { invalidURLs: ['http://', 'no host'] } });
    const id = String(body['id']);
    // An SDK of version 1 polls batches as crawls.
    for (const path of [`/v2/batch/scrape/${id}`, `/v1/crawl/${id}`])
      expect(await ended(path)).toMatchObject({ status: 'completed', completed: 3, data: [{}, {}, {}] });
    expect((await call('GET', `/v2/batch/scrape/${id}/errors`)).body).toMatchObject({ errors: [] });
    expect((await call('POST', '/v2/batch/scrape', { urls, ignoreInvalidURLs: false })).status).toBe(400);
    expect((await call('POST', '/v2/batch/scrape', { urls: ['http://'] })).status).toBe(400);
    expect((await call('POST', '/v2/batch/scrape', { urls, appendToId: id })).status).toBe(400);
  });

  test('POST /v2/map: lists URLs, ordered by the words of `search`', async () => {
    const v2 = await call('POST', '/v2/map', { url: `${site.origin}/docs/`, search: 'two' });
    const urls = (v2.body['links'] as readonly { readonly url: string }[]).map(({ url }) =>
      url.slice(site.origin.length),
    );
    expect(urls[0]).toBe('/docs/two');
    expect(urls.toSorted()).toEqual(['/blog/', '/docs/', '/docs/one', '/docs/two']);
    const v1 = await call('POST', '/v1/map', { url: `${site.origin}/docs/`, limit: 2, ignoreQueryParameters: false });
    expect(v1.body['links']).toEqual([`${site.origin}/docs/`, expect.any(String)]);
  });
});

describe('other endpoints', () => {
  test('uuidOf: converts job ids to UUIDs and back, and the API accepts both', async () => {
    for (const id of ['7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '00000000000000000000000000', '7ZZZZZ5VAJ0Q0N3C4W8M9T2K6D']) {
      expect(uuidOf(id)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
      expect(jobIdOf(uuidOf(id))).toBe(id);
      expect(jobIdOf(id.toLowerCase())).toBe(id);
    }
    const { id } = await started('/v2/crawl', { url: `${site.origin}/hay`, limit: 1 });
    expect((await call('GET', `/v2/crawl/${jobIdOf(id)}`)).status).toBe(200);
  });

  test('GET /v2/team/credit-usage: answers, as do concurrency-check and queue-status', async () => {
    expect((await call('GET', '/v2/team/credit-usage')).body).toMatchObject({
      success: true,
      data: { remainingCredits: expect.any(Number) as number },
    });
    expect((await call('GET', '/v1/team/credit-usage')).body).toMatchObject({
      data: { remaining_credits: expect.any(Number) as number },
    });
    expect((await call('GET', '/v2/concurrency-check')).body).toMatchObject({
      maxConcurrency: expect.any(Number) as number,
    });
    expect((await call('GET', '/v2/team/queue-status')).body).toMatchObject({ success: true });
  });

  test.each([
    ['POST', '/v1/extract'],
    ['POST', '/v0/scrape'],
    ['GET', '/v2/nothing/here'],
  ])('%s %s: answers 404 and says that it is not available', async (method, path) => {
    const answer = await call(method, path, method === 'POST' ? {} : undefined);
    expect(answer).toMatchObject({
      status: 404,
      body: { success: false, error: expect.stringContaining('not available') as string },
    });
  });

  test.each([
    ['GET', '/v2/scrape', 'POST'],
    ['OPTIONS', '/v1/scrape', 'POST'],
    ['PUT', '/v2/crawl/active', 'DELETE, GET, HEAD'],
    ['POST', '/v2/team/credit-usage', 'GET, HEAD'],
    ['PUT', '//v1//batch/scrape/00000000-0000-0000-0000-000000000000/', 'DELETE, GET, HEAD'],
  ])('%s %s: answers 405 and allows %s', async (method, path, allow) => {
    const answer = await service.raw(path, { method, headers: { 'content-type': 'text/plain' } });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED' });
  });

  test('GET /v2/crawl/{id}: answers unknown and foreign jobs with 404, wrong tokens with 401, missing permission with 403', async () => {
    const { id } = await started('/v2/crawl', { url: `${site.origin}/hay`, limit: 1 });
    for (const other of ['00000000-0000-0000-0000-000000000000', 'x', `${id}0`])
      expect(await call('GET', `/v2/crawl/${other}`)).toMatchObject({
        status: 404,
        body: { success: false, error: 'Job not found' },
      });
    const stranger = await service.createToken({ org: 'elsewhere' });
    expect((await service.api(`/v2/crawl/${id}`, { token: stranger.token })).status).toBe(404);
    for (const path of ['/v2/scrape', '/v1/crawl', '/v2/team/credit-usage', `/v2/crawl/${id}`]) {
      const answer = await service.api(path, {
        token: 'fc-wrong',
        method: path.includes('team') || path.includes(id) ? 'GET' : 'POST',
      });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ success: false, error: expect.any(String) as string });
    }
    const reader = await service.createToken({ org: 'default', permissions: 'read' });
    expect((await service.api('/v2/crawl', { token: reader.token, json: { url: site.origin } })).status).toBe(403);
  });

  test('/v2/crawl: answers invalid positions and bodies with 400', async () => {
    const { path } = await started('/v2/crawl', { url: `${site.origin}/hay`, limit: 1 });
    for (const query of ['skip=-1', 'skip=x', 'limit=0', 'skip=1&skip=2'])
      expect((await call('GET', `${path}?${query}`)).status).toBe(400);
    for (const body of ['', '[]', '{', 'null']) {
      const answer = await service.raw('/v2/crawl', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ success: false });
    }
  });

  test('HTTP server: answers without an upgrade when the request offers HTTP/2', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(`${service.origin}/healthz`, {
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' },
    })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('upgrade', () => reject(new Error('upgraded')))
      .on('error', reject)
      .end();
    expect(await promise).toBe(200);
  });
});

describe('WebSocket of a crawl', () => {
  const upgrade = (to: TestService, path: string, headers: Record<string, string> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; socket?: Duplex }>();
    request(`${to.origin}${path}`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...(headers['authorization'] === undefined && { 'sec-websocket-protocol': to.token }),
        ...headers,
      },
    })
      .on('response', (response) => resolve({ status: response.resume().statusCode ?? 0 }))
      .on('upgrade', ({ headers: answered }, socket: Duplex) => {
        // The example of RFC 6455, 1.3.
        expect(answered['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
        resolve({ status: 101, socket });
      })
      .on('error', reject)
      .end();
    return promise;
  };

  test('WebSocket /v2/crawl/{id}: accepts doubled slashes, and refuses wrong tokens, jobs, hosts and versions', async () => {
    const { id, path } = await started('/v2/crawl', { url: `${site.origin}/hay`, limit: 1 });
    const statusOf = async (...of: [string, Record<string, string>?]): Promise<number> =>
      (await upgrade(service, ...of)).status;
    // A base URL that ends with a slash.
    expect(await statusOf(`/${path}/`)).toBe(101);
    // As the SDK of Python sends it.
    expect(await statusOf(path, { authorization: `Bearer ${service.token}` })).toBe(101);
    expect(await statusOf(path, { 'sec-websocket-protocol': 'fc-wrong' })).toBe(401);
    expect(await statusOf(path, { 'sec-websocket-protocol': '' })).toBe(401);
    expect(await statusOf('/v2/crawl/00000000-0000-0000-0000-000000000000')).toBe(404);
    expect(await statusOf(path, { host: 'evil.example' })).toBe(421);
    expect(await statusOf(path, { 'sec-websocket-version': '7' })).toBe(400);
    expect(await statusOf(path, { 'sec-websocket-key': 'short' })).toBe(400);
    const stranger = await service.createToken({ org: 'elsewhere' });
    expect(await statusOf(`/v1/crawl/${id}`, { 'sec-websocket-protocol': stranger.token })).toBe(404);
  });

  /** A masked frame with the mask 0 (RFC 6455, 5.2). */
  const frame = (opcode: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

  // Python's `websockets` pings every 20 s, and closes 20 s later when no pong has come.
  test('WebSocket /v2/crawl/{id}: answers pings, and ends when the client sends more than 64 KiB', async () => {
    site.add({
      '/pinged': htmlPage({ text: 'pinged', links: ['/held'] }),
      '/held': htmlPage({ text: 'held' }),
    });
    const gate = site.hold('/held');
    try {
      const { path } = await started('/v2/crawl', { url: `${site.origin}/pinged`, crawlEntireDomain: true });
      await gate.reached;
      const { socket } = await upgrade(service, path);
      const received: Buffer[] = [];
      const closed = new Promise((resolve) => socket?.once('close', resolve));
      socket?.on('error', () => undefined).on('data', (chunk: Buffer) => received.push(chunk));
      socket?.write(frame(0x9, 'ping 17'));
      await vi.waitFor(() => expect(Buffer.concat(received).toString('latin1')).toContain('\u008A\u0007ping 17'));
      const chat = frame(0x1, 'c'.repeat(100));
      socket?.write(Buffer.concat(Array<Buffer>(700).fill(chat)));
      await closed;
    } finally {
      gate.open();
    }
  });

  test('WebSocket /v2/crawl/{id}: lets the service stop when the client never closes', async () => {
    const stopping = await startService();
    site.add({
      '/watched': htmlPage({ text: 'watched', links: ['/endless'] }),
      '/endless': htmlPage({ text: 'endless' }),
    });
    const gate = site.hold('/endless');
    try {
      const { id } = await stopping.ok<{ id: string }>('/v2/crawl', {
        json: { url: `${site.origin}/watched`, crawlEntireDomain: true },
      });
      await gate.reached;
      const { status, socket } = await upgrade(stopping, `/v2/crawl/${id}`);
      expect(status).toBe(101);
      socket?.on('error', () => undefined).pause();
      gate.open();
      expect(await stopping.stop()).toBe(0);
      socket?.destroy();
    } finally {
      gate.open();
      await stopping.close();
    }
  });
});

test('GET /v2/crawl/{id}?skip: waits instead of refusing when the rate limit is reached', async () => {
  const limited = await startService({ env: { HAYRAKE_REQUESTS_PER_MINUTE: '6' } });
  try {
    const { id } = await limited.ok<{ id: string }>('/v2/crawl', { json: { url: `${site.origin}/hay`, limit: 1 } });
    const left = new AbortController();
    const statuses: number[] = [];
    const reads = Array.from({ length: 20 }, async () => {
      const { status } = await fetch(`${limited.origin}/v2/crawl/${id}?skip=0`, {
        headers: { authorization: `Bearer ${limited.token}` },
        signal: left.signal,
      });
      statuses.push(status);
    });
    // One of six a minute made the crawl.
    await expect.poll(() => statuses.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
    left.abort();
    await Promise.allSettled(reads);
    // The limit holds for them, but none was refused: the others wait.
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses.length).toBeLessThan(20);
  } finally {
    await limited.close();
  }
});

test('Firecrawl API: builds URLs from HAYRAKE_PUBLIC_URL, and is off with HAYRAKE_FIRECRAWL=off', async () => {
  const proxied = await startService({ env: { HAYRAKE_PUBLIC_URL: 'https://crawl.example/hay/' } });
  try {
    const { url } = await proxied.ok<{ url: string }>('/v2/crawl', { json: { url: `${site.origin}/hay`, limit: 1 } });
    expect(url).toMatch(/^https:\/\/crawl\.example\/hay\/v2\/crawl\/[\da-f-]{36}$/);
  } finally {
    await proxied.close();
  }
  const off = await startService({ env: { HAYRAKE_FIRECRAWL: 'off' } });
  try {
    expect((await off.api('/v2/scrape', { json: { url: `${site.origin}/hay` } })).status).toBe(404);
  } finally {
    await off.close();
  }
});

describe('POST /v2/search', () => {
  let engine: TestSite;
  let searching: TestService;
  let answer: { status: number; body: string };
  const asked: string[] = [];
  const post = async (path: string, json: object): Promise<Answer> => {
    const response = await searching.api(path, { method: 'POST', json });
    return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
  };

  beforeAll(async () => {
    engine = await startTestSite({
      '/engine/search': (asking, response) => {
        let text = '';
        asking.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        asking.on('end', () => {
          asked.push(text);
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
        });
      },
    });
    searching = await startService({ env: { HAYRAKE_WEB_SEARCH_URL: `${engine.origin}/engine` } });
  });
  afterAll(async () => {
    await searching.close();
    await engine.close();
  });

  const results = (...urls: readonly unknown[]): { status: number; body: string } => ({
    status: 200,
    body: JSON.stringify({
      results: urls.map((url) => ({ url, title: `Title of ${String(url)}`, content: 'A snippet.' })),
    }),
  });

  test('POST /v2/search: returns results in the order of the search engine, each URL once', async () => {
    const [one, two] = [`${site.origin}/hay`, `${site.origin}/page/2`];
    answer = results(one, 'javascript:alert(1)', 7, one, two, `${site.origin}/page/3`);
    const found = await post('/v2/search', { query: 'dry hay', limit: 2, tbs: 'qdr:w', excludeDomains: ['b.example'] });
    const row = (url: string) => ({ url, title: `Title of ${url}`, description: 'A snippet.' });
    expect(found).toMatchObject({ status: 200, body: { success: true } });
    expect(found.body.data).toEqual({
      web: [
        { ...row(one), position: 1 },
        { ...row(two), position: 2 },
      ],
    });
    expect(Object.fromEntries(new URLSearchParams(asked.at(-1)))).toEqual({
      q: 'dry hay -site:b.example',
      format: 'json',
      time_range: 'week',
    });
    const old = await post('/v1/search', { query: 'hay', limit: 1 });
    expect(old.body.data).toEqual([row(one)]);
  });

  test('POST /v2/search: scrapes the results with scrapeOptions, and keeps those that cannot be read', async () => {
    answer = results(`${site.origin}/hay`, `${site.origin}/private/x`);
    const found = await post('/v2/search', { query: 'hay', scrapeOptions: { formats: ['markdown', 'links'] } });
    expect(found.body.data).toMatchObject({
      web: [
        { markdown: expect.stringContaining('# Hay') as string, links: [`${site.origin}/page/2`] },
        { title: expect.any(String) as string, metadata: { error: expect.stringContaining('robots') as string } },
      ],
    });
  });

  test.each<[string, number, string, string]>([
    ['is not JSON', 200, '<html>', 'not JSON'],
    ['has no results', 200, '{}', 'no `results`'],
    ['is a refusal of the format', 403, '', 'search.formats'],
    ['is an error', 500, '', '500'],
  ])('POST /v2/search: says so when the response of the search engine %s', async (_name, status, body, text) => {
    answer = { status, body };
    const refused = await post('/v2/search', { query: 'hay' });
    expect(refused).toMatchObject({
      status: 500,
      body: { success: false, error: expect.stringContaining(text) as string },
    });
  });

  test.each([
    {},
    { query: ' ' },
    { query: 'x', sources: ['news'] },
    { query: 'x', tbs: 'odd' },
    { query: 'x', odd: 1 },
  ])('POST /v2/search: refuses %j with 400', async (body) => {
    expect(await post('/v2/search', body)).toMatchObject({ status: 400, body: { success: false } });
  });

  test('POST /v2/search: answers 400 and names the setting when there is no search engine', async () => {
    expect(await call('POST', '/v2/search', { query: 'hay' })).toMatchObject({
      status: 400,
      body: { success: false, error: expect.stringContaining('HAYRAKE_WEB_SEARCH_URL') as string },
    });
  });
});
