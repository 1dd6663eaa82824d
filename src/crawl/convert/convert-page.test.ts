import { brotliCompressSync, constants, gzipSync, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { JobSpec } from '../../core/job.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { compileJob } from '../../url/scope.ts';
import { pageMetadata } from '../../api/schemas.ts';
import { type AnswerHeaders, readFetchedHeaders } from '../../fetch/answer-head.ts';
import { briefOf } from '../job-cache.ts';
import { convertPage } from './convert-page.ts';
import type { ConvertedPage, PageInput } from './converter.ts';
import { readSitemap } from './read-sitemap.ts';
import { jobSpec } from '../../../test/job-spec.ts';

const spec = jobSpec({ urls: ['http://site.example/'], pageLimit: 1, fetchLimit: 1 });

const html = `<!doctype html><html lang="en"><head><title>The title</title><meta name="description" content="Said briefly.">
  <link rel="canonical" href="/original"></head><body><main><h1>Heading</h1><p>Some text, long enough to be a page of its own.
  <a href="/in">inside</a> <a href="http://other.example/">outside</a> <a rel="nofollow" href="/no">not to be followed</a></p></main></body></html>`;

interface Given extends Partial<Omit<PageInput, 'body' | 'headers' | 'job'>> {
  /** Over those of a plain page. */
  readonly headers?: AnswerHeaders;
  readonly body?: string | Uint8Array;
  readonly spec?: Partial<JobSpec>;
}

function jobOf(changes: Partial<JobSpec> = {}) {
  const job = { id: 'job', spec: { ...spec, ...changes }, scopeHosts: ['site.example'] };
  const brief = briefOf(job, 1);
  return { brief, judged: compileJob(brief) };
}

function converted({ body = html, headers, spec: changes, ...given }: Given = {}): ConvertedPage {
  const { brief, judged } = jobOf(changes);
  const input: PageInput = {
    job: brief,
    requestUrl: 'http://site.example/page',
    fetchedUrl: 'http://site.example/page',
    depth: 0,
    statusCode: 200,
    headers: readFetchedHeaders({ 'content-type': 'text/html; charset=utf-8', ...headers }),
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ...given,
  };
  return convertPage(input, judged);
}

interface Row {
  readonly meta: { readonly url: string; readonly fetchedUrl: string; readonly meta: Record<string, unknown> };
  readonly text: string;
}

function rowOf(result: ConvertedPage): Row {
  if (result.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(result)}`);
  const rest = inflateRawSync(result.page.body.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  return JSON.parse(`{"meta":{"page":1,${rest}`) as Row;
}

const linksOf = (result: ConvertedPage): string[] =>
  result.kind === 'error' || result.kind === 'binary'
    ? []
    : result.links.map(({ url, depth, discard }) => `${url} ${depth} ${discard?.reason ?? 'crawl'}`);

describe('a page', () => {
  test('becomes what the API shows: where it was asked for and found, its metadata, its text', () => {
    const row = rowOf(converted({ fetchedUrl: 'http://site.example/moved' }));
    expect(row.meta).toMatchObject({
      url: 'http://site.example/page',
      fetchedUrl: 'http://site.example/moved',
      meta: {
        title: 'The title',
        description: 'Said briefly.',
        language: 'en',
        statusCode: 200,
        contentType: 'text/html; charset=utf-8',
      },
    });
    expect(row.text).toContain('# Heading');
  });

  test.each([
    ['text', /^Heading\n/],
    ['html', /<h1>Heading<\/h1>/],
    ['markdown', /^# Heading\n/],
  ] as const)('is %s where that was asked for', (outputFormat, expected) => {
    expect(rowOf(converted({ spec: { outputFormat } })).text).toMatch(expected);
  });

  test.each([
    ['gzip', gzipSync(html)],
    ['br', brotliCompressSync(html)],
    ['gzip, br', brotliCompressSync(gzipSync(html))],
    ['gzip, gzip', gzipSync(gzipSync(html))],
  ])('is unpacked: %s', (contentEncoding, body) => {
    expect(rowOf(converted({ headers: { 'content-encoding': contentEncoding }, body })).meta.meta['title']).toBe(
      'The title',
    );
  });

  test('has its links judged, one step further away', () => {
    expect(linksOf(converted({ depth: 3 }))).toEqual([
      // The original that it names is a link like any.
      'http://site.example/original 4 crawl',
      'http://site.example/in 4 crawl',
      'http://other.example/ 4 off_host',
      'http://site.example/no 4 nofollow',
    ]);
  });

  test.each([
    ['nofollow', 'nofollow'],
    ['noindex, NOFOLLOW', 'nofollow'],
    ['none', 'nofollow'],
    ['noindex', 'crawl'],
    ['', 'crawl'],
  ])('X-Robots-Tag: %s', (robotsTag, expected) => {
    expect(linksOf(converted({ headers: { 'x-robots-tag': robotsTag } }))).toContain(
      `http://site.example/in 1 ${expected}`,
    );
  });

  test('has the links that its headers name', () => {
    const headers = { link: '</2>; rel="next", <http://other.example/>; rel=prev', refresh: '0; url=/3' };
    expect(linksOf(converted({ headers, body: '<base href="/sub/">' }))).toEqual([
      'http://site.example/3 1 crawl',
      'http://site.example/2 1 crawl',
      'http://other.example/ 1 off_host',
    ]);
  });

  test('keeps what a conditional request needs, and what robots are asked, by whom ever', () => {
    const headers = {
      etag: 'W/"a"',
      'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT',
      'x-robots-tag': ['otherbot: none', 'NoArchive', 'hayrake: noindex'],
    };
    expect(
      rowOf(converted({ headers, body: '<meta name=robots content="noindex, max-snippet:20">' })).meta.meta,
    ).toEqual({
      title: '',
      description: '',
      robots: ['noindex', 'max-snippet:20', 'noarchive'],
      extractionMethod: 'whole',
      extractionQuality: 0,
      wordCount: 0,
      statusCode: 200,
      contentType: 'text/html; charset=utf-8',
      etag: 'W/"a"',
      lastModified: 'Sat, 21 Nov 2026 10:00:00 GMT',
    });
  });

  test('has no metadata that the OpenAPI document does not list, and that has none that no page has', () => {
    const names = ['author', 'date', 'last-modified', 'og:site_name', 'og:image', 'keywords', 'robots', 'og:type'];
    const jsonLd = {
      '@graph': [
        {
          '@type': 'Product',
          name: 'Rake',
          brand: 'Hay Tools',
          sku: 'R1',
          offers: { price: 10, priceCurrency: 'EUR', availability: 'InStock' },
          aggregateRating: { ratingValue: 4.5, ratingCount: 2 },
        },
        { '@type': 'FAQPage', mainEntity: [{ '@type': 'Question', name: 'Why?' }] },
        { '@type': 'BreadcrumbList', itemListElement: [{ '@type': 'ListItem', position: 1, name: 'Tools' }] },
      ],
    };
    const added = `${names.map((name) => `<meta name=${name} content=x>`).join('')}<script type="application/ld+json">${JSON.stringify(jsonLd)}</script>`;
    const body = html.replace('<title>', `${added}<title>`);
    const { meta } = rowOf(converted({ headers: { etag: '"a"', 'last-modified': 'x' }, body })).meta;
    // Only files have pages.
    const { pageCount: _, ...listed } = pageMetadata.shape;
    expect(Object.keys(meta).toSorted()).toEqual(Object.keys(listed).toSorted());
    expect(pageMetadata.parse(meta)).toEqual(meta);
  });

  test.each(['', 'text/html; charset="', 'text/html; charset=', ';', 'TEXT/HTML;;charset=nonsense'])(
    'is read whatever its Content-Type makes of it: %j',
    (contentType) => {
      const row = rowOf(converted({ headers: { 'content-type': contentType }, body: '<title>Über</title><p>text' }));
      expect(row).toMatchObject({ text: 'text', meta: { meta: { title: 'Über' } } });
      expect(row.meta.meta['contentType']).toBe(contentType === '' ? undefined : contentType);
    },
  );

  test('of a crawl of the sitemap alone has no links', () => {
    expect(linksOf(converted({ spec: { forceCrawlingMode: 'sitemap' } }))).toEqual([]);
  });

  test('with less text than is asked for is short, and its links count', () => {
    const result = converted({ body: '<p>Five!<a href="/in"></a>', spec: { minLength: 6 } });
    expect(result).toMatchObject({ kind: 'short', detail: '5 of 6 characters' });
    expect(linksOf(result)).toEqual(['http://site.example/in 1 crawl']);
    expect(converted({ body: '<p>Five!', spec: { minLength: 5 } }).kind).toBe('page');
  });
});

describe('the original that a page names', () => {
  const withCanonical = (href: string): string => `<link rel="canonical" href="${href}"><p>text`;
  test.each([
    ['/original', 'http://site.example/original'],
    ['http://site.example/original?utm_source=x', 'http://site.example/original'],
    ['http://other.example/original', undefined],
    ['https://site.example/original', undefined],
    ['/page', undefined],
    ['/page#part', undefined],
    ['http://[', undefined],
  ])('%s counts as %s', (href, expected) => {
    const result = converted({ body: withCanonical(href) });
    if (result.kind !== 'page') throw new Error('not a page');
    expect(result.page.canonicalKey).toBe(expected === undefined ? undefined : dedupeKey(new URL(expected)));
  });

  test.each([
    ['', '/header'],
    ['<link rel=canonical href=/element>', '/element'],
  ])('may be named by a header, beside %j: %s', (body, expected) => {
    const result = converted({ body, headers: { link: '</header>; rel="canonical"' } });
    if (result.kind !== 'page') throw new Error('not a page');
    expect(result.page.canonicalKey).toBe(dedupeKey(new URL(expected, 'http://site.example/')));
  });
});

describe('a body that is no page', () => {
  test.each([
    ['a bomb', gzipSync(Buffer.alloc(21 * 2 ** 20)), 'gzip', 'body_too_large'],
    ['a bomb in a bomb', gzipSync(gzipSync(Buffer.alloc(200 * 2 ** 20))), 'gzip, gzip', 'body_too_large'],
    ['packed wrongly', Buffer.from('no gzip'), 'gzip', 'bad_encoding'],
    ['cut off', gzipSync(html).subarray(0, 50), 'gzip', 'bad_encoding'],
    ['wrong brotli', Buffer.from('no brotli'), 'br', 'bad_encoding'],
    ['too large as it is', Buffer.alloc(21 * 2 ** 20), '', 'body_too_large'],
  ])('is an error: %s', (_, body, contentEncoding, reason) => {
    expect(converted({ body, headers: { 'content-encoding': contentEncoding } })).toMatchObject({
      kind: 'error',
      error: { reason },
    });
  });

  test('an empty one is an empty page', () => {
    expect(rowOf(converted({ body: '' }))).toMatchObject({ text: '', meta: { meta: { title: '', description: '' } } });
  });
});

describe('a sitemap', () => {
  const xml = `<?xml version="1.0"?><urlset><url><loc>http://site.example/a</loc></url><url><loc>http://other.example/b</loc></url></urlset>`;
  const index = '<sitemapindex><sitemap><loc>/more.xml</loc></sitemap></sitemapindex>';
  const read = (body: string | Uint8Array, contentEncoding = '', bytesMax = 10_000) => {
    const { brief, judged } = jobOf();
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    return readSitemap(
      {
        job: brief,
        url: 'http://site.example/sitemap.xml',
        depth: 1,
        contentType: '',
        contentEncoding,
        body: bytes,
        bytesMax,
      },
      judged,
    );
  };
  const named = ['http://site.example/a', 'http://other.example/b'];

  test.each([
    ['plain', xml, ''],
    ['packed for the way', gzipSync(xml), 'gzip'],
    ['a .gz file', gzipSync(xml), ''],
    ['a .gz file, packed for the way', gzipSync(gzipSync(xml)), 'gzip'],
    ['lines of text', named.join('\n'), ''],
    ['XML that ends too soon', xml.replace('</urlset>', ''), ''],
  ])('is read: %s', (_, body, encoding) => {
    expect(read(body, encoding).urls.map(({ url }) => url)).toEqual(named);
  });

  test('has its URLs judged like links', () => {
    expect(read(xml).urls.map(({ depth, discard }) => [depth, discard?.reason])).toEqual([
      [1, undefined],
      [1, 'off_host'],
    ]);
  });

  test('of sitemaps names them', () => {
    expect(read(index)).toEqual({ urls: [], sitemaps: ['http://site.example/more.xml'] });
  });

  test.each([
    ['HTML', '<!doctype html><p>not found', '', 'It is an HTML page.'],
    ['noise', new Uint8Array(500).fill(0xe7), '', 'No URL is in it.'],
    ['wrongly packed', xml, 'gzip', 'The body is not valid gzip.'],
    ['a broken .gz file', new Uint8Array([0x1f, 0x8b, 1, 2, 3]), '', 'The body is not valid gzip.'],
    ['a bomb', gzipSync(Buffer.alloc(20_000, 'http://site.example/a\n')), 'gzip', 'The body is larger than '],
    ['nothing', '', '', 'No URL is in it.'],
  ])('that cannot be read names nothing, and says why: %s', (_, body, encoding, problem) => {
    expect(read(body, encoding)).toEqual({ urls: [], sitemaps: [], problem: expect.stringContaining(problem) });
  });
});
