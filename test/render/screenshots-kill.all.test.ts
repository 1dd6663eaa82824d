// A page and its screenshot are stored in one transaction: no SIGKILL parts them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { isBrowserMissing } from './browser.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function startSite(): Promise<string> {
  const server = createServer((request, response) => {
    const text = Array.from({ length: 40 }, (_, at) => `Word ${at} of ${request.url}.`).join(' ');
    response
      .writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
      .end(`<title>${request.url}</title><main>${text}</main>`);
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

describe.skipIf(isBrowserMissing)('screenshots (need chromium-headless-shell and bubblewrap)', () => {
  test('a page and its screenshot survive a SIGKILL together', async () => {
    const origin = await startSite();
    const service = await start({ HAYRAKE_HOST_DELAY_MS: '50' });
    const urls = Array.from({ length: 24 }, (_, at) => `${origin}/page-${at}`);
    const { id } = await service.createJob({
      urls,
      screenshot: { format: 'jpeg' },
      max_depth: 0,
      force_crawling_mode: 'link',
    });
    for (const pages of [5, 12]) {
      while ((await service.job(id)).progress.scraped < pages) await new Promise((resolve) => setTimeout(resolve, 20));
      await service.kill();
      await service.start();
    }
    while ((await service.job(id)).finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 50));
    const { progress } = await service.job(id);
    expect(progress).toMatchObject({ scraped: 24, failed: 0 });
    const pictures: (readonly [status: number, bytes: number])[] = [];
    for (let page = 1; page <= 24; page++) {
      const response = await service.api(`/crawler/jobs/${id}/pages/${page}/screenshot`);
      pictures.push([response.status, (await response.arrayBuffer()).byteLength]);
    }
    expect(pictures.filter(([status, bytes]) => status !== 200 || bytes <= 1_000)).toEqual([]);
    const { notices } = await service.job(id);
    expect(notices.map(({ code }) => code)).not.toContain('no_screenshot');
  });
});
