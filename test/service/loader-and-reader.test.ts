// The external loader of Open WebUI, and pages as text under their own URL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { expectProblem } from './expect-problem.ts';
import { type RawAnswer, startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

let site: TestSite;
let service: TestService;

beforeAll(async () => {
  site = await startTestSite({
    '/hay': `<!doctype html><html lang="en"><head><title>Hay\n\nand &lt;script&gt; grass</title><meta name="description" content="Dry."></head><body><main><h1>Hay</h1><p>Dry grass, ${'cut and stored. '.repeat(20)}</p><div class="ad">Buy hay now, it is cheap and dry.</div></main></body></html>`,
    '/links': `<!doctype html><html lang="en"><title>Links</title><main><h1># Hay</h1><p>${'A text with a <a href="/hay">link</a>. '.repeat(9)}<img src="/hay.png" alt="Hay"> and <img src="hay.png#top" alt="Again">.</p></main></html>`,
    '/query?a=1&b=%2F&c=x%20y': htmlPage({ text: 'with its query' }),
  });
  service = await startService({ env: { HAYRAKE_PUBLIC_URL: 'https://crawl.example' } });
});

afterAll(async () => {
  await service.close();
  await site.close();
});

describe('POST /loader', () => {
  interface Loaded {
    readonly page_content: string;
    readonly metadata: { readonly source: string; readonly title?: string; readonly error?: string };
  }

  test('POST /loader: returns one entry for each URL in order, also when others fail', async () => {
    const urls = [
      `${site.origin}/gone`,
      `${site.origin}/hay`,
      'nonsense',
      'file:///etc/passwd',
      'http://10.0.0.1/',
      `${site.origin}/hay`,
    ];
    const loaded = await service.ok<readonly Loaded[]>('/loader', { json: { urls } });
    expect(loaded.map(({ metadata }) => metadata.source)).toEqual(urls);
    expect(loaded.map(({ page_content: text }) => text.includes('# Hay'))).toEqual([
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
    for (const { page_content: text, metadata } of loaded) expect(metadata.error === undefined).toBe(text !== '');
    expect(loaded[1]?.metadata).toMatchObject({ description: 'Dry.', language: 'en' });
  });

  test('POST /loader: loads twenty URLs at once', async () => {
    const urls = Array.from({ length: 20 }, (_, index) => `${site.origin}/hay?${index}`);
    for (const url of urls) site.add({ [url.slice(site.origin.length)]: htmlPage({ text: url }) });
    const loaded = await service.ok<readonly Loaded[]>('/loader', { json: { urls } });
    expect(loaded.every(({ page_content: text }) => text !== '')).toBe(true);
  });

  test.each<[string, unknown]>([
    ['a body without URLs', {}],
    ['an empty list', { urls: [] }],
    ['101 URLs', { urls: Array.from({ length: 101 }, () => 'http://a.test/') }],
    ['URLs that are numbers', { urls: [1] }],
    ['an unknown field', { urls: ['http://a.test/'], format: 'html' }],
  ])('POST /loader: refuses %s with 400', async (_name, body) => {
    const answer = await service.raw('/loader', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expectProblem(answer, 400, 'invalid_body');
  });

  test('POST /loader: needs a token that can write', async () => {
    expect((await service.api('/loader', { token: null, json: { urls: [site.origin] } })).status).toBe(401);
    const { token } = await service.createToken({ org: 'default', permissions: 'read' });
    expect((await service.api('/loader', { token, json: { urls: [site.origin] } })).status).toBe(403);
  });
});

describe('GET /r/URL', () => {
  const read = (target: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    service.raw(`/r/${target}`, { headers });

  test('GET /r/URL: returns Markdown as plain text with one header line for each field', async () => {
    for (const target of [
      `${site.origin}/hay`,
      `${site.origin.replace('//', '/')}/hay`,
      `${site.origin}/hay`.replace('http', 'HTTP'),
    ]) {
      const answer = await read(target);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      const text = answer.body.toString();
      expect(text.startsWith('Title: Hay and <script> grass\n\nURL Source: ')).toBe(true);
      expect(text).toContain(`URL Source: ${site.origin}/hay\n\nMarkdown Content:\n# Hay`);
    }
  });

  test('GET /r/URL: passes the query to the page as written', async () => {
    const answer = await read(`${site.origin}/query?a=1&b=%2F&c=x%20y`);
    expect(answer.body.toString()).toContain('with its query');
    expect(site.requests.map(({ path }) => path)).toContain('/query?a=1&b=%2F&c=x%20y');
  });

  test('GET /r/URL: accepts a URL that is percent-encoded as a whole', async () => {
    const target = `${site.origin}/query?a=1&b=%2F&c=x%20y`;
    const answer = await read(encodeURIComponent(target));
    expect(answer.body.toString()).toContain(`URL Source: ${target}\n`);
  });

  test('GET /r/URL: returns JSON, HTML or text, and applies selectors, when headers request it', async () => {
    const json = await read(`${site.origin}/hay`, { accept: 'application/json' });
    expect(JSON.parse(json.body.toString())).toMatchObject({
      code: 200,
      status: 20_000,
      data: { description: 'Dry.', url: `${site.origin}/hay`, usage: { tokens: expect.any(Number) as number } },
    });
    const html = await read(`${site.origin}/hay`, { 'x-respond-with': 'html', accept: 'text/html' });
    expect(html.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(html.body.toString()).toContain('<h1>Hay</h1>');
    expect((await read(`${site.origin}/hay`, { 'x-remove-selector': '.ad' })).body.toString()).not.toContain('Buy hay');
    expect(
      (await read(`${site.origin}/hay`, { 'x-target-selector': 'h1', 'x-return-format': 'text' })).body.toString(),
    ).toBe('Hay');
  });

  test.each<[string, () => string, Record<string, string>, number, ErrorCode]>([
    ['a page that is gone', () => `${site.origin}/gone`, {}, 422, 'page_unreadable'],
    ['an empty URL', () => '', {}, 405, 'method_not_allowed'],
    ['half an escape', () => 'http%3A%2F%2F127.0.0.1%2', {}, 400, 'invalid_parameter'],
    ['a host without a scheme', () => 'example.com', {}, 400, 'invalid_parameter'],
    ['a file URL', () => 'file:///etc/passwd', {}, 400, 'invalid_parameter'],
    ['a JavaScript URL', () => 'javascript:alert(1)', {}, 400, 'invalid_parameter'],
    ['a private network', () => 'http://10.0.0.1/', {}, 400, 'destination_not_allowed'],
    ['this service', () => `${service.origin}/healthz`, {}, 400, 'destination_not_allowed'],
    ['this service by its public name', () => 'https://crawl.example/r/x', {}, 400, 'destination_not_allowed'],
    ['a cookie', () => `${site.origin}/hay`, { 'x-set-cookie': 'a=1' }, 400, 'invalid_parameter'],
    ['a picture', () => `${site.origin}/hay`, { 'x-respond-with': 'screenshot' }, 400, 'invalid_parameter'],
    ['a wrong time', () => `${site.origin}/hay`, { 'x-timeout': '0' }, 400, 'invalid_parameter'],
    ['wrong selectors', () => `${site.origin}/hay`, { 'x-target-selector': '[[' }, 400, 'invalid_parameter'],
  ])('GET /r/URL: refuses %s', async (_name, target, headers, status, code) => {
    expectProblem(await read(target(), headers), status, code);
  });

  test.each([
    [{ 'x-target-selector': '[[' }, 'x-target-selector'],
    [{ 'x-remove-selector': '<<' }, 'x-remove-selector'],
    [{ 'x-return-format': 'pdf' }, 'x-return-format'],
  ])('GET /r/URL: names the header when %j is invalid: %s', async (headers, name) => {
    const { detail } = expectProblem(await read(`${site.origin}/hay`, headers), 400, 'invalid_parameter');
    expect(detail.startsWith(`\`${name}\`: `)).toBe(true);
    expect(detail).not.toMatch(/\.\.$/);
  });

  test('POST /r: reads the URL of the body, also with a fragment, and refuses others', async () => {
    for (const path of ['/r', '/r/']) {
      const answer = await service.api(path, { method: 'POST', json: { url: `${site.origin}/hay#part` } });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('# Hay')]);
    }
    for (const json of [{}, { url: 1 }, { url: `${site.origin}/hay`, more: 1 }])
      expect((await service.api('/r', { method: 'POST', json })).status).toBe(400);
    const own = await service.api('/r', { method: 'POST', json: { url: `${service.origin}/healthz` } });
    expect(own.status).toBe(400);
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ 'x-with-links-summary': 'true' }, /\n\nLinks:\n- http/],
    [{ 'x-with-images-summary': 'true', 'x-retain-images': 'none' }, /\n\nImages:\n- http[^\n]*\/hay\.png\n?$/],
    [{ 'x-with-images-summary': 'all', 'x-respond-with': 'text' }, /\n\nImages:\n- http[^\n]*\/hay\.png\n?$/],
    [{ 'x-max-tokens': '5' }, /Cut after about 5 of \d+ tokens/],
    [{ 'x-token-budget': '100000' }, /# Hay/],
    [{ 'x-md-link-style': 'discarded', 'x-retain-images': 'none' }, /# Hay/],
    [{ 'x-engine': 'direct', 'x-with-iframe': 'false' }, /# Hay/],
  ])('GET /r/URL: obeys %j', async (headers, text) => {
    const answer = await read(`${site.origin}/links`, headers);
    expect([answer.status, answer.body.toString()]).toEqual([200, expect.stringMatching(text)]);
  });

  test.each<[Record<string, string>, number]>([
    [{ 'x-token-budget': '1' }, 422],
    [{ 'x-max-tokens': 'many' }, 400],
    [{ 'x-with-images-summary': 'some' }, 400],
    [{ 'x-md-link-style': 'odd' }, 400],
    [{ 'x-retain-images': 'alt_p' }, 400],
    [{ 'x-engine': 'cf-browser-rendering' }, 400],
    [{ 'x-with-shadow-dom': 'true' }, 400],
    [{ 'x-json-schema': '{}' }, 400],
  ])('GET /r/URL: refuses %j instead of ignoring it', async (headers, status) => {
    expect((await read(`${site.origin}/hay`, headers)).status).toBe(status);
  });

  test('GET /r/URL: answers another method with 405', async () => {
    const answer = await service.raw(`/r/${site.origin}/hay`, { method: 'POST' });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD');
  });

  test('GET /r/URL: needs a token', async () => {
    expect((await service.raw(`/r/${site.origin}/hay`, { token: null })).status).toBe(401);
  });
});
