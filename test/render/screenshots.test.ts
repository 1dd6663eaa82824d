// Screenshots through the real program: what is asked for, how it comes back, and that it lives and dies with its page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../service/expect-problem.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { isBrowserMissing } from './browser.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const words = Array.from({ length: 60 }, (_, at) => `Word number ${at} of this page.`).join(' ');
/** Its colours come from a style sheet: green on the first screen, which is as high as the window; blue below. */
const tall = `<!doctype html><html><head><title>Tall</title><link rel="stylesheet" href="/style.css"></head>
  <body><div id="hero"></div><main id="rest"><p>${words}</p></main></body></html>`;
const style = `body, p { margin: 0 } #hero { height: 100vh; background: rgb(0, 160, 0) } #rest { height: 2000px; background: rgb(0, 0, 160) }`;

async function startSite(): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const [type, body] =
      path === '/style.css'
        ? ['text/css', style]
        : path === '/notes.txt'
          ? ['text/plain', words]
          : path === '/list'
            ? [
                'text/html',
                `<title>List</title><main>${words}${[1, 2, 3].map((at) => `<a href="/${at}">${at}</a>`).join('')}</main>`,
              ]
            : ['text/html', tall.replace('Word number 0', `Word of ${path}`)];
    response.writeHead(path === '/robots.txt' ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const settings = { HAYRAKE_BROWSER: 'auto', HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32', ...env };
  const service = await startService({ env: settings });
  cleanups.push(() => service.close());
  return service;
}

/** The size of a PNG, and the colour of its first pixel. */
function pngOf(bytes: Buffer): { readonly width: number; readonly height: number; readonly first: readonly number[] } {
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const lines = inflateSync(Buffer.concat(parts));
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), first: [...lines.subarray(1, 4)] };
}

describe.skipIf(isBrowserMissing)('screenshots (need chromium-headless-shell and bubblewrap)', () => {
  test('a scrape answers with the path of the picture, which is kept with its type and never changes', async () => {
    const origin = await startSite();
    const service = await start();
    const scrape = async (screenshot: object) => {
      const response = await service.api('/scraper/scrape', { json: { url: `${origin}/tall`, screenshot } });
      return (await response.json()) as { status: string; jobId: string; screenshot: string; meta: object };
    };
    const scraped = await scrape({});
    expect(scraped).toMatchObject({ status: 'scraped', meta: { rendered: true } });
    expect(scraped.screenshot).toBe(`/crawler/jobs/${scraped.jobId}/pages/1/screenshot`);
    const response = await service.api(scraped.screenshot);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    // The style sheet was loaded, and the first screen is as high as a window.
    expect(pngOf(Buffer.from(await response.arrayBuffer()))).toEqual({
      width: 1_280,
      height: 1_024,
      first: [0, 160, 0],
    });
    const tag = response.headers.get('etag') ?? '';
    expect((await service.api(scraped.screenshot, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await service.api(scraped.screenshot, { token: null })).status).toBe(401);

    const full = await scrape({ full_page: true });
    const picture = pngOf(Buffer.from(await (await service.api(full.screenshot)).arrayBuffer()));
    expect(picture).toEqual({ width: 1_280, height: 3_024, first: [0, 160, 0] });
    const jpeg = await service.api((await scrape({ format: 'jpeg' })).screenshot);
    expect(jpeg.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await jpeg.arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  });

  test('a job has one for each of its pages, says which have none, and takes them along when it is deleted', async () => {
    const origin = await startSite();
    const service = await start();
    const job = await service.crawl({
      urls: [`${origin}/list`, `${origin}/notes.txt`],
      screenshot: { format: 'png' },
      force_crawling_mode: 'link',
    });
    expect(job).toMatchObject({
      use_browser: true,
      block_resources: false,
      screenshot: { format: 'png', full_page: false },
      progress: { scraped: 5 },
    });
    const { data } = (await (await service.api(`/crawler/jobs/${job.id}/meta`)).json()) as {
      data: { meta: { page: number; url: string } }[];
    };
    const heights: Record<string, number> = {};
    for (const { meta } of data) {
      const response = await service.api(`/crawler/jobs/${job.id}/pages/${meta.page}/screenshot`);
      const bytes = Buffer.from(await response.arrayBuffer());
      heights[new URL(meta.url).pathname] = response.status === 200 ? pngOf(bytes).height : response.status;
    }
    expect(heights).toEqual({ '/list': 1_024, '/1': 1_024, '/2': 1_024, '/3': 1_024, '/notes.txt': 404 });
    const notice = job.notices.find(({ code }) => code === 'no_screenshot');
    expect(notice).toMatchObject({ count: 1, example: `${origin}/notes.txt` });
    const path = (id: string, page: string): string => `/crawler/jobs/${id}/pages/${page}/screenshot`;
    expectProblem(await service.raw(path(job.id, '6')), 404, 'screenshot_not_found');
    expectProblem(await service.raw(path(job.id, '0')), 404, 'screenshot_not_found');
    expectProblem(await service.raw(path(job.id, '99999999999999999999')), 404, 'screenshot_not_found');
    expectProblem(await service.raw(path('0123456789ABCDEFGHJKMNPQRS', '1')), 404, 'job_not_found');
    await service.api(`/crawler/jobs/${job.id}`, { method: 'DELETE' });
    expectProblem(await service.raw(path(job.id, '1')), 410, 'job_data_expired');
  });

  test.each<readonly [Record<string, unknown>, string]>([
    [{ screenshot: {}, use_browser: false }, 'use_browser'],
    [{ screenshot: { format: 'gif' } }, 'png'],
    [{ screenshot: { fullPage: true } }, 'fullPage'],
    [{ screenshot: true }, 'full_page'],
  ])('refuses %j and says why', async (input, said) => {
    const service = await start();
    for (const [path, body] of [
      ['/crawler/jobs', { urls: ['https://example.com/'], ...input }],
      ['/scraper/scrape', { url: 'https://example.com/', ...input }],
    ] as const) {
      const response = await service.api(path, { json: body });
      expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining(said)]);
    }
  });

  test('the command line writes them next to the files of their pages', async () => {
    const origin = await startSite();
    const service = await start();
    const out = `${service.directory}/out`;
    const run = await service.run([
      'crawl',
      `${origin}/1`,
      '--max-depth',
      '0',
      '--screenshot=jpeg',
      '--out',
      out,
      '--data',
      `${service.directory}/other`,
      '--allow-private',
      '127.0.0.1/32',
    ]);
    expect(run.stderr).toContain('1 Markdown file');
    const { readdirSync, readFileSync } = await import('node:fs');
    const files = readdirSync(out, { recursive: true })
      .map(String)
      .filter((name) => name.includes('.'));
    const picture = files.find((name) => name.endsWith('.jpg')) ?? '';
    expect(files).toHaveLength(3);
    expect(readFileSync(`${out}/${picture}`).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  });
});
