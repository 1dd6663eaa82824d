// Sitemaps are read whatever type they are sent with.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service/start-service.ts';
import { codesOf, endingsOf } from './ledger.ts';
import { type Answer, page, ScriptedSites } from './scripted-site.ts';

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

test.each<readonly [what: string, sitemap: Answer, code: string, why: string]>([
  ['missing', undefined, 'sitemap_missing', 'The site responded with 404.'],
  ['a page', { body: '<!doctype html><html><p>Gone</p></html>' }, 'sitemap_unreadable', 'It is an HTML page.'],
  ['empty', { body: '' }, 'sitemap_unreadable', 'It contains no URL.'],
  [
    'not packed as it says',
    { headers: { 'content-encoding': 'gzip' }, body: xml },
    'sitemap_unreadable',
    'not valid gzip',
  ],
  [
    'an index of a missing one',
    { body: '<sitemapindex><sitemap><loc>/gone.xml</loc></sitemap></sitemapindex>' },
    'sitemap_missing',
    '/gone.xml',
  ],
])('a named sitemap that is %s is told of', async (_, sitemap, code, why) => {
  const site = await sites.start((asked) => {
    if (asked === '/robots.txt') return { headers: { 'content-type': 'text/plain' }, body: 'Sitemap: /map.xml' };
    if (asked === '/map.xml') return sitemap;
    return asked === '/' ? page(asked) : undefined;
  });
  const job = await service.crawl({ urls: [`${site.origin}/`] });
  expect([...job.findings, ...job.notices]).toEqual([
    expect.objectContaining({ code, message: expect.stringContaining(why) }),
  ]);
});

test('that there is no sitemap at the usual place is told only where nothing else was asked for', async () => {
  const site = await sites.start((asked) => (asked === '/' ? page(asked) : undefined));
  const codes = async (input: object): Promise<string[]> =>
    codesOf(await service.crawl({ urls: [`${site.origin}/`], use_browser: false, ...input }));
  expect(await codes({})).toEqual([]);
  expect(await codes({ force_crawling_mode: 'sitemap' })).toEqual(['sitemap_missing']);
});
