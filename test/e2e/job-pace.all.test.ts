// The pace that a job wants shows in the site's own log.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { postgresStore } from '../service/test-store.ts';
import { latenessMs } from './scripted-site.ts';

interface Visit {
  readonly path: string;
  readonly at: number;
  /** Requests open at this moment, including this one. */
  readonly open: number;
}

const missing = await postgresMissing();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** `/NAME/` links to so many pages below it, so that the log says which job requested what. */
async function startSite(pages: number, responseMs = 5): Promise<{ origin: string; visits: readonly Visit[] }> {
  const visits: Visit[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    visits.push({ path, at: performance.now(), open: ++open });
    response.once('close', () => open--);
    const isPage = /^\/[a-z]+\/\d*$/.test(path);
    const links = path.endsWith('/')
      ? Array.from({ length: pages }, (_, index) => `<a href="${path}${index + 1}">x</a>`)
      : [];
    const text = `<p>This is ${path}.</p>${links.join('')}`;
    setTimeout(() => response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' }).end(text), responseMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, visits };
}

async function start(options: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const service = await startService(options);
  cleanups.push(() => service.close());
  return service;
}

/** How much sooner than the delay a request with this prefix came after the one before it, of any job. */
function hurry(visits: readonly Visit[], prefix: string, delayMs: number): number {
  const gaps = visits.flatMap(({ path, at }, index) =>
    index > 0 && path.startsWith(prefix) ? [at - (visits[index - 1]?.at ?? 0)] : [],
  );
  return Math.max(...gaps.map((gap) => delayMs - gap));
}

const links = { force_crawling_mode: 'link' } as const;

test('a job keeps its delay between all its requests, also where it is longer than a turn', async () => {
  const site = await startSite(3);
  const service = await start();
  const job = await service.crawl({ urls: [`${site.origin}/slow/`], host_delay_ms: 1_200, ...links });
  expect(job.progress.scraped).toBe(4);
  expect(site.visits).toHaveLength(5);
  expect(hurry(site.visits, '/', 1_200)).toBeLessThan(latenessMs());
});

test('the setting applies where it is stricter, and a job cannot make the crawl less polite', async () => {
  const site = await startSite(3);
  const service = await start({ env: { HAYRAKE_HOST_DELAY_MS: '900', HAYRAKE_HOST_CONCURRENCY: '1' } });
  await service.crawl({ urls: [`${site.origin}/quick/`], host_delay_ms: 1, host_concurrency: 50, ...links });
  expect(hurry(site.visits, '/', 900)).toBeLessThan(latenessMs());
});

test('a job has no more requests in flight than it wants', async () => {
  const site = await startSite(30, 60);
  const service = await start();
  const job = await service.crawl({ urls: [`${site.origin}/two/`], host_concurrency: 2, ...links });
  expect(job.progress.scraped).toBe(31);
  expect(Math.max(...site.visits.map(({ open }) => open))).toBe(2);
});

test.each([
  ['within a turn', 700, 4],
  ['longer than a turn', 2_000, 2],
])('two jobs on one host: the stricter sets the pace, %s, until it has ended', async (_, delayMs, pages) => {
  const site = await startSite(pages, 20);
  const service = await start();
  const slow = await service.createJob({ urls: [`${site.origin}/slow/`], host_delay_ms: delayMs, ...links });
  const many = Array.from({ length: 300 }, (_, index) => `${site.origin}/quick/${index + 1}`);
  const quick = await service.createJob({ urls: many, max_depth: 0, host_delay_ms: 1, ...links });
  expect((await service.untilEnded(slow.id)).progress.scraped).toBe(pages + 1);
  // Its end is known by then at the latest.
  const before = site.visits.length;
  expect((await service.untilEnded(quick.id)).progress.scraped).toBe(300);
  expect(hurry(site.visits, '/slow/', delayMs)).toBeLessThan(latenessMs());
  const after = site.visits.slice(before);
  expect(after.length).toBeGreaterThan(200);
  expect(after.slice(1).some(({ at }, index) => at - (after[index]?.at ?? 0) < delayMs)).toBe(true);
});

test('a job that allows one request at a time is never beside another request', async () => {
  const site = await startSite(5, 30);
  const service = await start();
  const many = Array.from({ length: 200 }, (_, index) => `${site.origin}/quick/${index + 1}`);
  const quick = await service.createJob({ urls: many, max_depth: 0, host_concurrency: 4, ...links });
  const alone = await service.createJob({ urls: [`${site.origin}/alone/`], host_concurrency: 1, ...links });
  for (const { id } of [quick, alone]) await service.untilEnded(id);
  const opens = site.visits.filter(({ path }) => path.startsWith('/alone/')).map(({ open }) => open);
  expect(opens).toEqual(Array.from({ length: 6 }, () => 1));
  expect(Math.max(...site.visits.map(({ open }) => open))).toBeLessThanOrEqual(4);
});

test('a job with a delay waits after the request of another one, also where that was before a restart', async () => {
  const site = await startSite(2);
  const service = await start();
  await service.crawl({ urls: [`${site.origin}/quick/1`], max_depth: 0, ...links });
  await service.kill();
  await service.start();
  await service.crawl({ urls: [`${site.origin}/slow/`], host_delay_ms: 2_000, ...links });
  expect(hurry(site.visits, '/slow/', 2_000)).toBeLessThan(latenessMs());
});

test('the delay of a job stands across SIGKILL and restart', async () => {
  const site = await startSite(3);
  const service = await start();
  const { id } = await service.createJob({ urls: [`${site.origin}/slow/`], host_delay_ms: 2_500, ...links });
  await expect.poll(() => site.visits.length, { timeout: 20_000 }).toBe(2);
  await service.kill();
  await service.start();
  expect((await service.untilEnded(id)).progress.scraped).toBe(4);
  expect(hurry(site.visits, '/', 2_500)).toBeLessThan(latenessMs());
});

describe.skipIf(missing !== undefined)('two processes that share the host (needs PostgreSQL)', () => {
  /** A strict job that begins while one of them works on the host for a job without a pace. */
  async function besideQuick(pace: Readonly<Record<string, number>>): Promise<readonly Visit[]> {
    const database = await createTestDatabase();
    cleanups.push(database.remove);
    const store = postgresStore('/nowhere', database.url);
    const site = await startSite(6, 60);
    // Turns end only where hosts wait for a lane.
    const env = { HAYRAKE_LANES_PER_ORG: '1' };
    const first = await start({ store, env });
    await start({ store, env });
    const many = Array.from({ length: 1_000 }, (_, index) => `${site.origin}/quick/${index + 1}`);
    const quick = await first.createJob({ urls: many, max_depth: 0, ...links });
    await expect.poll(() => site.visits.length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(20);
    const slow = await first.createJob({ urls: [`${site.origin}/slow/`], ...pace, ...links });
    expect((await first.untilEnded(slow.id)).progress.scraped).toBe(7);
    expect((await first.untilEnded(quick.id)).progress.scraped).toBe(1_000);
    return site.visits;
  }

  test('keep the delay of a job', async () => {
    expect(hurry(await besideQuick({ host_delay_ms: 1_500 }), '/slow/', 1_500)).toBeLessThan(latenessMs());
  });

  test('keep the limit of requests in flight of a job', async () => {
    const visits = await besideQuick({ host_concurrency: 2 });
    const opens = visits.filter(({ path }) => path.startsWith('/slow/')).map(({ open }) => open);
    expect(Math.max(...opens)).toBeLessThanOrEqual(2);
    expect(Math.max(...visits.map(({ open }) => open))).toBeGreaterThan(2);
  });
});
