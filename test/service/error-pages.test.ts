// Pages that a site sends with an error status, for clients that want them (`error_pages`), and for those of the Firecrawl API,
// whose loops end at the first HTTP error.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type SiteHandler, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;

const answers =
  (status: number, body: string | Buffer, type = 'text/html'): SiteHandler =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const text = 'This page has moved away, dear reader, look elsewhere.';

beforeAll(async () => {
  site = await startTestSite({
    '/good': htmlPage({ text: 'good' }),
    '/gone': answers(404, htmlPage({ text, links: ['/good'] })),
    '/closed': answers(403, htmlPage({ text })),
    '/ended': answers(410, htmlPage({ text })),
    '/unwilling': answers(501, htmlPage({ text })),
    '/empty': answers(404, ''),
    '/image': answers(404, Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png'),
    '/moving': answers(404, '<meta http-equiv="refresh" content="0;url=/good">'),
    '/wall': (_request, response) =>
      void response
        .writeHead(403, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' })
        .end(htmlPage({ text })),
  });
  service = await startService();
});

afterAll(async () => {
  await service.close();
  await site.close();
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(path: string, json: unknown): Promise<Answer> {
  const answer = await service.api(path, { method: 'POST', json });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const statuses = [
  ['/gone', 404],
  ['/closed', 403],
  ['/ended', 410],
  ['/unwilling', 501],
] as const;

describe('error_pages', () => {
  test.each(statuses)('POST /scraper/scrape: returns %s, a %i, only with error_pages', async (path, statusCode) => {
    const url = `${site.origin}${path}`;
    const wanted = await send('/scraper/scrape', { url, error_pages: true });
    expect(wanted.body).toMatchObject({
      status: 'scraped',
      text: expect.stringContaining(text) as string,
      meta: { statusCode },
    });
    for (const more of [{}, { error_pages: false }])
      expect((await send('/scraper/scrape', { url, ...more })).body).toMatchObject({
        status: 'failed',
        error: { reason: `http_${statusCode}`, statusCode },
      });
  });

  test.each([
    ['/image', 'http_404'],
    ['/moving', 'http_404'],
    ['/wall', 'challenge'],
  ])('POST /scraper/scrape: fails %s, which has no page, as %s', async (path, reason) => {
    const { body } = await send('/scraper/scrape', { url: `${site.origin}${path}`, error_pages: true });
    expect(body).toMatchObject({ status: 'failed', error: { reason } });
  });

  test('POST /scraper/batch: delivers error pages, and follows none of their links', async () => {
    const urls = ['/gone', '/good', '/closed', '/image'].map((path) => `${site.origin}${path}`);
    const { body } = await send('/scraper/batch', { urls, error_pages: true });
    const job = await service.untilEnded(String(body['id']));
    expect(job).toMatchObject({ error_pages: true, progress: { discovered: 4, scraped: 3, failed: 1 } });
    const without = await service.untilEnded(String((await send('/scraper/batch', { urls })).body['id']));
    expect(without).toMatchObject({ error_pages: false, progress: { scraped: 1, failed: 3 } });
  });
});

describe('clients of the Firecrawl API', () => {
  test.each(['v1', 'v2'])(
    'POST /%s/scrape: answers 200 for an error page, with its status beside it',
    async (version) => {
      for (const [path, statusCode] of statuses) {
        const url = `${site.origin}${path}`;
        const { status, body } = await send(`/${version}/scrape`, { url });
        const reason = expect.stringContaining(String(statusCode)) as string;
        expect(status).toBe(200);
        expect(body).toMatchObject({
          success: true,
          warning: reason,
          data: {
            markdown: expect.stringContaining(text) as string,
            metadata: { statusCode, error: reason, sourceURL: url },
          },
        });
      }
    },
  );

  test.each(['/empty', '/image', '/moving'])(
    'POST /v2/scrape: answers 200 for %s, which has no content',
    async (path) => {
      const { status, body } = await send('/v2/scrape', { url: `${site.origin}${path}` });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        success: true,
        warning: expect.any(String) as string,
        data: { markdown: '', metadata: { statusCode: 404 } },
      });
    },
  );

  test('POST /v2/scrape: answers 500 when there is no status, and for a challenge', async () => {
    expect(await send('/v2/scrape', { url: `${site.origin}/wall` })).toMatchObject({
      status: 500,
      body: { code: 'SCRAPE_CHALLENGE' },
    });
    expect(await send('/v2/scrape', { url: 'http://nobody.invalid/' })).toMatchObject({
      status: 500,
      body: { code: 'SCRAPE_DNS' },
    });
  });

  test('POST /v2/batch/scrape: has a document for each dead link', async () => {
    const urls = ['/gone', '/good', '/closed'].map((path) => `${site.origin}${path}`);
    const { body } = await send('/v2/batch/scrape', { urls });
    for (;;) {
      const found = await service.ok<{
        readonly status: string;
        readonly data: readonly { readonly metadata: { readonly statusCode: number } }[];
      }>(`/v2/batch/scrape/${String(body['id'])}`);
      if (found.status === 'scraping') {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      expect(found.data.map(({ metadata }) => metadata.statusCode).toSorted((a, b) => a - b)).toEqual([200, 403, 404]);
      return;
    }
  });
});
