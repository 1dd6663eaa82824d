// Many names of one server: names of one registrable domain get the pace of one host, others that of each its own.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { ledgerOf } from './ledger.ts';
import { type NamedServer, startNamedServer } from './named-server.ts';
import { hurryOf, latenessMs, page } from './scripted-site.ts';

const hostConcurrency = 8;
let service: TestService;
beforeAll(async () => {
  const preload = new URL('names-here.ts', import.meta.url).href;
  const env = { NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${preload}` };
  service = await startService({ env });
});
afterAll(() => service.close());

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function serve(...given: Parameters<typeof startNamedServer>): Promise<NamedServer> {
  const server = await startNamedServer(...given);
  cleanups.push(() => server.close());
  return server;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('crawl: paces fifty subdomains of one server as one host, and reads all their pages', async () => {
  const shops = numbers(50).map((shop) => `shop-${shop}.market.test`);
  const server = await serve((name, path, port) => {
    if (path === '/robots.txt') return undefined;
    if (name === 'market.test')
      return page(
        'market',
        shops.map((shop) => `http://${shop}:${port}/`),
      );
    return page(`${name} ${path}`, path === '/' ? ['/a', '/b', '/c'] : []);
  }, 5);
  const job = await service.crawl({ urls: [`http://market.test:${server.port}/`], scope: 'subdomains' });
  expect(job.progress).toMatchObject({ scraped: 201, discarded: 0, failed: 0 });
  expect(server.most(() => true)).toBeLessThanOrEqual(hostConcurrency);
  // Each name has rules of its own.
  expect(server.asked.filter(({ path }) => path === '/robots.txt')).toHaveLength(51);
});

test.each([
  ['its start page lists', (name: string) => (name === 'farm.test' ? numbers(250) : [])],
  [
    'lead to each other',
    (name: string) => {
      const own = Number(/^n(\d+)/.exec(name)?.[1] ?? 0);
      return numbers(7).map((step) => own * 7 + step);
    },
  ],
])('crawl: ends as a trap when hundreds of names that %s show one page', async (_, leadsTo) => {
  const server = await serve((name, path, port) => {
    if (path === '/robots.txt') return undefined;
    const links = leadsTo(name).map((to) => `<a href="http://n${to}.farm.test:${port}/">More</a>`);
    return `<title>Parked</title><p>This domain is parked. Buy it now.</p>${links.join('')}`;
  });
  const { id } = await service.createJob({
    urls: [`http://farm.test:${server.port}/`],
    scope: 'subdomains',
    page_limit: 10_000,
    max_depth: 3,
    fetch_limit: 5_000,
  });
  const job = await service.untilEnded(id);
  const template = `*.farm.test:${server.port}/`;
  expect(job.notices.filter(({ code }) => code === 'trap')).toHaveLength(1);
  expect(job.notices.find(({ code }) => code === 'trap')?.message).toContain(` ${template} `);
  const trapped = await ledgerOf(service, id, { reason: 'trap' });
  expect(new Set(trapped.map(({ detail }) => detail))).toEqual(new Set([template]));
  expect(trapped.length).toBeGreaterThan(50);
  // A hundred without news, the first ones, what was in flight, and robots.txt of each.
  expect(server.asked.length).toBeLessThan(2 * (100 + 4 + 2 * hostConcurrency) + 2);
  expect(server.most(() => true)).toBeLessThanOrEqual(hostConcurrency);
});

test('crawl: does not join unrelated domains of one server', async () => {
  const domains = numbers(40).map((shop) => `shop-${shop}.test`);
  const server = await serve((name, path) => (path === '/robots.txt' ? undefined : page(`${name} ${path}`)), 300);
  const job = await service.crawl({ urls: domains.map((name) => `http://${name}:${server.port}/`) });
  expect(job.progress.scraped).toBe(40);
  expect(server.most(() => true)).toBeGreaterThan(hostConcurrency);
});

test('crawl: keeps the delay of a job between any two names of a server', async () => {
  const server = await serve((name, path, port) => {
    if (path === '/robots.txt') return undefined;
    const links = numbers(3).map((shop) => `http://shop-${shop}.slow.test:${port}/`);
    return page(name, name === 'slow.test' ? links : []);
  });
  const url = `http://slow.test:${server.port}/`;
  const job = await service.crawl({ urls: [url], scope: 'subdomains', host_delay_ms: 400 });
  expect(job.progress.scraped).toBe(4);
  expect(hurryOf(server.asked, 400)).toBeLessThan(latenessMs());
});

test('crawl: keeps a Crawl-delay between the names of a server that want it', async () => {
  const server = await serve((name, path, port) => {
    if (path === '/robots.txt') return 'User-agent: *\nCrawl-delay: 0.4';
    const links = numbers(4).map((shop) => `http://shop-${shop}.calm.test:${port}/`);
    return page(name, name === 'calm.test' ? links : []);
  });
  const job = await service.crawl({ urls: [`http://calm.test:${server.port}/`], scope: 'subdomains' });
  expect(job.progress.scraped).toBe(5);
  expect(
    hurryOf(
      server.asked.filter(({ path }) => path === '/'),
      400,
    ),
  ).toBeLessThan(latenessMs());
});
