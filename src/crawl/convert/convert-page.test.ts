import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { JobSpec } from '../../core/job.ts';
import { compileJob } from '../../url/scope.ts';
import { pageMetadata } from '../../api/routes/schemas.ts';
import { type AnswerHeaders, readFetchedHeaders } from '../../fetch/answer/answer-head.ts';
import { briefOf } from '../job/job-cache.ts';
import { convertPage } from './convert-page.ts';
import type { ConvertedPage, PageInput } from './converter.ts';
import { readSitemap } from './read-sitemap.ts';
import { jobSpec } from '../../../test/job-spec.ts';
import type { PageFormats } from '../../core/page.ts';
import { rowStart } from '../../page/row.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';

const spec = jobSpec({ urls: ['http://site.example/'], pageLimit: 1, fetchLimit: 1 });

const html = `<!doctype html><html lang="en"><head><title>The title</title><meta name="description" content="Said briefly.">
  <link rel="canonical" href="/original"></head><body><main><h1>Heading</h1><p>Some text, long enough to be a page of its own.
  <a href="/in">inside</a> <a href="http://other.example/">outside</a> <a rel="nofollow" href="/no">not to be followed</a></p></main></body></html>`;

interface Given extends Partial<Omit<PageInput, 'body' | 'headers' | 'job'>> {
  /** Overrides those of a plain page. */
  readonly headers?: AnswerHeaders;
  readonly body?: string | Uint8Array;
  readonly spec?: Partial<JobSpec>;
}

function jobOf(changes: Partial<JobSpec> = {}) {
  const job = { id: 'job', spec: { ...spec, ...changes }, scopeHosts: ['site.example'] };
  const brief = briefOf(job, 1);
  return { brief, judged: compileJob(brief) };
}

function converted({ body = html, headers, spec: changes, ...given }: Given = {}): Promise<ConvertedPage> {
  const { brief, judged } = jobOf(changes);
  const input: PageInput = {
    job: brief,
    requestUrl: 'http://site.example/page',
    fetchedUrl: 'http://site.example/page',
    depth: 0,
    statusCode: 200,
    headers: readFetchedHeaders({ 'content-type': 'text/html; charset=utf-8', ...headers }),
    body: ownedCopy(typeof body === 'string' ? new TextEncoder().encode(body) : body),
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
  return JSON.parse(rowStart(1) + rest) as Row;
}

const linksOf = (result: ConvertedPage): string[] =>
  'links' in result
    ? result.links.map(({ url, depth, discard }) => `${url} ${depth} ${discard?.reason ?? 'crawl'}`)
    : [];

describe('a page', () => {
  test('becomes what the API shows: where it was asked for and found, its metadata, its text', async () => {
    const row = rowOf(await converted({ fetchedUrl: 'http://site.example/moved' }));
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
  ] as const)('is %s where that was asked for', async (outputFormat, expected) => {
    expect(rowOf(await converted({ spec: { outputFormat } })).text).toMatch(expected);
  });

  test.each([
    ['gzip', gzipSync(html)],
    ['br', brotliCompressSync(html)],
    ['deflate', deflateSync(html)],
    ['deflate', deflateRawSync(html)],
    ['zstd', zstdCompressSync(html)],
    ['gzip, zstd', zstdCompressSync(gzipSync(html))],
    ['gzip, br', brotliCompressSync(gzipSync(html))],
    ['gzip, gzip', gzipSync(gzipSync(html))],
  ])('is unpacked: %s', async (contentEncoding, body) => {
    expect(rowOf(await converted({ headers: { 'content-encoding': contentEncoding }, body })).meta.meta['title']).toBe(
      'The title',
    );
  });

  test('has its links judged, one step further away', async () => {
    expect(linksOf(await converted({ depth: 3 }))).toEqual([
      // The original that it names is an ordinary link.
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
  ])('X-Robots-Tag: %s', async (robotsTag, expected) => {
    expect(linksOf(await converted({ headers: { 'x-robots-tag': robotsTag } }))).toContain(
      `http://site.example/in 1 ${expected}`,
    );
  });

  test('has the links that its headers name', async () => {
    const headers = { link: '</2>; rel="next", <http://other.example/>; rel=prev', refresh: '0; url=/3' };
    expect(linksOf(await converted({ headers, body: '<base href="/sub/">' }))).toEqual([
      'http://site.example/3 1 crawl',
      'http://site.example/2 1 crawl',
      'http://other.example/ 1 off_host',
    ]);
  });

  const refresh = '<meta http-equiv=refresh content="0; url=/next">';
  test.each<readonly [why: string, body: string, given: Given, target: string | undefined]>([
    ['nothing but a refresh', refresh, {}, '/next'],
    ['a refresh in a header', '<p>', { headers: { refresh: '0; url=/next' } }, '/next'],
    [
      'a line for those who wait',
      `${refresh}<title>Moved</title><p>You are being redirected. <a href="/next">Click here</a>.`,
      {},
      '/next',
    ],
    ['a canonical link to the target', `${refresh}<link rel=canonical href="/next">`, {}, '/next'],
    ['a link to another site', `${refresh}<a href="http://other.example/">Made with it</a>`, {}, '/next'],
    [
      'a refresh to another site',
      refresh.replace('/next', 'http://other.example/next'),
      {},
      'http://other.example/next',
    ],
    ['a long script', `${refresh}<script>${'x();'.repeat(500)}</script>`, {}, '/next'],
    ['less text than is wanted', refresh, { spec: { minLength: 100 } }, '/next'],
    ['a text of its own', `${refresh}<p>${'Some text. '.repeat(30)}`, {}, undefined],
    ['a link to another page of the site', `${refresh}<a href="/de">Deutsch</a>`, {}, undefined],
    ['a refresh of the page itself', refresh.replace('/next', '/page#top'), {}, undefined],
    ['a refresh that takes its time', refresh.replace('0;', '5;'), {}, undefined],
    ['links that are not to be followed', `<meta name=robots content=nofollow>${refresh}`, {}, undefined],
    [
      'links that are followed all the same',
      `<meta name=robots content=nofollow>${refresh}`,
      { spec: { followNofollow: true } },
      '/next',
    ],
  ])('with %s is a redirect or not', async (_, body, given, target) => {
    const result = await converted({ ...given, body });
    const expected = target === undefined ? undefined : new URL(target, 'http://site.example/').href;
    expect(result.kind === 'moved' ? result.target : undefined).toBe(expected);
  });

  test('keeps what a conditional request needs, and what robots are asked, by whom ever', async () => {
    const headers = {
      etag: 'W/"a"',
      'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT',
      'x-robots-tag': ['otherbot: none', 'NoArchive', 'hayrake: noindex'],
    };
    expect(
      rowOf(await converted({ headers, body: '<meta name=robots content="noindex, max-snippet:20">' })).meta.meta,
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

  test('has no metadata that the OpenAPI document does not list, and that has none that no page has', async () => {
    const names = {
      author: 'Ann Reed',
      date: '2026-11-20',
      'last-modified': '2026-11-21',
      'og:site_name': 'x',
      'og:image': 'x',
      keywords: 'x',
      robots: 'x',
      'og:type': 'x',
    };
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
    const added = `${Object.entries(names)
      .map(([name, content]) => `<meta name=${name} content="${content}">`)
      .join('')}<script type="application/ld+json">${JSON.stringify(jsonLd)}</script>`;
    const body = html.replace('<title>', `${added}<title>`);
    const { meta } = rowOf(await converted({ headers: { etag: '"a"', 'last-modified': 'x' }, body })).meta;
    // Only files have pages, characters without letters and warnings, and this page is neither cut nor rendered.
    const {
      pageCount: _pages,
      truncated: _cut,
      unreadableCharacters: _unreadable,
      warning: _warning,
      rendered: _rendered,
      ...listed
    } = pageMetadata.shape;
    expect(Object.keys(meta).toSorted()).toEqual(Object.keys(listed).toSorted());
    expect(pageMetadata.parse(meta)).toEqual(meta);
  });

  test.each(['', 'text/html; charset="', 'text/html; charset=', ';', 'TEXT/HTML;;charset=nonsense'])(
    'is read whatever its Content-Type makes of it: %j',
    async (contentType) => {
      const row = rowOf(
        await converted({ headers: { 'content-type': contentType }, body: '<title>Über</title><p>text' }),
      );
      expect(row).toMatchObject({ text: 'text', meta: { meta: { title: 'Über' } } });
      expect(row.meta.meta['contentType']).toBe(contentType === '' ? undefined : contentType);
    },
  );

  test('of a crawl of the sitemap alone has no links', async () => {
    expect(linksOf(await converted({ spec: { forceCrawlingMode: 'sitemap' } }))).toEqual([]);
  });

  test('with less text than is asked for is short, and its links count', async () => {
    const result = await converted({ body: '<p>Five!<a href="/in"></a>', spec: { minLength: 6 } });
    expect(result).toMatchObject({ kind: 'short', detail: '5 of 6 characters' });
    expect(linksOf(result)).toEqual(['http://site.example/in 1 crawl']);
    expect((await converted({ body: '<p>Five!', spec: { minLength: 5 } })).kind).toBe('page');
  });
});

describe('a page that names an original', () => {
  const text = `<h1>Heading</h1>${Array.from({ length: 9 }, (_, index) => `<p>Paragraph ${index} says something that no other one says.`).join('')}`;
  const keyOf = async (given: Given): Promise<string | undefined> => {
    const result = await converted(given);
    if (result.kind !== 'page') throw new Error('not a page');
    return result.page.copyKey;
  };

  test.each<[how: string, Given]>([
    ['in an element', { body: `<link rel=canonical href=/page>${text}` }],
    ['in a header', { body: text, headers: { link: '</page>; rel="canonical"' } }],
    ['with a time stamp of its own', { body: `<link rel=canonical href=/page>${text}<p>Printed at 12:03` }],
    [
      'with its links written for a campaign',
      { body: `<link rel=canonical href=/page>${text.replace('says', '<a href="?utm_source=x">says</a>')}` },
    ],
  ])('has its key if the text is nearly the same: %s', async (_, given) => {
    expect(await keyOf({ fetchedUrl: 'http://site.example/page?print=1', ...given })).toBe(await keyOf({ body: text }));
  });

  test('has a key of its own if the text is another', async () => {
    const other = `<link rel=canonical href=/page>${text.replaceAll('says', 'tells')}`;
    expect(await keyOf({ fetchedUrl: 'http://site.example/page?page=2', body: other })).not.toBe(
      await keyOf({ body: text }),
    );
  });
});

describe('a body that is no page', () => {
  test.each([
    ['a bomb', gzipSync(Buffer.alloc(21 * 2 ** 20)), 'gzip', 'body_too_large'],
    ['a bomb in a bomb', gzipSync(gzipSync(Buffer.alloc(200 * 2 ** 20))), 'gzip, gzip', 'body_too_large'],
    ['packed wrongly', Buffer.from('no gzip'), 'gzip', 'bad_encoding'],
    ['cut off', gzipSync(html).subarray(0, 50), 'gzip', 'bad_encoding'],
    ['a bomb of zstd', zstdCompressSync(Buffer.alloc(21 * 2 ** 20)), 'zstd', 'body_too_large'],
    ['a bomb of deflate', deflateSync(Buffer.alloc(21 * 2 ** 20)), 'deflate', 'body_too_large'],
    ['zstd that is cut off', zstdCompressSync(html).subarray(0, -1), 'zstd', 'bad_encoding'],
    ['wrong brotli', Buffer.from('no brotli'), 'br', 'bad_encoding'],
    ['too large as it is', Buffer.alloc(21 * 2 ** 20), '', 'body_too_large'],
  ])('is an error: %s', async (_, body, contentEncoding, reason) => {
    expect(await converted({ body, headers: { 'content-encoding': contentEncoding } })).toMatchObject({
      kind: 'error',
      error: { reason },
    });
  });

  test('an empty one is an empty page', async () => {
    expect(rowOf(await converted({ body: '' }))).toMatchObject({
      text: '',
      meta: { meta: { title: '', description: '' } },
    });
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
        body: ownedCopy(bytes),
        bytesMax,
      },
      judged,
    );
  };
  const named = ['http://site.example/a', 'http://other.example/b'];

  test.each([
    ['plain', xml, ''],
    ['packed for the way', gzipSync(xml), 'gzip'],
    ['packed for the way as zlib', deflateSync(xml), 'deflate'],
    ['packed for the way as zstd', zstdCompressSync(xml), 'zstd'],
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
    ['noise', new Uint8Array(500).fill(0xe7), '', 'It contains no URL.'],
    ['wrongly packed', xml, 'gzip', 'The body is not valid gzip.'],
    ['a broken .gz file', new Uint8Array([0x1f, 0x8b, 1, 2, 3]), '', 'The body is not valid gzip.'],
    ['a bomb', gzipSync(Buffer.alloc(20_000, 'http://site.example/a\n')), 'gzip', 'The body is larger than '],
    [
      'a bomb of zstd',
      zstdCompressSync(Buffer.alloc(20_000, 'http://site.example/a\n')),
      'zstd',
      'The body is larger than ',
    ],
    ['zstd that is cut off', zstdCompressSync(xml).subarray(0, -1), 'zstd', 'The body is not valid zstd.'],
    ['nothing', '', '', 'It contains no URL.'],
  ])('that cannot be read names nothing, and says why: %s', (_, body, encoding, problem) => {
    expect(read(body, encoding)).toEqual({ urls: [], sitemaps: [], problem: expect.stringContaining(problem) });
  });
});

describe('several formats from one fetch', () => {
  const formatsIn = async (given: Given): Promise<{ text: string; formats?: PageFormats }> => {
    const page = await converted(given);
    if (page.kind !== 'page') throw new Error(page.kind);
    const { deflated } = page.page.body;
    return JSON.parse(rowStart(1) + inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString()) as {
      text: string;
      formats?: PageFormats;
    };
  };

  test('each output is what it is alone, and the output format is not repeated', async () => {
    const alone = async (outputFormat: JobSpec['outputFormat']) => (await formatsIn({ spec: { outputFormat } })).text;
    const { text, formats } = await formatsIn({ spec: { formats: ['markdown', 'html', 'text', 'links', 'raw'] } });
    expect(text).toBe(await alone('markdown'));
    expect(formats).toEqual({
      html: await alone('html'),
      text: await alone('text'),
      links: [
        'http://site.example/original',
        'http://site.example/in',
        'http://other.example/',
        'http://site.example/no',
      ],
      raw: html,
    });
    expect(await formatsIn({})).not.toHaveProperty('formats');
  });

  test('a raw page is cut at 10 MiB, and the job is told', async () => {
    const body = `<title>Long</title><p>${'word '.repeat(2_200_000)}`;
    const page = await converted({ body, spec: { formats: ['raw'] } });
    expect(page).toMatchObject({ kind: 'page', remarks: expect.arrayContaining(['truncated']) as string[] });
    expect((await formatsIn({ body, spec: { formats: ['raw'] } })).formats?.raw).toHaveLength(10 * 2 ** 20);
  });
});
