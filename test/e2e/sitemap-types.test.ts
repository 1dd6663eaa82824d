// Sitemaps are read whatever type they are sent with.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { endingsOf } from './ledger.ts';
import { page, ScriptedSites } from './scripted-site.ts';

let service: TestService;
const sites = new ScriptedSites();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await sites.close();
  await service.close();
});

const xml = '<urlset><url><loc>/named</loc></url></urlset>';

test.each<readonly [path: string, type: string, body: string | Uint8Array]>([
  ['/sitemap.xml', 'application/xml', xml],
  ['/sitemap.xml', '', xml],
  ['/sitemap', 'binary/octet-stream', xml],
  ['/sitemap', 'application/octet-stream', xml],
  ['/sitemap', 'application/x-xml', xml],
  ['/sitemap', 'text/html', xml],
  ['/sitemap.xml.gz', 'application/x-gunzip', gzipSync(xml)],
  ['/sitemap.xml.gz', 'gzipped', gzipSync(xml)],
  ['/sitemap.php', 'application/download', xml],
  ['/sitemap.txt', 'image/png', '/named'],
])('%s of type %j', async (path, type, body) => {
  const site = await sites.start((asked) => {
    // Named without its host, as many sites do.
    if (asked === '/robots.txt') return { headers: { 'content-type': 'text/plain' }, body: `Sitemap: ${path}` };
    if (asked === path) return { headers: type === '' ? {} : { 'content-type': type }, body };
    return page(asked);
  });
  const job = await service.crawl({ urls: [`${site.origin}/`] });
  expect(await endingsOf(service, job.id)).toEqual({ '/': 'scraped', '/named': 'scraped' });
});
