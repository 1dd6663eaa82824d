// Two workers on one database, of which one has a browser: who renders, and what happens when it dies.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { postgresStore } from '../service/test-store.ts';
import { isBrowserMissing } from './browser.ts';

const pages = 30;
const missing = await postgresMissing();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const words = (topic: string): string =>
  Array.from({ length: 40 }, (_, at) => `${topic} number ${at} is described here.`).join(' ');

/** Pages whose text a script writes, each linked from the first one. */
async function startApplication(): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    const links = Array.from({ length: pages - 1 }, (_, at) => `<a href="/${at + 1}">${at + 1}</a>`).join('');
    const script = `document.getElementById('root').innerHTML = '<main><p>${words(`page ${path}`)}</p></main>'`;
    const nav = path === '/' ? `<nav>${links}</nav>` : '';
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<html><title>App</title>${nav}<div id="root"></div><script>${script}</script></html>`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.skipIf(missing !== undefined || isBrowserMissing)(
  'only the worker with a browser renders; when it dies, its job waits for the next one and others continue (needs PostgreSQL and a browser)',
  async () => {
    const origin = await startApplication();
    const database = await createTestDatabase();
    cleanups.push(database.remove);
    const store = postgresStore('/nowhere', database.url);
    const start = async (browser: 'auto' | 'off', role: 'serve' | 'worker'): Promise<TestService> => {
      const env = { HAYRAKE_BROWSER: browser, HAYRAKE_ALLOW_PRIVATE: '127.0.0.1/32', HAYRAKE_HOST_DELAY_MS: '100' };
      const service = await startService({ store, role, env });
      cleanups.push(() => service.close());
      return service;
    };
    const plain = await start('off', 'serve');
    const input = { urls: [`${origin}/`], use_browser: true, force_crawling_mode: 'link' };
    const refused = await plain.api('/crawler/jobs', { json: input });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'browser_missing' }]);

    const rich = await start('auto', 'worker');
    const { id } = await plain.createJob(input);
    while ((await plain.job(id)).progress.scraped < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    await rich.kill();
    const { progress } = await plain.job(id);
    expect(progress.queued + progress.inFlight).toBeGreaterThan(0);
    // The worker without a browser has all other work for itself, on the same host too.
    const other = await plain.crawl({
      urls: [`${origin}/1`],
      max_depth: 0,
      use_browser: false,
      force_crawling_mode: 'link',
    });
    expect(other.progress).toMatchObject({ scraped: 1, failed: 0 });
    expect((await plain.job(id)).progress).toMatchObject({ failed: 0, discarded: 0 });

    await start('auto', 'worker');
    while ((await plain.job(id)).finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 100));
    const done = await plain.job(id);
    expect(done).toMatchObject({ status: 'succeeded', progress: { scraped: pages, failed: 0 } });
    const rows = (await (await plain.api(`/crawler/jobs/${id}/data`)).json()) as {
      data: { meta: { url: string; meta: { rendered?: boolean } }; text: string }[];
    };
    expect(rows.data).toHaveLength(pages);
    for (const { meta, text } of rows.data) {
      expect(meta.meta.rendered).toBe(true);
      expect(text).toContain(`page ${new URL(meta.url).pathname} number 39`);
    }
  },
);
