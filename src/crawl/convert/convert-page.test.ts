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
import { type ResponseHeaders, readFetchedHeaders } from '../../fetch/response/response-head.ts';
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
  readonly headers?: ResponseHeaders;
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

test('convertPage: returns no links when the job makes no requests, and lists them in its page', async () => {
  const changes = { formats: ['links'] as const };
  const followed = await converted({ spec: changes });
  const again = await converted({ spec: { ...changes, reextract: { of: 'other' } } });
  if (followed.kind !== 'page' || again.kind !== 'page') throw new Error('both are pages');
  expect([followed.links.length, again.links.length]).toEqual([4, 0]);
  expect(again.page.body.length).toBe(followed.page.body.length);
});

describe('convertPage', () => {
  test('convertPage: returns URLs, metadata and text in the form of the API', async () => {
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

  const markdown = `---
title: The guide
description: Said briefly.
authors: [Ada, Bob]
date: 2024-05-01
lastmod: 2024-06-01
tags: [a, b]
lang: de
---

# Heading

Some *text*: [in](b.md "t"), [ref][R], <http://site.example/auto>. ![i](x.png) \`[no](no.md)\`

[R]: ../ref`;
  const markdownType = { 'content-type': 'text/markdown; charset=utf-8' };

  test('convertPage: returns the text of Markdown as it is, with absolute addresses', async () => {
    expect(rowOf(await converted({ body: markdown, headers: markdownType })).text).toBe(`# Heading

Some *text*: [in](http://site.example/b.md "t"), [ref][R], <http://site.example/auto>. ![i](http://site.example/x.png) \`[no](no.md)\`

[R]: http://site.example/ref`);
  });

  test('convertPage: returns the links of Markdown, and its front matter as metadata', async () => {
    const result = await converted({ body: markdown, headers: { 'content-type': 'text/x-markdown' } });
    expect(linksOf(result)).toEqual(['b.md', 'ref', 'auto'].map((path) => `http://site.example/${path} 1 crawl`));
    const { meta } = rowOf(result).meta;
    expect(meta).toMatchObject({
      title: 'The guide',
      description: 'Said briefly.',
      author: 'Ada, Bob',
      publishedTime: '2024-05-01',
      modifiedTime: '2024-06-01',
      keywords: ['a', 'b'],
      language: 'de',
    });
    const listed = new Set(Object.keys(pageMetadata.shape));
    expect(Object.keys(meta).filter((name) => !listed.has(name))).toEqual([]);
  });

  test.each([
    ['text', 'Heading\n\nSome text: in, ref, http://site.example/auto. [no](no.md)'],
    ['html', expect.stringContaining('<a href="http://site.example/b.md"')],
  ] as const)('convertPage: derives %s from Markdown', async (outputFormat, text) => {
    const given = { body: markdown, headers: markdownType, spec: { outputFormat } };
    expect(rowOf(await converted(given)).text).toEqual(text);
  });

  test.each([
    ['## The *first* & only\n\ntext', 'The first & only'],
    ['text', ''],
  ])('convertPage: takes the title of Markdown from its first heading: %j', async (body, title) => {
    expect(rowOf(await converted({ body, headers: markdownType })).meta.meta['title']).toBe(title);
  });

  test('convertPage: returns the selected elements of Markdown when the client selects some', async () => {
    const given = { body: 'a\n\n> b\n', headers: markdownType, spec: { includeElements: 'blockquote' } };
    expect(rowOf(await converted(given)).text).toBe('> b');
  });

  test('convertPage: converts 5 MB of Markdown brackets', { timeout: 60_000 }, async () => {
    const result = await converted({ body: '['.repeat(5_000_000), headers: markdownType });
    expect(rowOf(result).text).toHaveLength(5_000_000);
  });

  test('convertPage: asks for no browser when Markdown contains scripts', async () => {
    const result = await converted({
      body: '<script src="a.js"></script>\n\n<div id="root">\n',
      headers: markdownType,
    });
    expect(result).not.toHaveProperty('browser');
    expect(result).not.toHaveProperty('remarks');
  });

  const xhtml = `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html>
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>The title</title><style/><script src="a.js"/></head>
    <body><div id="top"/><p>Some text, <![CDATA[long & enough]]>. <a href="/in">inside</a></p></body></html>`;

  test.each(['application/xhtml+xml', 'application/xml', 'text/xml; charset=utf-8'])(
    'convertPage: returns text and links of XHTML when its type is %s',
    async (type) => {
      const result = await converted({ body: xhtml, headers: { 'content-type': type } });
      expect(rowOf(result)).toMatchObject({
        text: 'Some text, long & enough. [inside](http://site.example/in)',
        meta: { meta: { title: 'The title' } },
      });
      expect(linksOf(result)).toEqual(['http://site.example/in 1 crawl']);
    },
  );

  test.each([
    '<rss><channel/></rss>',
    '<html><p>a</p></html>',
    '',
    '<!-- <html xmlns="http://www.w3.org/1999/xhtml"> -->',
  ])('convertPage: returns binary with the type when XML is no XHTML: %s', async (body) => {
    const result = await converted({ body, headers: { 'content-type': 'text/xml' } });
    expect(result).toEqual({ kind: 'binary', detail: 'text/xml' });
  });

  test.each([
    ['gb2312', [0xba, 0xe9], '?n=%BA%E9', { headers: { 'content-type': 'text/html; charset=gb2312' } }],
    ['iso-8859-1', [0xe9], '?n=%E9', { headers: { 'content-type': 'text/html' } }],
    ['utf-8', [0xe6, 0xb4, 0xaa], '?n=%E6%B4%AA', {}],
    ['gb2312', [0xe6, 0xb4, 0xaa], '?n=%BA%E9', { headers: { 'content-type': 'text/html' }, isRendered: true }],
  ])('convertPage: encodes the queries of links as the page is encoded when it is %s: %j', async (...given) => {
    const [label, bytes, query, input] = given;
    const body = Buffer.concat([
      Buffer.from(`<meta charset=${label}><p>Some text with a <a href="/%C3%BC?n=`),
      Uint8Array.from(bytes),
      Buffer.from('">link</a>'),
    ]);
    const result = await converted({ ...input, body });
    expect(linksOf(result)).toEqual([`http://site.example/%C3%BC${query} 1 crawl`]);
    expect(rowOf(result).text).toContain(query);
  });

  test.each([
    ['text', /^Heading\n/],
    ['html', /<h1>Heading<\/h1>/],
    ['markdown', /^# Heading\n/],
  ] as const)('convertPage: returns %s when the job requests this format', async (outputFormat, expected) => {
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
  ])('convertPage: unpacks the content encoding %s', async (contentEncoding, body) => {
    expect(rowOf(await converted({ headers: { 'content-encoding': contentEncoding }, body })).meta.meta['title']).toBe(
      'The title',
    );
  });

  test('convertPage: judges the links of the page one step deeper', async () => {
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
  ])('convertPage: for X-Robots-Tag %j judges a link as %s', async (robotsTag, expected) => {
    expect(linksOf(await converted({ headers: { 'x-robots-tag': robotsTag } }))).toContain(
      `http://site.example/in 1 ${expected}`,
    );
  });

  test('convertPage: returns the links of the response headers', async () => {
    const headers = { link: '</2>; rel="next", <http://other.example/>; rel=prev', refresh: '0; url=/3' };
    expect(linksOf(await converted({ headers, body: '<base href="/sub/">' }))).toEqual([
      'http://site.example/3 1 crawl',
      'http://site.example/2 1 crawl',
      'http://other.example/ 1 off_host',
    ]);
  });

  const refresh = '<meta http-equiv=refresh content="0; url=/next">';
  test.each<readonly [why: string, body: string, given: Given, target: string | undefined]>([
    ['only a refresh', refresh, {}, '/next'],
    ['a refresh in a header', '<p>', { headers: { refresh: '0; url=/next' } }, '/next'],
    [
      'a refresh and a short notice',
      `${refresh}<title>Moved</title><p>You are being redirected. <a href="/next">Click here</a>.`,
      {},
      '/next',
    ],
    ['a refresh and a canonical link to its target', `${refresh}<link rel=canonical href="/next">`, {}, '/next'],
    ['a refresh and a link to another site', `${refresh}<a href="http://other.example/">Made with it</a>`, {}, '/next'],
    [
      'a refresh to another site',
      refresh.replace('/next', 'http://other.example/next'),
      {},
      'http://other.example/next',
    ],
    ['a refresh and a long script', `${refresh}<script>${'x();'.repeat(500)}</script>`, {}, '/next'],
    ['a refresh and less text than min_length', refresh, { spec: { minLength: 100 } }, '/next'],
    ['a refresh and text of its own', `${refresh}<p>${'Some text. '.repeat(30)}`, {}, undefined],
    ['a refresh and a link to another page of the site', `${refresh}<a href="/de">Deutsch</a>`, {}, undefined],
    ['a refresh of the page itself', refresh.replace('/next', '/page#top'), {}, undefined],
    ['a refresh after five seconds', refresh.replace('0;', '5;'), {}, undefined],
    ['a refresh and nofollow', `<meta name=robots content=nofollow>${refresh}`, {}, undefined],
    [
      'a refresh and nofollow, when the job follows nofollow',
      `<meta name=robots content=nofollow>${refresh}`,
      { spec: { followNofollow: true } },
      '/next',
    ],
  ])('convertPage: judges whether a page with %s is a redirect', async (_, body, given, target) => {
    const result = await converted({ ...given, body });
    const expected = target === undefined ? undefined : new URL(target, 'http://site.example/').href;
    expect(result.kind === 'moved' ? result.target : undefined).toBe(expected);
  });

  test('convertPage: keeps the validators of a conditional request and the robots directives', async () => {
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

  test('convertPage: returns exactly the metadata that the OpenAPI document lists', async () => {
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
    // Only files have pages, characters without letters and warnings, and this page is neither cut nor rendered, and came
    // over no unverified connection.
    const {
      pageCount: _pages,
      truncated: _cut,
      unreadableCharacters: _unreadable,
      warning: _warning,
      rendered: _rendered,
      tlsVerified: _verified,
      // Only an erased page has this.
      erasedAt: _erased,
      // Only jobs with `since` have these.
      change: _change,
      evidence: _evidence,
      // Only jobs with `extract` have these.
      declaredThings: _things,
      declaredThingsOmitted: _omitted,
      extractedFrom: _from,
      ...listed
    } = pageMetadata.shape;
    expect(Object.keys(meta).toSorted()).toEqual(Object.keys(listed).toSorted());
    expect(pageMetadata.parse(meta)).toEqual(meta);
  });

  test.each(['', 'text/html; charset="', 'text/html; charset=', ';', 'TEXT/HTML;;charset=nonsense'])(
    'convertPage: reads the page despite the Content-Type %j',
    async (contentType) => {
      const row = rowOf(
        await converted({ headers: { 'content-type': contentType }, body: '<title>Über</title><p>text' }),
      );
      expect(row).toMatchObject({ text: 'text', meta: { meta: { title: 'Über' } } });
      expect(row.meta.meta['contentType']).toBe(contentType === '' ? undefined : contentType);
    },
  );

  test('convertPage: returns no links when the job crawls the sitemap only', async () => {
    expect(linksOf(await converted({ spec: { forceCrawlingMode: 'sitemap' } }))).toEqual([]);
  });

  test('convertPage: returns short, with the links, when the text is below min_length', async () => {
    const result = await converted({ body: '<p>Five!<a href="/in"></a>', spec: { minLength: 6 } });
    expect(result).toMatchObject({ kind: 'short', detail: '5 of 6 characters' });
    expect(linksOf(result)).toEqual(['http://site.example/in 1 crawl']);
    expect((await converted({ body: '<p>Five!', spec: { minLength: 5 } })).kind).toBe('page');
  });
});

describe('convertPage: copyKey of a page with a canonical link', () => {
  const text = `<h1>Heading</h1>${Array.from({ length: 9 }, (_, index) => `<p>Paragraph ${index} says something that no other one says.`).join('')}`;
  const keyOf = async (given: Given): Promise<string | undefined> => {
    const result = await converted(given);
    if (result.kind !== 'page') throw new Error('not a page');
    return result.page.copyKey;
  };

  test.each<[how: string, Given]>([
    ['in an element', { body: `<link rel=canonical href=/page>${text}` }],
    ['in a header', { body: text, headers: { link: '</page>; rel="canonical"' } }],
    ['and a time stamp of its own', { body: `<link rel=canonical href=/page>${text}<p>Printed at 12:03` }],
    [
      'and links with campaign parameters',
      { body: `<link rel=canonical href=/page>${text.replace('says', '<a href="?utm_source=x">says</a>')}` },
    ],
  ])(
    'copyKey: equals that of the original when the text is nearly the same and the page names it %s',
    async (_, given) => {
      expect(await keyOf({ fetchedUrl: 'http://site.example/page?print=1', ...given })).toBe(
        await keyOf({ body: text }),
      );
    },
  );

  test('copyKey: differs from that of the original when the text is different', async () => {
    const other = `<link rel=canonical href=/page>${text.replaceAll('says', 'tells')}`;
    expect(await keyOf({ fetchedUrl: 'http://site.example/page?page=2', body: other })).not.toBe(
      await keyOf({ body: text }),
    );
  });
});

describe('convertPage with a body that is no page', () => {
  test.each([
    ['a decompression bomb', gzipSync(Buffer.alloc(21 * 2 ** 20)), 'gzip', 'body_too_large'],
    ['a bomb inside a bomb', gzipSync(gzipSync(Buffer.alloc(200 * 2 ** 20))), 'gzip, gzip', 'body_too_large'],
    ['text that is not gzip', Buffer.from('no gzip'), 'gzip', 'bad_encoding'],
    ['truncated gzip', gzipSync(html).subarray(0, 50), 'gzip', 'bad_encoding'],
    ['a zstd bomb', zstdCompressSync(Buffer.alloc(21 * 2 ** 20)), 'zstd', 'body_too_large'],
    ['a deflate bomb', deflateSync(Buffer.alloc(21 * 2 ** 20)), 'deflate', 'body_too_large'],
    ['truncated zstd', zstdCompressSync(html).subarray(0, -1), 'zstd', 'bad_encoding'],
    ['text that is not brotli', Buffer.from('no brotli'), 'br', 'bad_encoding'],
    ['a plain body that is too large', Buffer.alloc(21 * 2 ** 20), '', 'body_too_large'],
  ])('convertPage: returns $3 for $0', async (_, body, contentEncoding, reason) => {
    expect(await converted({ body, headers: { 'content-encoding': contentEncoding } })).toMatchObject({
      kind: 'error',
      error: { reason },
    });
  });

  test('convertPage: returns an empty page for an empty body', async () => {
    expect(rowOf(await converted({ body: '' }))).toMatchObject({
      text: '',
      meta: { meta: { title: '', description: '' } },
    });
  });
});

describe('readSitemap', () => {
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
    ['plain XML', xml, ''],
    ['gzip as content encoding', gzipSync(xml), 'gzip'],
    ['zlib as content encoding', deflateSync(xml), 'deflate'],
    ['zstd as content encoding', zstdCompressSync(xml), 'zstd'],
    ['a .gz file', gzipSync(xml), ''],
    ['a .gz file with gzip as content encoding', gzipSync(gzipSync(xml)), 'gzip'],
    ['lines of text', named.join('\n'), ''],
    ['truncated XML', xml.replace('</urlset>', ''), ''],
  ])('readSitemap: reads %s', (_, body, encoding) => {
    expect(read(body, encoding).urls.map(({ url }) => url)).toEqual(named);
  });

  test('readSitemap: judges its URLs like links', () => {
    expect(read(xml).urls.map(({ depth, discard }) => [depth, discard?.reason])).toEqual([
      [1, undefined],
      [1, 'off_host'],
    ]);
  });

  test('readSitemap: returns the sitemaps of a sitemap index', () => {
    expect(read(index)).toEqual({ urls: [], sitemaps: ['http://site.example/more.xml'] });
  });

  test.each([
    ['HTML', '<!doctype html><p>not found', '', 'It is an HTML page.'],
    ['noise', new Uint8Array(500).fill(0xe7), '', 'It contains no URL.'],
    ['XML that claims to be gzip', xml, 'gzip', 'The body is not valid gzip.'],
    ['a broken .gz file', new Uint8Array([0x1f, 0x8b, 1, 2, 3]), '', 'The body is not valid gzip.'],
    ['a gzip bomb', gzipSync(Buffer.alloc(20_000, 'http://site.example/a\n')), 'gzip', 'The body is larger than '],
    [
      'a zstd bomb',
      zstdCompressSync(Buffer.alloc(20_000, 'http://site.example/a\n')),
      'zstd',
      'The body is larger than ',
    ],
    ['truncated zstd', zstdCompressSync(xml).subarray(0, -1), 'zstd', 'The body is not valid zstd.'],
    ['an empty body', '', '', 'It contains no URL.'],
  ])('readSitemap: returns no URLs and a problem for %s', (_, body, encoding, problem) => {
    expect(read(body, encoding)).toEqual({ urls: [], sitemaps: [], problem: expect.stringContaining(problem) });
  });
});

describe('convertPage with several formats', () => {
  const formatsIn = async (given: Given): Promise<{ text: string; formats?: PageFormats }> => {
    const page = await converted(given);
    if (page.kind !== 'page') throw new Error(page.kind);
    const { deflated } = page.page.body;
    return JSON.parse(rowStart(1) + inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString()) as {
      text: string;
      formats?: PageFormats;
    };
  };

  test('convertPage: returns each of several formats as it is alone, and does not repeat the output format', async () => {
    const alone = async (outputFormat: JobSpec['outputFormat']) => (await formatsIn({ spec: { outputFormat } })).text;
    const { text, formats } = await formatsIn({ spec: { formats: ['markdown', 'html', 'text', 'links', 'source'] } });
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
      source: html,
    });
    expect(await formatsIn({})).not.toHaveProperty('formats');
  });

  test('convertPage: remarks extract_incomplete on a page whose price can mean two things, and on no other', async () => {
    const extract = {
      schema: null,
      fields: { price: { css: '.price', type: 'price' } },
      declared: true,
      declared_things: false,
      when: ['/page'],
    } as const;
    const remarksOf = async (price: string): Promise<unknown> => {
      const page = await converted({ body: html.replace('<p>', `<p class=price>${price}</p><p>`), spec: { extract } });
      return 'remarks' in page ? page.remarks : [];
    };
    expect(await remarksOf('1.234 Euro')).toEqual(['extract_incomplete']);
    expect(await remarksOf('7 Euro')).toEqual([]);
  });

  test('convertPage: truncates the source format at 10 MiB, and remarks truncated', async () => {
    const body = `<title>Long</title><p>${'word '.repeat(2_200_000)}`;
    const page = await converted({ body, spec: { formats: ['source'] } });
    expect(page).toMatchObject({ kind: 'page', remarks: expect.arrayContaining(['truncated']) as string[] });
    expect((await formatsIn({ body, spec: { formats: ['source'] } })).formats?.source).toHaveLength(10 * 2 ** 20);
  });
});
