// The page of the API in a real browser: offline, within its policy, and useful.
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../../src/render/find-browser.ts';
import { startService, type TestService } from './start-service.ts';
import { numberedPages, startTestSite, type TestSite } from './test-site.ts';

let service: TestService;
let site: TestSite;

beforeAll(async () => {
  site = await startTestSite(numberedPages(2));
  service = await startService();
});

afterAll(async () => {
  await service.close();
  await site.close();
});

const files = ['/docs', '/docs/start.js', '/docs/swagger-ui.js', '/docs/swagger-ui.css'];

test.each(files)('%s: needs no token, and has a strict Content-Security-Policy and an ETag', async (file) => {
  const answer = await service.raw(file, { token: null });
  expect(answer.status).toBe(200);
  const policy = String(answer.headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  const known = await service.raw(file, { token: null, headers: { 'if-none-match': String(answer.headers.etag) } });
  expect([known.status, known.body.length]).toEqual([304, 0]);
});

test('/docs/swagger-ui.js: is sent as Brotli only when the browser accepts it', async () => {
  const plain = await service.raw('/docs/swagger-ui.js', { token: null });
  const packed = await service.raw('/docs/swagger-ui.js', { token: null, headers: { 'accept-encoding': 'gzip, br' } });
  expect(plain.body.toString('utf8', 0, 100)).toContain('/*!');
  expect(packed.headers['content-encoding']).toBe('br');
  expect(packed.body.length).toBeLessThan(plain.body.length / 2);
  const refused = await service.raw('/docs/swagger-ui.js', { token: null, headers: { 'accept-encoding': 'br;q=0' } });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

test('/docs: serves no other file below it', async () => {
  for (const path of ['/docs/index.html', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/LICENSE'])
    expect((await service.raw(path, { token: null })).status).toBe(404);
});

const binary = findBrowser('auto');

describe.skipIf(binary === undefined)('/docs in a browser (needs chromium-headless-shell)', () => {
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: binary!, args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('request', (request) => void requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => void faults.push(String(error)));
    await page.addInitScript(
      "document.addEventListener('securitypolicyviolation', (event) => console.error('violation of ' + event.violatedDirective))",
    );
    await page.goto(`${service.origin}/docs`);
    await page.locator('.opblock').first().waitFor();
  }, 60_000);

  afterAll(() => browser.close());

  const operation = (id: string) => page.locator(`[id$="-${id}"]`);

  test('/docs: shows every operation', async () => {
    const document = await service.ok<{ paths: Record<string, object> }>('/openapi.json');
    const count = Object.values(document.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    expect(await page.locator('#docs .opblock').count()).toBeGreaterThanOrEqual(count);
    await operation('createJob').waitFor();
  });

  test('/docs: sends a request with the token that a person enters, and stores nothing', async () => {
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container input').fill(service.token);
    await page.locator('.auth-container button[type=submit]').click();
    await page.locator('.auth-container .btn-done').click();
    const list = operation('listJobs');
    await list.locator('.opblock-summary-control').click();
    const answered = page.waitForResponse((response) => response.url().startsWith(`${service.origin}/crawler/jobs`));
    await list.locator('.btn.execute').click();
    const answer = await answered;
    expect(answer.status()).toBe(200);
    expect(await answer.request().headerValue('authorization')).toBe(`Bearer ${service.token}`);
    expect(await answer.request().headerValue('x-hayrake-ui')).toBe('1');
    await list.locator('.live-responses-table').waitFor();
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).toBe('[{},{},""]');
  }, 30_000);

  test('/docs: sends no request and has no link to another origin, and violates no policy', async () => {
    // Drawing all of them at once takes a busy machine a minute.
    for (const id of ['createJob', 'readPages', 'exportJob', 'scrapePage']) {
      await operation(id).locator('.opblock-summary-control').click({ timeout: 60_000 });
      await operation(id).locator('.opblock-body').waitFor({ timeout: 60_000 });
    }
    const foreign = (urls: readonly string[]): string[] =>
      urls.filter((url) => !/^(data|blob|javascript):/.test(url) && new URL(url).origin !== service.origin);
    const links = await page.evaluate<string[]>("[...document.querySelectorAll('[href]')].map(({ href }) => href)");
    expect(links.length).toBeGreaterThan(0);
    expect(foreign(links)).toEqual([]);
    expect(requested.length).toBeGreaterThan(4);
    expect(foreign(requested)).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);
});
