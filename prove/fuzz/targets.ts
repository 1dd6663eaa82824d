// What is fuzzed: code that reads bytes of strangers. A target rejects if a promise is broken, and only then.
import assert from 'node:assert/strict';
import { convertDocument } from '../../src/extract/convert-document.ts';
import type { DocumentKind } from '../../src/core/bytes/file-kind.ts';
import { mediaType } from '../../src/core/bytes/media-type.ts';
import { decodeBytes } from '../../src/core/bytes/decode-bytes.ts';
import { UserError } from '../../src/core/errors.ts';
import { readRetryAfter } from '../../src/core/retry-after.ts';
import { rangeIn } from '../../src/api/response/byte-range.ts';
import { acceptsGzip, matchesTag } from '../../src/api/response/negotiation.ts';
import { DocumentError } from '../../src/documents/parts/document-error.ts';
import { readDocument } from '../../src/documents/read-document.ts';
import { extractPage } from '../../src/extract/extract-page.ts';
import { parseLinkHeader } from '../../src/extract/scan/link-header.ts';
import { codingsOf, readFetchedHeaders, wholeHead } from '../../src/fetch/response/response-head.ts';
import { mendHead } from '../../src/fetch/response/mend-head.ts';
import { Cursors } from '../../src/jobs/cursor.ts';
import { parseRobots } from '../../src/robots/robots-rules.ts';
import { robotsTagDirectives } from '../../src/robots/robots-tag.ts';
import { parseSitemap } from '../../src/robots/sitemap.ts';
import { parseHttpUrl, resolveLink } from '../../src/url/parse-url.ts';
import { docx, epub, pdf, pptx, rtf, shape, wordParagraph, xlsx, zip } from '../../test/files/make-files.ts';

export interface Target {
  /** What the first inputs are. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words that its format knows: mutations insert them. */
  readonly words: readonly string[];
  readonly run: (bytes: Uint8Array) => Promise<void> | void;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const latin1Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const base = 'https://example.com/guide/';

const htmlWords =
  '<p> </p> <div class="menu"> <table> <tr> <td colspan=9> <ul> <li> <pre> <code class="language-js"> <a href="/x"> <h1> <h2 id=a> <main> <article> <nav> <svg> <math> <template> <script type="application/ld+json"> <!-- --> <select> <option> <details> <summary> hidden aria-controls="a" <br> <b> <i> <img src=i alt=x> <base href="//y/"> &amp; &#x0; &nbsp; <dl> <dt> <dd> itemprop="name" <meta name="description" content="x">'.split(
    ' ',
  );
const xmlWords = '<?xml version="1.0"?> <![CDATA[ ]]> <!-- --> &lt; &#x41; <!DOCTYPE xmlns="http://x/"'.split(' ');

async function readsAs(kind: DocumentKind, bytes: Uint8Array, contentType = ''): Promise<void> {
  try {
    const document = await readDocument(kind, { bytes, contentType });
    if (!document) return;
    const { text } = convertDocument(document, { url: `${base}file`, outputFormat: 'markdown' });
    assert.ok(text.isWellFormed(), 'half a character');
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
  }
}

const file = (kind: DocumentKind, seeds: Target['seeds'], words: readonly string[], contentType?: string): Target => ({
  seeds,
  words,
  run: (bytes) => readsAs(kind, bytes, contentType),
});

/** Mutations reach the XML of an office file, and not the bytes that compress it. */
const inside = (
  kind: DocumentKind,
  seeds: Target['seeds'],
  words: readonly string[],
  wrap: (xml: string) => Uint8Array,
): Target => ({
  seeds,
  words: [...xmlWords, ...words],
  run: (bytes) => readsAs(kind, wrap(textOf(bytes))),
});

const cursors = new Cursors(new Uint8Array(32).fill(7));
const list = { kind: 'pages', jobId: 'JOB' } as const;

export const targets: Readonly<Record<string, Target>> = {
  html: {
    seeds: [
      '<!doctype html><title>T</title><nav><a href=/a>Home</a><a href=/b>Blog</a></nav><main><h1>T</h1><p>Some words of a page, in a sentence.</p><table><tr><th>a<td>b</table><pre><code>x = 1</code></pre></main>',
      '<html lang=de><body><article itemscope itemtype="https://schema.org/Recipe"><h2>Name</h2><div class="meta">by Ada <time>2024-01-02</time></div><dl><dt>Price<dd>4 €</dl><ul><li>one<ul><li>two</ul></ul></article><footer>Rights</footer>',
    ],
    words: htmlWords,
    run: (bytes) => {
      const options = {
        url: base,
        headers: { link: '', refresh: '', contentLanguage: '' },
        robotsTag: new Set<string>(),
        outputFormat: 'markdown',
        content: 'auto',
        excludeElements: null,
      } as const;
      const once = extractPage(textOf(bytes), options);
      assert.ok(once.text.isWellFormed(), 'half a character');
      assert.equal(extractPage(textOf(bytes), options).text, once.text, 'another text of the same page');
    },
  },
  charset: {
    seeds: [
      '<meta charset=windows-1251>\u00cf\u00f0\u00e8',
      Buffer.from('\ufeffa', 'utf16le'),
      '<?xml version="1.0" encoding="shift_jis"?>',
    ],
    words: [
      'charset=',
      'utf-8',
      'gb18030',
      'iso-2022-jp',
      'utf-16',
      '\u001b$B',
      '<meta http-equiv=content-type content="',
    ],
    run: async (bytes) => {
      const decoded = await decodeBytes(bytes, { contentType: 'text/html', isMarkup: true });
      assert.ok(decoded.isWellFormed(), 'half a character');
    },
  },
  robots: {
    seeds: [
      'User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 2\nSitemap: /s.xml\n',
      'user-agent: hayrake\ndisallow:\n\nuser-agent: x\ndisallow: /%C3%A9',
    ],
    words: [
      'User-agent: ',
      'hayrake',
      '*',
      '$',
      'Disallow: ',
      'Allow: ',
      'Crawl-delay: ',
      'Sitemap: ',
      '\r',
      '\n',
      '#',
      '%2F',
      '\ufeff',
    ],
    run: (bytes) => {
      const rules = parseRobots(bytes, 'https://example.com');
      for (const path of ['/', '/a', '/ab?c=%2f', `/${latin1Of(bytes).slice(0, 40)}`]) {
        const verdict = rules.verdict(`https://example.com${path}`);
        assert.ok(verdict.allowed || verdict.rule !== '', 'a rule without a name');
      }
      for (const url of rules.sitemaps) assert.match(new URL(url).protocol, /^https?:$/u);
      assert.ok(rules.sitemaps.length <= 500);
    },
  },
  sitemap: {
    seeds: [
      '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/a</loc><lastmod>2024-05-06</lastmod></url></urlset>',
      '<rss><channel><item><link>https://example.com/b</link></item></channel></rss>',
      'https://example.com/c\nhttps://example.com/d\n',
    ],
    words: [
      ...xmlWords,
      '<loc>',
      '</loc>',
      '<url>',
      '<sitemapindex>',
      '<sitemap>',
      '<feed>',
      '<entry>',
      '<link href="',
    ],
    run: (bytes) => {
      const content = parseSitemap(textOf(bytes), 'https://example.com/s.xml');
      for (const { url } of content.urls) assert.match(new URL(url).protocol, /^https?:$/u);
      for (const url of content.sitemaps) assert.match(new URL(url).protocol, /^https?:$/u);
    },
  },
  pdf: file(
    'pdf',
    [pdf([['# A title', 'The first line of a page', 'and its end.'], ['Two']], { Title: '(A)' })],
    [
      'obj',
      'endobj',
      'stream',
      'endstream',
      '<<',
      '>>',
      '/Type',
      '/Page',
      '/Kids',
      '/Length',
      'BT',
      'ET',
      'Tj',
      'xref',
      'trailer',
      ' R',
    ],
  ),
  rtf: file(
    'rtf',
    [rtf],
    ['{\\', '}', '\\par', "\\'e9", '\\u8364?', '\\bin9', '\\trowd', '\\cell', '\\row', '\\fonttbl'],
  ),
  csv: file('csv', ['a,b\n1,"x\ny"\n', 'a;b\n1;2\n'], [',', ';', '\t', '"', '""', '\n', '\r']),
  json: file(
    'json',
    ['{"a": [1, {"b": null}]}', '[{"name": "x", "n": 1}, {"name": "y"}]'],
    ['{', '}', '[', ']', '"', ':', ',', '1e999', '\\ud800'],
  ),
  ipynb: file(
    'ipynb',
    [
      '{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "markdown", "source": ["# T"]}, {"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": "y"}]}]}',
    ],
    ['"cells"', '"source"', '"outputs"', '"data"', '"text/html"', '[', ']', '{', '}'],
  ),
  yaml: file('yaml', ['a: 1\nb:\n  - c\n'], ['- ', ': ', '&a', '*a', '|', '>', '{', '[', '"']),
  mail: file(
    'mail',
    [
      'From: a@b.c\r\nSubject: =?utf-8?q?x?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>Hello\r\n--x--\r\n',
    ],
    ['--x', 'Content-Type: ', 'Content-Transfer-Encoding: base64', '\r\n', '=?', '?=', 'boundary='],
  ),
  xml: file('xml', ['<?xml version="1.0"?><doc><title>T</title><p>Words</p></doc>'], xmlWords, 'application/xml'),
  docx: inside(
    'docx',
    [
      wordParagraph('A paragraph'),
      '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
      '<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den/></m:f></m:oMath>',
    ],
    [
      '<w:p>',
      '<w:r>',
      '<w:t>',
      '<w:tbl>',
      '<w:gridSpan w:val="9"/>',
      '<w:vMerge/>',
      '<m:oMath>',
      '<m:f>',
      '<w:numPr>',
      '<w:fldSimple w:instr="HYPERLINK x">',
    ],
    (body) => docx({ body }),
  ),
  xlsx: inside(
    'xlsx',
    ['<row><c r="A1" t="inlineStr"><is><t>x</t></is></c><c r="B1"><v>1</v></c></row>'],
    ['<row>', '<c r="ZZ9">', '<v>', '<f>', 't="s"', 't="d"', '<is><t>'],
    (rows) => xlsx({ One: rows }),
  ),
  pptx: inside(
    'pptx',
    [shape('title', ['A']), shape(undefined, ['b', 'c'])],
    ['<p:sp>', '<a:p>', '<a:t>', '<a:tbl>', '<a:tr>', '<a:tc>', '<p:graphicFrame>'],
    (slide) => pptx([slide]),
  ),
  epub: inside('epub', ['<h1>One</h1><p>Words.</p>'], htmlWords, (chapter) => epub([chapter])),
  odf: inside(
    'odf',
    [
      '<text:h>T</text:h><text:p>a<text:s text:c="3"/>b</text:p><table:table><table:table-row><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>',
    ],
    [
      '<text:p>',
      '<text:list>',
      '<text:list-item>',
      '<table:table-cell table:number-columns-repeated="9">',
      '<text:note>',
    ],
    (body) =>
      zip({
        mimetype: 'application/vnd.oasis.opendocument.text',
        'content.xml': `<office:document-content><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
      }),
  ),
  cursors: {
    seeds: [cursors.write(list, 7), cursors.write({ kind: 'feed', jobId: 'JOB' }, 'RUN.3')],
    words: ['AAAA', '_', '-', '=', '%00'],
    run: (bytes) => {
      const cursor = latin1Of(bytes);
      try {
        assert.equal(cursors.write(list, cursors.read(list, cursor)), cursor, 'a cursor that nobody has issued');
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        assert.equal(error.code, 'invalid_cursor');
      }
    },
  },
  headers: {
    seeds: [
      'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nLink: <https://a.example/>; rel="canonical"\r\nX-Robots-Tag: hayrake: noindex\r\nRetry-After: 5\r\nContent-Encoding: gzip, br\r\n\r\n',
    ],
    words: [
      '\r\n',
      ': ',
      '; ',
      ', ',
      'Link: <',
      '>; rel="next"',
      'bytes=0-',
      'W/"',
      'q=0',
      'gzip',
      'Content-Length: 9',
      'Sun, 06 Nov 1994 08:49:37 GMT',
      '\t',
    ],
    run: (bytes) => {
      const head = latin1Of(bytes);
      const mended = mendHead(head);
      assert.equal(mendHead(mended), mended, 'a head that is mended twice');
      for (const line of head.split('\n')) {
        const value = line.slice(line.indexOf(':') + 1);
        for (const link of parseLinkHeader(value)) assert.ok(link.relations.length > 0);
        const wait = readRetryAfter(value, 0, 1_000);
        assert.ok(wait === undefined || (wait >= 0 && wait <= 1_000));
        readFetchedHeaders({ 'content-type': value, link: [value, value], refresh: value, etag: value });
        wholeHead({ [line.slice(0, 9).toLowerCase()]: value });
        codingsOf(value);
        mediaType(value);
        robotsTagDirectives(value);
        matchesTag(value, '"a"');
        acceptsGzip(value);
        try {
          const range = rangeIn({ range: value }, undefined, 100);
          if (range) assert.ok(range.start >= 0 && range.end < 100 && range.start <= range.end);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }
    },
  },
  urls: {
    seeds: [
      'https://user:pass@example.com:8080/a/../b?c=d#e',
      '//x/y',
      'http://[::1]/',
      'http://xn--bcher-kva.example/%zz',
    ],
    words: ['https://', '..', '%2e', '@', ':', '[', ']', '\\', '#', '?', '\u0000', '\u3002', 'xn--'],
    run: (bytes) => {
      const text = textOf(bytes);
      const parsed = parseHttpUrl(text);
      if ('url' in parsed) assert.match(parsed.url.protocol, /^https?:$/u);
      const link = resolveLink(text, base);
      if (link) assert.equal(new URL(link.href).href, link.href);
    },
  },
};
