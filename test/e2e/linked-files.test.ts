// `include_linked_files`: a site with a link to a file of each kind, with the option and without it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, epub, lockedPdf, pdf, pptx, rtf, shape, utf8, wordParagraph, xlsx } from '../files/make-files.ts';
import { readToEnd } from '../service/read-results.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { endingsOf } from './ledger.ts';
import { page, type ScriptedSite, startScriptedSite } from './scripted-site.ts';

interface LinkedFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** In the text of its page, and what its metadata says; undefined where it is not to become a page. */
  readonly says: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const office = 'application/vnd.openxmlformats-officedocument.';

const files: Readonly<Record<string, LinkedFile>> = {
  '/a.pdf': {
    type: 'application/pdf',
    body: pdf([['# Report', 'Text of the report.']], { Title: 'The report', Author: 'Ada' }),
    says: '# Report\n\nText of the report.',
    metadata: { title: 'The report', author: 'Ada', pageCount: 1 },
  },
  '/a.docx': {
    type: `${office}wordprocessingml.document`,
    body: docx({ body: wordParagraph('Text of the letter.') }),
    says: 'Text of the letter.',
    metadata: { title: 'A letter', author: 'Ada Writer' },
  },
  '/a.xlsx': {
    type: `${office}spreadsheetml.sheet`,
    body: xlsx({ Data: '<row><c t="inlineStr"><is><t>Name</t></is></c><c><v>7</v></c></row>' }),
    says: '| Name | 7 |',
    metadata: { title: 'A sheet', author: 'Ada Counter' },
  },
  '/a.pptx': {
    type: `${office}presentationml.presentation`,
    body: pptx([shape('title', ['A slide'])]),
    says: '## A slide',
    metadata: { title: 'A talk', author: 'Ada Speaker' },
  },
  '/a.epub': {
    type: 'application/epub+zip',
    body: epub(['<p>A chapter. <a href="http://127.0.0.1/never">Not followed</a></p>']),
    says: 'A chapter.',
    metadata: { title: 'A book', author: 'Ada Teller, Bo Teller', language: 'en' },
  },
  '/a.rtf': {
    type: 'application/rtf',
    body: utf8(rtf),
    says: 'First **bold** line: café, €5.',
    metadata: { title: 'A note', author: 'Ada Noter' },
  },
  '/a.txt': { type: 'text/plain', body: utf8('Plain text.\n  As it is.'), says: 'Plain text.\n  As it is.' },
  '/a.csv': { type: 'text/csv; charset=utf-8', body: utf8('a,b\n1,2'), says: '| a | b |\n| --- | --- |\n| 1 | 2 |' },
  // As servers send what they do not know.
  '/a.md?raw=1': {
    type: 'text/plain',
    body: utf8('# Readme\n\nText.'),
    says: '# Readme',
    metadata: { title: 'Readme' },
  },
  '/a.json': { type: 'application/json', body: utf8('{"a": 1}'), says: '```json\n{"a": 1}\n```' },
  '/a.xml': { type: 'application/xml', body: utf8('<a><b>Some</b><b>XML</b></a>'), says: 'Some\nXML' },
  '/feed': {
    type: 'application/rss+xml',
    body: utf8(
      '<rss><channel><title>News</title><item><title>One</title><link>/only-in-the-feed</link></item></channel></rss>',
    ),
    says: '/only-in-the-feed)',
    metadata: { title: 'News' },
  },
  // By how they begin.
  '/report': { type: 'text/html', body: pdf([['Called HTML.']]), says: 'Called HTML.' },
  '/sheet.xls': {
    type: 'application/vnd.ms-excel',
    body: xlsx({ Data: '<row><c><v>8</v></c></row>' }),
    says: '| 8 |',
  },
  '/list.csv': { type: 'application/vnd.ms-excel', body: utf8('c;d\n3;4'), says: '| c | d |' },
  '/letter.doc': {
    type: 'application/msword',
    body: docx({ body: wordParagraph('A new letter.') }),
    says: 'A new letter.',
  },
  '/table.xls': {
    type: 'application/vnd.ms-excel',
    body: utf8('<table><tr><th>City<th>Rank<tr><td>Ulm<td>5</table>'),
    says: '| Ulm | 5 |',
  },
  '/get?file=7': { type: 'application/x-download', body: pdf([['Sent by a program.']]), says: 'Sent by a program.' },
  '/wrong.pdf': { type: 'application/pdf', body: utf8(rtf.replace('First', 'Wrong')), says: 'Wrong **bold** line' },
  '/page': { type: 'text/html', body: docx({ body: wordParagraph('Called a page.') }), says: 'Called a page.' },
  '/bytes.pdf': { type: 'application/octet-stream', body: pdf([['Sent as bytes.']]), says: 'Sent as bytes.' },
};

const refused: Readonly<Record<string, LinkedFile>> = {
  '/locked.pdf': { type: 'application/pdf', body: lockedPdf(), says: undefined },
  '/broken.docx': { type: `${office}wordprocessingml.document`, body: utf8('no archive'), says: undefined },
  '/bomb.docx': {
    type: `${office}wordprocessingml.document`,
    body: docx({ body: ' '.repeat(51 * 2 ** 20) }),
    says: undefined,
  },
  '/urls.xml': { type: 'text/xml', body: utf8('<urlset></urlset>'), says: undefined },
  '/image.png': { type: 'image/png', body: Uint8Array.of(0x89, 0x50, 0x4e, 0x47), says: undefined },
  '/program.exe': { type: 'application/octet-stream', body: utf8('MZ'), says: undefined },
};

let service: TestService;
let site: ScriptedSite;
beforeAll(async () => {
  service = await startService();
  const all = { ...files, ...refused };
  site = await startScriptedSite((path) => {
    if (path === '/') return page('/', Object.keys(all));
    const file = all[path];
    return file && { headers: { 'content-type': file.type }, body: file.body };
  });
});
afterAll(async () => {
  await site.close();
  await service.close();
});

test('with it, each file that can be read is a page', async () => {
  const job = await service.crawl({ urls: [`${site.origin}/`], include_linked_files: true });
  expect(job).toMatchObject({ status: 'succeeded', include_linked_files: true });
  const pages = new Map((await readToEnd(service, job.id, 'data', () => 400)).map((row) => [row.meta.url, row]));
  for (const [path, { type, says, metadata }] of Object.entries(files)) {
    const row = pages.get(`${site.origin}${path}`);
    expect(row?.text, path).toContain(says);
    expect(row?.meta.meta, path).toMatchObject({ contentType: type, statusCode: 200, ...metadata });
  }
  expect(pages.size).toBe(Object.keys(files).length + 1);
  expect(await endingsOf(service, job.id)).toMatchObject({
    '/locked.pdf': 'unreadable_file',
    '/broken.docx': 'unreadable_file',
    '/bomb.docx': 'parse_budget',
    '/urls.xml': 'content_type',
    '/image.png': 'content_type',
    '/program.exe': 'content_type',
  });
  expect(job.progress).toMatchObject({ failed: 3, discarded: 3 });
  // Links in files are not followed.
  expect(site.asks('/only-in-the-feed')).toBe(0);
});

test.each(['text', 'html'])('in the output format %s', async (output_format) => {
  const job = await service.crawl({
    urls: [`${site.origin}/a.docx`],
    max_depth: 0,
    include_linked_files: true,
    output_format,
  });
  const [row] = await readToEnd(service, job.id, 'data', () => 400);
  expect(row?.text).toBe(output_format === 'html' ? '<p>Text of the letter.</p>' : 'Text of the letter.');
});

test('without it, all of them are discarded for their type', async () => {
  const job = await service.crawl({ urls: [`${site.origin}/`] });
  expect(job).toMatchObject({ include_linked_files: false, progress: { scraped: 1 } });
  const { '/': start, ...endings } = await endingsOf(service, job.id);
  expect(start).toBe('scraped');
  expect(new Set(Object.values(endings))).toEqual(new Set(['content_type']));
});

test.each(['/a.pdf', '/a.docx', '/a.txt', '/a.md?raw=1', '/a.csv'])(
  'a start URL was asked for: %s is a page without it, too',
  async (path) => {
    const job = await service.crawl({ urls: [`${site.origin}${path}`] });
    expect(job).toMatchObject({ include_linked_files: false, progress: { scraped: 1, discarded: 0 } });
    const [row] = await readToEnd(service, job.id, 'data', () => 400);
    expect(row?.text).toContain(files[path]?.says);
  },
);
