// How responses travel: compressed, with a tag, with the limits of the org, and to pages of other origins.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

const app = 'https://app.example.com';

let site: TestSite;
let service: TestService;
let id: string;

beforeAll(async () => {
  site = await startTestSite(numberedPages(12));
  service = await startService({ env: { HAYRAKE_CORS_ORIGINS: `${app}, http://localhost:3000` } });
  ({ id } = await service.crawl({ urls: [`${site.origin}/page/1`] }));
  for (let n = 0; n < 5; n++) await service.crawl({ urls: [`${site.origin}/page/${n + 1}`], page_limit: 1 });
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const packed = { headers: { 'accept-encoding': 'br, gzip' } };

describe('compression', () => {
  test.each(['/crawler/jobs', '/crawler/jobs/ID', '/crawler/jobs?limit=3', '/openapi.json'])(
    'GET %s: is compressed when gzip is accepted, and may be kept only if it is checked',
    async (path) => {
      const url = path.replace('ID', id);
      const [plain, small] = [await service.raw(url), await service.raw(url, packed)];
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(small.headers).toMatchObject({
        'content-encoding': 'gzip',
        'cache-control': 'private, no-cache',
        vary: expect.stringContaining('accept-encoding') as string,
      });
      expect(small.body.length).toBeLessThan(plain.body.length / 2);
      expect(JSON.parse(gunzipSync(small.body).toString())).toEqual(JSON.parse(plain.body.toString()));
    },
  );

  test('GET /metrics: is compressed too', async () => {
    const { headers, body } = await service.raw('/metrics', packed);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'no-store' });
    expect(gunzipSync(body).toString()).toContain('# TYPE hayrake_');
  });

  test('responses: a small one, one of a client without gzip and one of HEAD are not compressed', async () => {
    expect((await service.raw('/readyz', packed)).headers['content-encoding']).toBeUndefined();
    for (const coding of ['identity', 'br', 'gzip;q=0'])
      expect(
        (await service.raw('/openapi.json', { headers: { 'accept-encoding': coding } })).headers['content-encoding'],
      ).toBeUndefined();
    expect((await service.raw('/openapi.json', { ...packed, method: 'HEAD' })).body).toHaveLength(0);
  });

  test('responses: those with a secret are neither compressed nor kept', async () => {
    const json = { name: 'n'.repeat(100), permissions: ['read'] };
    const body = JSON.stringify(json);
    const headers = { ...packed.headers, 'content-type': 'application/json' };
    const token = await service.raw('/org/tokens', { method: 'POST', body, headers });
    expect(token.status).toBe(200);
    expect(token.headers['cache-control']).toBe('no-store');
    expect(token.headers['content-encoding']).toBeUndefined();
  });

  test('responses: scrapes and errors are not kept', async () => {
    const json = { url: `${site.origin}/page/1` };
    expect((await service.api('/scraper/scrape', { method: 'POST', json })).headers.get('cache-control')).toBe(
      'no-store',
    );
    expect((await service.api('/crawler/jobs/nobody')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('ETag of a job', () => {
  test('GET /crawler/jobs/{id}: answers 304 until the job changes', async () => {
    const etag = (await service.raw(`/crawler/jobs/${id}`)).headers.etag ?? '';
    expect(etag).toMatch(/^W\/"/);
    const ask = (tag: string) =>
      service.raw(`/crawler/jobs/${id}`, { headers: { 'if-none-match': tag, ...packed.headers } });
    for (const tag of [etag, `"x", ${etag}`, '*']) {
      const same = await ask(tag);
      expect([same.status, same.body.length]).toEqual([304, 0]);
    }
    await service.ok(`/crawler/jobs/${id}`, { method: 'PATCH', json: { output_expiry: 86_400 } });
    const changed = await ask(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  });
});

describe('headers of every response', () => {
  test('X-Request-Id: is the one of the client if it is short and plain', async () => {
    for (const given of ['abc', 'A-1._x', 'x'.repeat(64)])
      expect((await service.raw('/readyz', { headers: { 'x-request-id': given } })).headers['x-request-id']).toBe(
        given,
      );
    for (const given of ['x'.repeat(65), 'a b', 'a/b', 'é', '"'])
      expect((await service.raw('/readyz', { headers: { 'x-request-id': given } })).headers['x-request-id']).toMatch(
        /^[\da-f-]{36}$/,
      );
  });

  test('RateLimit: says on success how many requests are left', async () => {
    const left = async (): Promise<number> => {
      const { headers } = await service.raw(`/crawler/jobs/${id}`);
      expect(headers['ratelimit-policy']).toBe('"minute";q=6000;w=60');
      return Number(/^"minute";r=(\d+);t=\d+$/.exec(String(headers['ratelimit']))?.[1]);
    };
    const first = await left();
    expect(first).toBeLessThan(6_000);
    expect(await left()).toBeLessThanOrEqual(6_000);
  });
});

describe('HAYRAKE_CORS_ORIGINS', () => {
  test('a page of an allowed origin can read responses and errors, and send a token', async () => {
    for (const [path, status] of [
      [`/crawler/jobs/${id}`, 200],
      ['/crawler/jobs/nobody', 404],
      ['/nothing', 404],
    ] as const) {
      const answer = await service.raw(path, { headers: { origin: app } });
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe(app);
      expect(answer.headers.vary?.toLowerCase()).toContain('origin');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
    const refused = await service.raw(`/crawler/jobs/${id}`, { headers: { origin: app }, token: null });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, app]);
  });

  test('a preflight needs no token and never allows the header of the dashboard', async () => {
    for (const path of ['/crawler/jobs', `/crawler/jobs/${id}`, '/v2/scrape', '/mcp']) {
      const headers = {
        origin: app,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-hayrake-ui',
      };
      const answer = await service.raw(path, { method: 'OPTIONS', headers, token: null });
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-headers']).toMatch(/^Authorization, /);
      expect(answer.headers['access-control-allow-headers']?.toLowerCase()).not.toContain('hayrake');
    }
  });

  test.each(['https://app.example.com.evil.test', 'http://app.example.com', 'null', 'https://evil.test'])(
    'a page of %s gets nothing',
    async (origin) => {
      const answer = await service.raw(`/crawler/jobs/${id}`, { headers: { origin } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      const headers = { origin, 'access-control-request-method': 'POST' };
      const preflight = await service.raw('/crawler/jobs', { method: 'OPTIONS', headers, token: null });
      expect(preflight.status).not.toBe(204);
    },
  );
});
