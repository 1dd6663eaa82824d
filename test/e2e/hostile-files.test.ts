// robots.txt and sitemaps that are too much, or not what they should be: read as far as they go, and the crawl goes on.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { type LedgerRow, ledgerOf } from './ledger.ts';
import {
  endless,
  growthOf,
  gzipBomb,
  http,
  ordinaryPage,
  type RawAnswer,
  type RawSite,
  startRawSite,
  warmUp,
} from './hostile-site.ts';

const grownMiBMax = 256;
const MiB = 2 ** 20;

let service: TestService;
const sites: RawSite[] = [];
beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_CONVERTER_THREADS: '2' } });
  await warmUp(service);
});
afterAll(async () => {
  for (const site of sites) await site.close();
  await service.close();
});

async function start(answers: Readonly<Record<string, RawAnswer>>): Promise<RawSite> {
  const site = await startRawSite(answers);
  sites.push(site);
  return site;
}

interface Crawled {
  readonly job: JobAnswer;
  readonly site: RawSite;
  /** What became of a path. */
  of(path: string): LedgerRow | undefined;
  readonly entries: readonly LedgerRow[];
}

/** Crawls a site to its end, and holds the service to its memory. */
async function crawl(
  answers: Readonly<Record<string, RawAnswer>>,
  input: Record<string, unknown> = {},
): Promise<Crawled> {
  const site = await start(answers);
  const { result: job, grownMiB } = await growthOf(service, () =>
    service.crawl({ urls: [`http://${site.host}/`], ...input }),
  );
  expect(job.status).toBe('succeeded');
  expect(grownMiB).toBeLessThan(grownMiBMax);
  const ledger = new Map((await ledgerOf(service, job.id)).map((row) => [row.url, row]));
  return { job, site, of: (path) => ledger.get(`http://${site.host}${path}`), entries: [...ledger.values()] };
}

describe('a sitemap', () => {
  const xml = (body: string | Uint8Array, headers: Record<string, string> = {}): Uint8Array =>
    http(body, { headers: { 'content-type': 'application/xml', ...headers } });
  const urlset = (urls: readonly string[], doctype = ''): string =>
    `<?xml version="1.0"?>${doctype}<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
  const index = (urls: readonly string[]): string =>
    `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

  /** A start page, a page that it links to, one that only the sitemap names, and one that only a good sitemap names. */
  const pages = {
    '/': http(ordinaryPage('the start', ['/linked'])),
    '/linked': http(ordinaryPage('linked')),
    '/named': http(ordinaryPage('named by the sitemap')),
    '/named/too': http(ordinaryPage('named by a good sitemap')),
  };
  const withSitemap = (
    sitemap: RawAnswer,
    more: Readonly<Record<string, RawAnswer>> = {},
  ): Record<string, RawAnswer> => ({
    ...pages,
    '/robots.txt': (socket) => {
      const origin = `http://127.0.0.1:${socket.localPort}`;
      socket.end(
        http(`Sitemap: ${origin}/sitemap\nSitemap: ${origin}/good`, { headers: { 'content-type': 'text/plain' } }),
      );
    },
    '/sitemap': sitemap,
    '/good': xml(urlset(['/named/too'])),
    ...more,
  });

  const laughs = Array.from({ length: 10 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  const bomb = gzipBomb(160);
  test.each<readonly [string, RawAnswer]>([
    ['billion laughs', xml(urlset(['/named', '/&l10;'], `<!DOCTYPE x [<!ENTITY l0 "/lol">${laughs}]>`))],
    [
      'one long entity many times',
      xml(urlset(['/named', `/${'&a;'.repeat(100_000)}`], `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100_000)}">]>`)),
    ],
    [
      'an entity that is a file',
      xml(urlset(['/named', '/&f;'], '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>')),
    ],
    ['several document types', xml(`<!DOCTYPE a><!DOCTYPE b [<!ENTITY c "d">]>${urlset(['/named'])}<!DOCTYPE e>`)],
  ])('with %s is read as it is written: nothing is expanded', async (_, sitemap) => {
    const { of, entries } = await crawl(withSitemap(sitemap));
    const scraped = ['/', '/linked', '/named/too', '/named'].map((path) => of(path)?.status);
    expect(scraped).toEqual(scraped.map(() => 'scraped'));
    const others = entries.filter(({ status }) => status !== 'scraped').map(({ url }) => new URL(url).pathname);
    expect(others.every((path) => /^\/&\w+;$/.test(path))).toBe(true);
  });

  test.each<readonly [string, RawAnswer]>([
    ['a file of 10 GiB, packed', http(bomb, { headers: { 'content-type': 'application/gzip' } })],
    ['10 GiB, packed on the way', xml(bomb, { 'content-encoding': 'gzip' })],
    ['a packed file, packed on the way', xml(gzipSync(bomb), { 'content-encoding': 'gzip' })],
    [
      '1 GB of URLs',
      endless(
        'Content-Type: application/xml',
        `<url><loc>/named/${'a'.repeat(100)}</loc></url>`.repeat(500),
        '<urlset>',
      ),
    ],
    [
      'one element of 1 GB',
      endless('Content-Type: application/xml', 'a'.repeat(64 * 1024), '<urlset><url><loc>/named/'),
    ],
    ['a page of HTML', http(ordinaryPage('no sitemap', ['/named']))],
  ])('with %s names nothing, and the others do', async (_, sitemap) => {
    const { job, of } = await crawl(withSitemap(sitemap));
    expect(['/', '/linked', '/named/too'].map((path) => of(path)?.status)).toEqual(['scraped', 'scraped', 'scraped']);
    expect(of('/named')).toBeUndefined();
    expect(job.progress).toMatchObject({ discovered: 3, scraped: 3 });
  });

  test('never makes anybody fetch its document type', async () => {
    const canary = await start({});
    const url = `http://${canary.host}/x.dtd`;
    const doctype = `<!DOCTYPE urlset SYSTEM "${url}" [<!ENTITY % p SYSTEM "${url}"> %p; <!ENTITY e SYSTEM "${url}">]>`;
    const { job } = await crawl(withSitemap(xml(urlset(['/named', '/&e;'], doctype))));
    expect(job.progress).toMatchObject({ discovered: 5, scraped: 4 });
    expect(canary.connections()).toBe(0);
  });

  test('of 51,000 URLs names the first 50,000', async () => {
    const urls = Array.from({ length: 51_000 }, (_, number) => `/many/${number}`);
    const { job } = await crawl(withSitemap(xml(urlset(urls))), { exclude_globs: ['/many/**'] });
    expect(job['sitemapPageCount']).toBe(50_001);
    expect(job).toMatchObject({ progress: { scraped: 3 }, reasons: { excluded_by_glob: 50_000 } });
  });

  test('that leads back to itself is read once', async () => {
    const { job, site } = await crawl(
      withSitemap(xml(index(['/sitemap', '/other', '/good', '/sitemap#again'])), {
        '/other': xml(index(['/sitemap', '/other', '/third'])),
        '/third': xml(urlset(['/named'])),
      }),
    );
    expect(job.progress).toMatchObject({ discovered: 4, scraped: 4 });
    for (const path of ['/sitemap', '/other', '/third', '/good']) {
      expect(site.asked.filter((asked) => asked === path)).toHaveLength(1);
    }
  });

  test('that goes on for ever is followed 500 times', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 600 }, (_, number) => [`/next/${number}`, xml(index([`/next/${number + 1}`]))]),
    );
    const { job, site } = await crawl(withSitemap(xml(index(['/next/0'])), chain));
    expect(job.progress).toMatchObject({ discovered: 3, scraped: 3 });
    expect(site.asked.filter((path) => /^\/(?:sitemap|good|next\/\d+)$/.test(path))).toHaveLength(500);
  });
});

describe('a robots.txt', () => {
  const pages = {
    '/': http(ordinaryPage('the start', ['/open', '/private/x'])),
    '/open': http(ordinaryPage('open')),
    '/private/x': http(ordinaryPage('private')),
  };
  const rules = 'User-agent: *\nDisallow: /private/\n';
  const text = (body: string | Uint8Array, headers: Record<string, string> = {}): Uint8Array =>
    http(body, { headers: { 'content-type': 'text/plain', ...headers } });
  const line = `# ${'a'.repeat(97)}\n`;

  test.each<readonly [string, RawAnswer]>([
    ['of 100 MB', text(rules + line.repeat(MiB))],
    ['without end', endless('Content-Type: text/plain', line.repeat(500), rules)],
    ['with a line of 10 MB behind them', text(`${rules}Disallow: /open${'x'.repeat(10 * MiB)}`)],
    ['with 10,000 stars', text(`${rules}Disallow: /open${'*'.repeat(10_000)}x\nDisallow: /${'*a'.repeat(5_000)}$\n`)],
    ['with NULs', text(`${rules}\0Disallow: /open\nDisallow: /\0open\0\n\0\n`)],
    ['with lines that mean nothing', text(`${'\u0001\u00ff: \n:::\nDisallow\n'.repeat(1_000)}${rules}`)],
    [
      'with a bomb behind them',
      text(gzipSync(Buffer.concat([Buffer.from(rules), Buffer.alloc(64 * MiB)])), { 'content-encoding': 'gzip' }),
    ],
  ])('%s is kept to where it has rules', async (_, robots) => {
    const { of } = await crawl({ ...pages, '/robots.txt': robots });
    expect(of('/open')).toMatchObject({ status: 'scraped' });
    expect(of('/private/x')).toMatchObject({ status: 'outside', reason: 'robots_disallowed' });
  });

  test.each<readonly [string, RawAnswer]>([
    ['with its rules behind 500 KiB', text(line.repeat(6_000) + rules)],
    ['of one line of 10 MB', text(`User-agent: * ${'x'.repeat(10 * MiB)}\n${rules}`)],
    ['in UTF-16', text(Buffer.from(`\ufeff${rules}`, 'utf16le'))],
    ['of HTML', http(ordinaryPage('Disallow: /private/'))],
    ['of nothing but a bomb', text(gzipBomb(160), { 'content-encoding': 'gzip' })],
    ['that is a PNG', http(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), { headers: { 'content-type': 'image/png' } })],
  ])('%s has none', async (_, robots) => {
    const { of } = await crawl({ ...pages, '/robots.txt': robots });
    expect(of('/open')).toMatchObject({ status: 'scraped' });
    expect(of('/private/x')).toMatchObject({ status: 'scraped' });
  });

  test('with so many rules that a long URL would take long keeps that away', async () => {
    const many = Array.from({ length: 30_000 }, (_, number) => `Disallow: /*${number}`).join('\n');
    const long = `/${'long'.repeat(1_500)}`;
    const { of } = await crawl({
      '/': http(ordinaryPage('the start', ['/open', long])),
      '/open': http(ordinaryPage('open')),
      '/robots.txt': text(`User-agent: *\n${many}`),
    });
    expect(of('/open')).toMatchObject({ status: 'scraped' });
    expect(of(long)).toMatchObject({ status: 'outside', reason: 'robots_disallowed' });
  });
});
