// Checks docs/what-is-lost.md: its table has every code, every file that it names tests the code, and what only a whole
// crawl shows is tested here.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobCodes } from '../../src/core/job-codes.ts';
import { discardReasons, errorReasons } from '../../src/core/reasons.ts';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { readToEnd } from '../service/read-results.ts';
import { ledgerOf } from './ledger.ts';
import { type Answer, page, ScriptedSites } from './scripted-site.ts';

interface Row {
  readonly lost: string;
  readonly codes: readonly string[];
  readonly tests: readonly string[];
}

function tableRows(): Row[] {
  return readFileSync(new URL('../../docs/what-is-lost.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| What is lost'))
    .map((line) => {
      const [lost = '', seen = '', tested = ''] = line.slice(2).split(' | ');
      return { lost, codes: named(seen), tests: named(tested) };
    });
}

function named(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

const allCodes = [...Object.keys(discardReasons), ...Object.keys(errorReasons), ...Object.keys(jobCodes)];

describe('the table of what is lost', () => {
  const rows = tableRows();

  test('has every reason, finding and notice', () => {
    const inTable = new Set(rows.flatMap(({ codes }) => codes));
    expect(allCodes.filter((code) => !inTable.has(code))).toEqual([]);
  });

  test.each(rows.map((row) => [row.lost, row] as const))('names tests of its codes: %s', (_, { codes, tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    const texts = tests.map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
    // Only the status of an error is seen: `http_404`.
    const tested = codes
      .filter((code) => allCodes.includes(code))
      .map((code) => (code === 'http_error' ? 'http_' : code));
    expect(tested.filter((code) => !texts.some((text) => text.includes(code)))).toEqual([]);
  });
});

describe('a crawl reports', () => {
  let service: TestService;
  const sites = new ScriptedSites();
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    await sites.close();
    await service.close();
  });

  async function crawl(paths: Readonly<Record<string, Answer>>, input: object = {}): Promise<JobAnswer> {
    const site = await sites.start((path) => paths[path]);
    return service.crawl({ urls: [`${site.origin}/`], ...input });
  }
  /** Notices, and then findings. */
  const sayingsOf = ({ notices, findings }: JobAnswer): readonly (readonly [code: string, message: string])[] =>
    [...notices, ...findings].map(({ code, message }) => [code, message.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')]);
  const plain = (body: string): Answer => ({ headers: { 'content-type': 'text/plain' }, body });

  test('pages of 50,000 links or more, with their number', async () => {
    const links = Array.from({ length: 50_001 }, (_, number) => `<a href="https://other.test/${number}">`).join(
      'x</a>',
    );
    const job = await crawl({
      '/': page('/', ['/one', '/two']),
      '/one': links,
      '/two': `${links}2`,
    });
    expect(sayingsOf(job)).toEqual([
      ['links_cut', expect.stringMatching(/^2 pages have 50,000 links or more, such as \/(?:one|two)\. Links beyond/)],
    ]);
    expect(job.findings).toMatchObject([{ count: 2 }]);
  });

  test('cookies beyond those that are kept, with the number of responses that set them', async () => {
    const setting = (count: number, body: string): Answer => ({
      headers: {
        'content-type': 'text/html',
        'set-cookie': Array.from({ length: count }, (_, number) => `c${number}=1`),
      },
      body,
    });
    const job = await crawl({ '/': setting(51, page('/', ['/few'])), '/few': setting(2, page('/few')) });
    expect(sayingsOf(job)).toEqual([
      [
        'cookies_cut',
        expect.stringMatching(/^1 response set more or longer cookies than a job keeps, such as that of \/\./),
      ],
    ]);
  });

  test('pages that have no text without JavaScript, with their number', async () => {
    const shell = (title: string): string =>
      `<!doctype html><title>${title}</title><div id="root"></div><script type="module" src="/app.js"></script>`;
    const job = await crawl({
      '/': shell('Start') + '<a href="/two"></a><a href="/three"></a>',
      '/two': shell('Two'),
      '/three': `${page('/three')}<script src="/app.js"></script>`,
    });
    expect(sayingsOf(job)).toEqual([
      ['browser_missing', '2 pages have almost no text without a browser, such as /, and there is none.'],
    ]);
  });

  test('pages that are larger than is read of one, with their number', async () => {
    const rows = Array.from({ length: 270_000 }, (_, row) => `<tr><td>${row}`).join('');
    const job = await crawl({
      '/': page('/', ['/table', '/rest']),
      '/table': `<title>Rows</title><a href="/early">x</a><table><tr><th>Row${rows}</table><a href="/late">x</a><p>The end.`,
      '/early': page('/early'),
      '/late': page('/late'),
      '/rest': page('/rest'),
    });
    expect(sayingsOf(job)).toEqual([
      [
        'truncated',
        '1 page has more content than the service reads, such as /table. Text, metadata and links cover only the beginning.',
      ],
    ]);
    const urls = (await ledgerOf(service, job.id)).map(({ url }) => new URL(url).pathname);
    expect(urls.toSorted()).toEqual(['/', '/early', '/rest', '/table']);
    const pages = await readToEnd(service, job.id, 'data', () => 400);
    const table = pages.find(({ meta }) => new URL(meta.url).pathname === '/table');
    expect(table?.meta.meta).toMatchObject({ title: 'Rows', truncated: true });
    expect(table?.text).toContain('| 260000 |');
    expect(table?.text).not.toContain('269999');
    expect(pages.filter(({ meta }) => 'truncated' in meta.meta)).toHaveLength(1);
  });

  test('that there is no page, and why', async () => {
    const forbidden = await crawl({ '/robots.txt': plain('User-agent: *\nDisallow: /'), '/': page('/') });
    expect(forbidden.status).toBe('failed');
    expect(sayingsOf(forbidden)).toEqual([['robots_forbids', 'robots.txt forbids 1 URL, such as /.']]);
    const missing = await crawl({});
    expect(sayingsOf(missing)).toEqual([['failed_pages', '1 URL could not be read, such as /.']]);
  });

  test('a robots.txt that is read in part', async () => {
    const robots = plain(`User-agent: *\n${'# filler\n'.repeat(60_000)}Disallow: /\n`);
    const job = await crawl({ '/robots.txt': robots, '/': page('/') });
    expect(sayingsOf(job)).toEqual([['robots_cut', expect.stringContaining('/robots.txt has 500 KiB or more.')]]);
  });

  test('each sitemap in the ledger, apart from the pages', async () => {
    const xml = (what: string, locs: readonly string[]): Answer => ({
      headers: { 'content-type': 'application/xml' },
      body: `<${what}>${locs.map((loc) => `<x><loc>${loc}</loc></x>`).join('')}</${what}>`.replaceAll(
        'x>',
        what === 'urlset' ? 'url>' : 'sitemap>',
      ),
    });
    const job = await crawl({
      '/robots.txt': plain('User-agent: *\nDisallow: /private\nSitemap: /index.xml'),
      '/index.xml': xml('sitemapindex', ['/good.xml', '/gone.xml', '/broken.xml', '/private.xml']),
      '/good.xml': xml('urlset', ['/a', '/b']),
      '/broken.xml': { headers: { 'content-type': 'text/html' }, body: '<!doctype html><html><p>Log in</p></html>' },
      '/': page('/'),
      '/a': page('/a'),
      '/b': page('/b'),
    });
    const sitemaps = await ledgerOf(service, job.id, { kind: 'sitemap' });
    expect(sitemaps.map(({ url, status, reason, detail }) => [new URL(url).pathname, status, reason, detail])).toEqual([
      ['/index.xml', 'scraped', undefined, '0 URLs, 4 sitemaps'],
      ['/good.xml', 'scraped', undefined, '2 URLs'],
      ['/gone.xml', 'failed', 'http_404', 'The site responded with 404.'],
      ['/broken.xml', 'failed', 'sitemap_unreadable', 'It is an HTML page.'],
      ['/private.xml', 'outside', 'robots_disallowed', 'Disallow: /private (robots.txt, line 2)'],
    ]);
    expect(await ledgerOf(service, job.id)).toHaveLength(3);
    expect(job.progress).toMatchObject({ scraped: 3, discarded: 0, failed: 0 });
    expect(
      sayingsOf(job)
        .map(([code]) => code)
        .toSorted(),
    ).toEqual(['sitemap_missing', 'sitemap_unreadable']);
    expect(job.findings).toMatchObject([{ code: 'sitemap_unreadable', count: 2 }]);
  });
});
