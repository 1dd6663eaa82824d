import { drawnPdf } from '../../../test/files/make-pdf.ts';
import { constants, gzipSync, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pageMetadata } from '../../api/routes/schemas.ts';
import type { DocumentKind } from '../../core/bytes/file-kind.ts';
import { type ResponseHeaders, readFetchedHeaders } from '../../fetch/response/response-head.ts';
import { docx, pdf } from '../../../test/files/make-files.ts';
import { rowStart } from '../../page/row.ts';
import { convertFile } from './convert-file.ts';
import type { ConvertedPage, PageInput } from './converter.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';

interface Given {
  readonly headers?: ResponseHeaders;
  readonly minLength?: number;
  readonly lines?: NonNullable<PageInput['lines']>;
}

function converted(kind: DocumentKind, file: string | Uint8Array, given: Given = {}): Promise<ConvertedPage> {
  const spec = { outputFormat: 'markdown', formats: [], extract: null, minLength: given.minLength ?? 0 };
  const input: PageInput = {
    job: { name: 'job', spec, scopeHosts: [] } as unknown as PageInput['job'],
    requestUrl: 'http://site.example/asked',
    fetchedUrl: 'http://site.example/file',
    depth: 1,
    statusCode: 200,
    headers: readFetchedHeaders({ 'content-type': 'text/plain', ...given.headers }),
    body: ownedCopy(typeof file === 'string' ? new TextEncoder().encode(file) : file),
    ...(given.lines && { lines: given.lines }),
  };
  return convertFile(input, kind);
}

test('convertFile: returns text, metadata and response headers of a PDF in the form of the API', async () => {
  const file = pdf([['Hello.']], { Title: 'Stated', Author: 'Ada' });
  const headers = {
    'content-type': 'application/pdf',
    etag: '"a"',
    'last-modified': 'then',
    'content-language': 'de, en',
    'x-robots-tag': 'noindex',
  };
  const page = await converted('pdf', file, { headers });
  if (page.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(page)}`);
  const rest = inflateRawSync(page.page.body.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  const row = JSON.parse(rowStart(1) + rest) as { meta: { meta: Record<string, unknown> }; text: string };
  expect(row).toEqual({
    meta: {
      page: 1,
      url: 'http://site.example/asked',
      fetchedUrl: 'http://site.example/file',
      meta: {
        title: 'Stated',
        description: '',
        author: 'Ada',
        language: 'de',
        pageCount: 1,
        robots: ['noindex'],
        wordCount: 1,
        contentHash: expect.any(String),
        statusCode: 200,
        contentType: 'application/pdf',
        etag: '"a"',
        lastModified: 'then',
      },
    },
    text: 'Hello.',
  });
  const listed = new Set(Object.keys(pageMetadata.shape));
  expect(Object.keys(row.meta.meta).filter((name) => !listed.has(name))).toEqual([]);
  expect(page.links).toEqual([]);
});

test('convertFile: unpacks the content encoding, and returns an error when it cannot', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect(await converted('text', gzipSync('Hello'), { headers })).toMatchObject({ kind: 'page' });
  expect(await converted('text', 'Hello', { headers })).toMatchObject({ error: { reason: 'bad_encoding' } });
  expect(await converted('text', gzipSync(new Uint8Array(21 * 2 ** 20)), { headers })).toMatchObject({
    error: { reason: 'body_too_large' },
  });
});

test('convertFile: applies min_length to a file, and returns its lines for trap detection', async () => {
  const lines = { numbers: 'all' } as const;
  const short = await converted('text', 'Hello there', { minLength: 20, lines });
  expect(short).toMatchObject({ kind: 'short', detail: '11 of 20 characters' });
  expect(short.kind === 'short' && short.lines?.length).toBe(1);
});

test.each<[string, DocumentKind, string | Uint8Array, object]>([
  [
    'returns unreadable_file for a broken file',
    'docx',
    'no archive',
    { kind: 'error', error: { reason: 'unreadable_file' } },
  ],
  [
    'returns parse_budget for a decompression bomb',
    'docx',
    docx({ body: ' '.repeat(51 * 2 ** 20) }),
    { kind: 'error', error: { reason: 'parse_budget' } },
  ],
  ['returns no page for a sitemap', 'xml', '<urlset/>', { kind: 'binary', detail: 'text/plain' }],
  [
    'remarks no_text_layer for a scanned PDF',
    'pdf',
    drawnPdf([{ texts: [] }]),
    { kind: 'page', remarks: ['no_text_layer'] },
  ],
  [
    'remarks unreadable_text for a PDF with glyphs without letters',
    'pdf',
    drawnPdf([{ texts: [{ x: 72, y: 700, text: 'A glyph', font: 'capitals' }] }]),
    { kind: 'page', remarks: ['unreadable_text'] },
  ],
  [
    'remarks truncated for a feed with an entry of 900,000 elements',
    'xml',
    `<rss><item><description>${'&lt;p>'.repeat(900_000)}</description></item></rss>`,
    { kind: 'page', remarks: ['truncated'] },
  ],
])('convertFile: %s', { timeout: 120_000 }, async (_, kind, file, expected) => {
  expect(await converted(kind, file)).toMatchObject(expected);
});
