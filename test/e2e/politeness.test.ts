// Politeness shows in the site's own log, and nowhere else.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { hurryOf, latenessMs } from './scripted-site.ts';

interface LoggedSite {
  readonly origin: string;
  readonly requests: readonly { readonly path: string; readonly at: number }[];
  /** Requests open at a time at most. */
  most(): number;
  /** Resolves when so many requests have come in all. */
  reached(count: number): Promise<void>;
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** `/` links to so many pages, of which every third one redirects to another one. */
async function startSite(options: {
  readonly pages: number;
  readonly responseMs?: number;
  readonly robots?: string;
}): Promise<LoggedSite> {
  const { pages, responseMs = 5, robots } = options;
  const requests: { path: string; at: number }[] = [];
  const waiting: { readonly count: number; wake(): void }[] = [];
  let [open, most] = [0, 0];
  const answerTo = (path: string): readonly [number, Record<string, string>, string] => {
    if (path === '/robots.txt')
      return robots === undefined ? [404, {}, ''] : [200, { 'content-type': 'text/plain' }, robots];
    const number = Number(/^\/page\/(\d+)$/.exec(path)?.[1]);
    if (number % 3 === 0) return [302, { location: `/moved/${number}` }, ''];
    const links = Array.from({ length: pages }, (_, index) => `<a href="/page/${index + 1}">x</a>`).join('');
    const isPage = path === '/' || /^\/(page|moved)\/\d+$/.test(path);
    return [isPage ? 200 : 404, { 'content-type': 'text/html' }, `<p>This is ${path}.</p>${path === '/' ? links : ''}`];
  };
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? '/';
    requests.push({ path, at: performance.now() });
    for (const waiter of waiting) if (requests.length >= waiter.count) waiter.wake();
    most = Math.max(most, ++open);
    response.once('close', () => open--);
    const [status, headers, body] = answerTo(path);
    setTimeout(() => response.writeHead(status, headers).end(body), responseMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    most: () => most,
    reached: (count) =>
      new Promise((resolve) => (requests.length >= count ? resolve() : waiting.push({ count, wake: resolve }))),
  };
}

async function start(env: Readonly<Record<string, string>>): Promise<TestService> {
  const service = await startService({ env });
  cleanups.push(() => service.close());
  return service;
}

describe('HAYRAKE_HOST_DELAY_MS', () => {
  test('stands between any two requests: pages, redirects, robots.txt and sitemap, of two jobs', async () => {
    const site = await startSite({ pages: 6 });
    const service = await start({ HAYRAKE_HOST_DELAY_MS: '100' });
    const jobs = await Promise.all([1, 2].map(() => service.createJob({ urls: [`${site.origin}/`] })));
    for (const { id } of jobs) expect((await service.untilEnded(id)).progress.scraped).toBe(7);
    // robots.txt once; the sitemap, the start page, six pages and two redirects for each job.
    expect(site.requests).toHaveLength(1 + 2 * (1 + 1 + 6 + 2));
    expect(hurryOf(site.requests, 100)).toBeLessThan(latenessMs());
  });

  test('stands across SIGKILL and restart', async () => {
    const site = await startSite({ pages: 6 });
    const service = await start({ HAYRAKE_HOST_DELAY_MS: '2500', HAYRAKE_HOST_CONCURRENCY: '1' });
    const { id } = await service.createJob({ urls: [`${site.origin}/`], max_depth: 0 });
    await site.reached(1);
    await service.kill();
    await service.start();
    expect((await service.untilEnded(id)).progress.scraped).toBe(1);
    // robots.txt, the end, robots.txt again, and the page.
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/robots.txt', '/']);
    expect(hurryOf(site.requests, 2_500)).toBeLessThan(latenessMs());
  });
});

test('Crawl-delay is kept: one at a time, that long apart, from the first page on', async () => {
  const site = await startSite({ pages: 4, robots: 'User-agent: *\nCrawl-delay: 0.4' });
  const service = await start({});
  const job = await service.crawl({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  expect(job.progress.scraped).toBe(5);
  expect(site.most()).toBe(1);
  const [, ...pages] = site.requests;
  expect(pages).toHaveLength(6);
  expect(hurryOf(pages, 400)).toBeLessThan(latenessMs());
});

test.each([1, 3])(
  'HAYRAKE_HOST_CONCURRENCY=%i is a ceiling over two jobs on one host, and is reached',
  async (ceiling) => {
    const site = await startSite({ pages: 30, responseMs: 30 });
    const service = await start({ HAYRAKE_HOST_CONCURRENCY: String(ceiling) });
    const jobs = await Promise.all([1, 2].map(() => service.createJob({ urls: [`${site.origin}/`] })));
    for (const { id } of jobs) expect((await service.untilEnded(id)).progress.scraped).toBe(31);
    expect(site.most()).toBe(ceiling);
  },
);
