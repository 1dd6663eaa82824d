// Nobody waits for a neighbour: neither for a slow site, nor for one that does not answer, nor for a big job.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { after, hurryOf, latenessMs, numbered, page, pagesScript, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

/** Ends a job that need not go on, so that the next test has the service for itself. */
function cancelAfterwards(id: string): void {
  onTestFinished(async () => void (await service.api(`/crawler/jobs/${id}/cancel`, { method: 'POST' })));
}

/** Accepts connections and never answers. */
async function startSilentHost(): Promise<{ readonly url: string; readonly connected: Promise<void> }> {
  const sockets = new Set<Socket>();
  const connected = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    connected.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  sites.keep({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, connected: connected.promise };
}

test('two jobs on one host share its Crawl-delay: any two pages of either are that far apart', async () => {
  const script = pagesScript(3);
  const robots = { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nCrawl-delay: 0.5' };
  const site = await sites.start((path, asks) => (path === '/robots.txt' ? robots : script(path, asks)));
  const body = { urls: [`${site.origin}/`], force_crawling_mode: 'link' };
  const jobs = await Promise.all([service.crawl(body), service.crawl(body)]);
  expect(jobs.map(({ progress }) => progress.scraped)).toEqual([4, 4]);
  expect(site.pages()).toHaveLength(8);
  expect(site.asks('/robots.txt')).toBe(1);
  expect(hurryOf(site.pages(), 500)).toBeLessThan(latenessMs());
});

test('a host that answers after 3 s does not slow down another', async () => {
  const script = pagesScript(20);
  const slow = await sites.start((path, asks) => after(3_000, script(path, asks)));
  const fast = await sites.start(pagesScript(100));
  const { id } = await service.createJob({ urls: [`${slow.origin}/`], force_crawling_mode: 'link' });
  cancelAfterwards(id);
  await slow.until(() => slow.requests.length > 0);
  const job = await service.crawl({ urls: [`${fast.origin}/`], force_crawling_mode: 'link' });
  expect(job.progress).toMatchObject({ scraped: 101, failed: 0 });
  // The slow one is still at its beginning: robots.txt, the start page, and perhaps the first two or three of the others.
  expect((await service.job(id)).status).toBe('running');
  expect(slow.requests.length).toBeLessThan(10);
});

test('40 hosts that accept connections and never answer do not stop a healthy one', async () => {
  const silent = await Promise.all(Array.from({ length: 40 }, startSilentHost));
  const healthy = await sites.start(pagesScript(50));
  const { id } = await service.createJob({ urls: silent.map(({ url }) => url) });
  cancelAfterwards(id);
  await Promise.all(silent.map(({ connected }) => connected));
  const job = await service.crawl({ urls: [`${healthy.origin}/`] });
  expect(job.progress).toMatchObject({ scraped: 51, failed: 0 });
  expect(await service.job(id)).toMatchObject({ status: 'running', progress: { discovered: 40, failed: 0 } });
});

test('a job of one page on the host of a job of 2,000 is done while the big one is still running', async () => {
  const paths = numbered(2_000);
  const site = await sites.start((path) => {
    if (path === '/robots.txt') return undefined;
    return after(20, page(path, path === '/' ? paths : []));
  });
  const { id } = await service.createJob({ urls: [`${site.origin}/`], force_crawling_mode: 'link' });
  cancelAfterwards(id);
  await site.until(() => site.requests.length > 100);
  const before = site.requests.length;
  const job = await service.crawl({ urls: [`${site.origin}/small`], max_depth: 0 });
  expect(job.progress.scraped).toBe(1);
  const big = await service.job(id);
  expect(big).toMatchObject({ status: 'running', progress: { discovered: 2_001 } });
  expect(big.progress.scraped).toBeLessThan(2_001);
  // What was taken beforehand, and what was in flight: no more of the big one came first.
  const turn = site.requests.findIndex(({ path }) => path === '/small') - before;
  expect(turn).toBeLessThan(500);
});
