// A page that takes its time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { after, page, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

test('crawl: reads a page whose first byte takes 40 seconds', async () => {
  const links = ['/a', '/b', '/slow'];
  const site = await sites.start((path) => {
    if (path === '/slow') return after(40_000, page(path));
    return path === '/robots.txt' ? undefined : page(path, path === '/' ? links : []);
  });
  const job = await service.crawl({ urls: [`${site.origin}/`] });
  expect([job.progress.scraped, job.complete]).toEqual([4, true]);
  expect(site.asks('/slow')).toBe(1);
});
