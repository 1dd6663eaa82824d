// Pages that are not what they say, in charsets right and wrong, with links and redirects that lead astray.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';
import { readToEnd, type Row } from '../service/read-results.ts';
import { type LedgerRow, ledgerOf } from './ledger.ts';
import { growthOf, http, ordinaryPage, type RawAnswer, type RawSite, startRawSite, warmUp } from './hostile-site.ts';

const grownMiBMax = 256;

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Of which content type, what bytes, and what of it stands in the text. */
const charsets: Readonly<Record<string, readonly [contentType: string, body: Buffer, text: string]>> = {
  'said right: UTF-8': ['text/html; charset=utf-8', bytes('<p>Grüße, 🌾'), 'Grüße, 🌾'],
  'said wrong: UTF-8': ['text/html; charset=utf-8', latin1('<p>Heu für Kühe'), 'Heu f\ufffdr K\ufffdhe'],
  'not said: UTF-8': ['text/html', bytes('<p>Stroh für Kühe'), 'Stroh für Kühe'],
  'not said: windows-1252': [
    'text/html',
    bytes('<p>Klee f', [0xfc], 'r K', [0xfc], 'he ', [0x93, 0x94]),
    'Klee für Kühe “”',
  ],
  'said by the page alone': ['text/html', latin1('<meta charset=iso-8859-1><p>Gras für Kühe'), 'Gras für Kühe'],
  'of which nobody has heard': ['text/html; charset=klingon', bytes('<p>Rüben'), 'Rüben'],
  'UTF-7': ['text/html; charset=utf-7', bytes('<p>Rake +ADw-script+AD4-'), 'Rake +ADw-script+AD4-'],
  'UTF-16 without byte order mark': ['text/html; charset=utf-16le', utf16('<p>Weizen für Kühe'), 'Weizen für Kühe'],
  'UTF-16, not said': ['text/html', utf16('<p>Hafer'), 'Hafer'],
  Shift_JIS: ['text/html; charset=shift_jis', bytes('<p>', [0x8a, 0xb1, 0x82, 0xb5, 0x91, 0x90]), '干し草'],
  'cut off within a character': ['text/html; charset=utf-8', bytes('<p>Gerste ', [0xf0, 0x9f, 0x8c]), 'Gerste \ufffd'],
  'a lone surrogate in UTF-16': ['text/html; charset=utf-16le', utf16('<p>Roggen \ud83c und'), 'Roggen \ufffd und'],
  'a lone surrogate by number': ['text/html', bytes('<p>Dinkel &#xD83C; und'), 'Dinkel \ufffd und'],
  'encoded longer than needed': ['text/html; charset=utf-8', bytes('<p>Emmer ', [0xc0, 0xaf]), 'Emmer \ufffd\ufffd'],
  'with NULs': ['text/html', bytes('<p>Ein\0ko\0rn</p>'), 'Einkorn'],
  'written from right to left': ['text/html', bytes('<p>\u202eHirse\u202c \u0634\u0639\u064a\u0631'), 'Hirse'],
  'beyond the BMP, by number': ['text/html', bytes('<p>Mais &#127805;'), 'Mais 🌽'],
};

const pdf = bytes('%PDF-1.7\n%', [0xe2, 0xe3, 0xcf, 0xd3], '\n1 0 obj <</Type/Catalog>> endobj\n');
const png = bytes([0x89], 'PNG\r\n', [0x1a], '\n', [0, 0, 0, 13], 'IHDR');

/** Content type, body, and how it ends. */
const types: Readonly<
  Record<string, readonly [contentType: string | undefined, body: string | Buffer, ending: string]>
> = {
  'an image': ['image/png', png, 'content_type image/png'],
  'a PDF': ['application/pdf', pdf, 'content_type application/pdf'],
  'plain text': ['text/plain', 'Only words.', 'content_type text/plain'],
  JSON: ['application/json', '{}', 'content_type application/json'],
  'a type that is none': ['nonsense', ordinaryPage('a type that is none'), 'scraped'],
  'a page of no type': [undefined, ordinaryPage('a page of no type'), 'scraped'],
  'a page of an empty type': ['', ordinaryPage('a page of an empty type'), 'scraped'],
  'a type without the end of its quotes': ['text/html; charset="', ordinaryPage('unended'), 'scraped'],
  XHTML: ['application/xhtml+xml', ordinaryPage('xhtml'), 'scraped'],
  'a type in capitals': ['TEXT/HTML;CHARSET=UTF-8', ordinaryPage('capitals'), 'scraped'],
  'a type of 10 KB': [`text/html; x=${'x'.repeat(10_000)}`, ordinaryPage('long type'), 'scraped'],
  'a PDF that says it is a page': ['text/html', pdf, 'content_type PDF'],
  'a page that is packed and does not say so': ['text/html', gzipSync('<p>Packed.'), 'content_type gzip'],
  'an image that says it is a page': ['text/html', png, 'content_type PNG'],
};

const redirect = (location: string, status = '302 Found'): RawAnswer => http('', { status, headers: { location } });

let service: TestService;
let site: RawSite;
let other: RawSite;
let job: JobAnswer;
let ledger: readonly LedgerRow[];
let rows: readonly Row[];
let grownMiB: number;

const pathOf = (name: string): string => `/${name.replaceAll(/[^A-Za-z\d]+/g, '-')}`;
const of = (path: string): LedgerRow | undefined => ledger.find(({ url }) => url === `http://${site.host}${path}`);
const rowOf = (path: string): Row | undefined => rows.find(({ meta }) => meta.url === `http://${site.host}${path}`);

beforeAll(async () => {
  service = await startService({ env: { HAYRAKE_CONVERTER_THREADS: '2' } });
  await warmUp(service);
  other = await startRawSite({ '/': http(ordinaryPage('another site')) });
  const charsetPages = Object.entries(charsets).map(([name, [type, body]]) => [
    pathOf(name),
    http(body, { headers: { 'content-type': type } }),
  ]);
  const typePages = Object.entries(types).map(([name, [type, body]]) => [
    pathOf(name),
    http(body, { headers: { 'content-type': type } }),
  ]);
  const trickyPages = Object.entries({
    '/Case': redirect('/case'),
    '/case': http(ordinaryPage('in small letters', ['/CASE', '/case#part', './case', '/x/../case', '/%63ase'])),
    '/CASE': redirect('/case', '301 Moved'),
    '/dir': redirect('/dir/'),
    '/dir/': http(ordinaryPage('a directory', ['.', './', '../dir/', '..', '../../../../up', '//up', '///case'])),
    '/up': http(ordinaryPage('above all')),
    '/port': redirect(`http://${other.host}/`),
    '/raw': redirect('/zürich/🌾'),
    '/z%C3%BCrich/%F0%9F%8C%BE': http(ordinaryPage('a path beyond ASCII', ['/zürich/🌾', '/z%c3%bcrich/%f0%9f%8c%be'])),
    '/idn': redirect('http://bücher.example/'),
    '/relative/from/here': redirect('../to/there?a=b'),
    '/relative/to/there?a=b': http(ordinaryPage('there')),
    '/nowhere': redirect('http://['),
    '/file': redirect('file:///etc/passwd'),
    '/script': redirect('javascript:alert(1)'),
    '/base': http(
      `<base href="http://evil.example/"><p>This is another base.</p><a href="inside">x</a><a href="/case">y</a>`,
    ),
    '/base/script': http(`<base href="javascript:alert(1)//"><p>This base is none.</p><a href="/up">x</a>`),
    '/base/data': http(`<base href="data:text/html,"><p>Nor is this one.</p><a href="up">x</a>`),
    '/backslash': http(ordinaryPage('a page with backslashes', ['\\\\evil.example\\x', '/\\evil.example/y', '\\up'])),
    '/hosts': http(
      ordinaryPage('a page of hosts', [
        '//evil.example/z',
        'http://bücher.example/ü',
        'http:/up',
        'http:up',
        'http://',
        '//',
      ]),
    ),
  });
  const start = [...charsetPages, ...typePages, ...trickyPages].map(([path]) => String(path));
  site = await startRawSite({
    '/': http(ordinaryPage('the start', [...start, '/before', '/after'])),
    '/before': http(ordinaryPage('an ordinary page')),
    '/after': http(ordinaryPage('another ordinary page')),
    ...Object.fromEntries([...charsetPages, ...typePages, ...trickyPages]),
  });
  ({ result: job, grownMiB } = await growthOf(service, () => service.crawl({ urls: [`http://${site.host}/`] })));
  ledger = await ledgerOf(service, job.id);
  rows = await readToEnd(service, job.id, 'data', () => 400);
});

afterAll(async () => {
  for (const one of [site, other]) await one.close();
  await service.close();
});

test('the ordinary pages beside them are delivered, and the service lives', async () => {
  expect(job.status).toBe('succeeded');
  expect([of('/before')?.status, of('/after')?.status]).toEqual(['scraped', 'scraped']);
  expect((await service.api('/healthz')).status).toBe(200);
  expect(service.stderr).toBe('');
  expect(grownMiB).toBeLessThan(grownMiBMax);
});

describe('a charset', () => {
  test.each(Object.entries(charsets))('%s', (name, [, , text]) => {
    const row = rowOf(pathOf(name))!;
    expect(row.text).toContain(text);
    expect(row.text!.isWellFormed()).toBe(true);
  });

  test('is UTF-8 in the answer, whatever it was', async () => {
    const { body } = await service.raw(`/crawler/jobs/${job.id}/data`);
    expect(new TextDecoder('utf-8', { fatal: true }).decode(body)).not.toContain('\0');
  });
});

test.each(Object.entries(types))('the type of %s', (name, [, , expected]) => {
  const { status, reason, detail } = of(pathOf(name))!;
  expect(status === 'scraped' ? status : `${reason} ${detail}`).toBe(expected);
});

describe('a redirect', () => {
  test.each([
    ['to other letters', '/Case', 'duplicate_of'],
    ['to a closing slash', '/dir', 'duplicate_of'],
    ['to another port', '/port', 'off_host'],
    ['in bytes beyond ASCII', '/raw', 'duplicate_of'],
    ['to a host beyond ASCII', '/idn', 'off_host'],
    ['to no URL', '/nowhere', 'bad_redirect'],
    ['to a file', '/file', 'bad_redirect'],
    ['to a script', '/script', 'bad_redirect'],
  ])('%s', (_, path, reason) => {
    const found = of(path)!;
    // Whoever comes second is the duplicate.
    expect(reason === 'duplicate_of' && found.status === 'scraped' ? 'duplicate_of' : found.reason).toBe(reason);
  });
});

describe('the links of a page', () => {
  test('in different words are one URL', () => {
    const paths = ledger.map(({ url }) => url.replace(`http://${site.host}`, ''));
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of ['/case', '/up', '/dir/', '/z%C3%BCrich/%F0%9F%8C%BE', '/relative/to/there?a=b']) {
      expect(paths.filter((known) => known === path)).toHaveLength(1);
    }
  });

  test('and each page is delivered once, wherever redirects lead', () => {
    const fetched = rows.map(({ meta }) => meta.fetchedUrl);
    expect(new Set(fetched).size).toBe(fetched.length);
    expect(fetched.filter((url) => url.endsWith('/z%C3%BCrich/%F0%9F%8C%BE'))).toHaveLength(1);
  });

  test('that lead to other hosts in any way are not followed', () => {
    const evil = ledger.filter(({ url }) => new URL(url).host !== site.host);
    expect(evil.map(({ url }) => url).toSorted()).toEqual([
      'http://case/',
      'http://evil.example/case',
      'http://evil.example/inside',
      'http://evil.example/x',
      'http://evil.example/y',
      'http://evil.example/z',
      'http://up/',
      'http://xn--bcher-kva.example/%C3%BC',
    ]);
    expect(evil.filter(({ reason }) => reason !== 'off_host')).toEqual([]);
    expect(other.connections()).toBe(0);
  });
});
