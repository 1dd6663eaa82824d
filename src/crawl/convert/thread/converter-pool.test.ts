import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import type { Log } from '../../../core/ports/log.ts';
import { constants, inflateRawSync } from 'node:zlib';
import { readFetchedHeaders } from '../../../fetch/response/response-head.ts';
import { encodeText } from '../../../../test/encode-text.ts';
import { damaged } from '../../../../test/files/damage.ts';
import { bombPdf, MiB, pdfStream, repeatedZlib, spaces } from '../../../../test/files/make-bombs.ts';
import { pdf } from '../../../../test/files/make-files.ts';
import { briefOf } from '../../job/job-cache.ts';
import type { ConvertedPage, PageInput } from '../converter.ts';
import { ConverterPool, type ConverterPoolOptions } from './converter-pool.ts';
import { jobSpec } from '../../../../test/job-spec.ts';
import { rowStart } from '../../../page/row.ts';
import { ownedCopy } from '../../../core/bytes/owned-bytes.ts';

/** A thread that does what the URL of the page says, or returns the URL. */
const actor = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { existsSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id, input: { requestUrl } }) => {
      if (requestUrl.includes('hang')) for (;;);
      if (requestUrl.includes('wait')) for (const end = Date.now() + 4_000; Date.now() < end;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      if (requestUrl.includes('exit')) process.exit(3);
      if (requestUrl.includes('heap')) { const all = []; for (;;) all.push(new Array(100_000).fill(id + 0.5)); }
      if (requestUrl.includes('outside')) {
        // The number in the path is how many MiB it takes, of which V8's heap has none, and holds for half a second, or
        // until there is a file.
        const startedAt = Date.now();
        const [, count, file] = /outside-(\\d+)(?:-until(.+))?/.exec(requestUrl);
        const held = Array.from({ length: Number(count) }, () => new Uint8Array(2 ** 20).fill(1));
        for (const end = Date.now() + 500; file ? !existsSync(file) : Date.now() < end;) if (file) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        return parentPort.postMessage({ id, value: { kind: 'short', detail: startedAt + ' ' + Date.now() + ' ' + held.length, links: [] } });
      }
      if (requestUrl.includes('throw')) throw new Error('defect');
      if (requestUrl.includes('defect')) parentPort.postMessage({ id, defect: 'a defect' });
      else parentPort.postMessage({ id, value: { kind: 'short', detail: requestUrl, links: [] } });
    });
    parentPort.postMessage('ready');
  `)}`,
);

const spec = jobSpec({ urls: ['http://site.example/'] });

function inputOf(url: string, body = ''): PageInput {
  return {
    job: briefOf({ id: 'job', spec, scopeHosts: ['site.example'] }, 1),
    requestUrl: `http://site.example/${url}`,
    fetchedUrl: `http://site.example/${url}`,
    depth: 0,
    statusCode: 200,
    headers: readFetchedHeaders({ 'content-type': 'text/html' }),
    body: ownedCopy(new TextEncoder().encode(body)),
  };
}

const pools: ConverterPool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

function poolOf(options: Partial<ConverterPoolOptions> = {}): { pool: ConverterPool; errors: unknown[] } {
  const errors: unknown[] = [];
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: (_, fields) => errors.push(fields) };
  const pool = new ConverterPool({ threads: 1, deadlineMs: 300, memoryMbMax: 64, module: actor, ...options }, log);
  pools.push(pool);
  return { pool, errors };
}

function kindOf(converted: ConvertedPage): string {
  if (converted.kind === 'error') return converted.error.reason;
  return converted.kind === 'short' ? new URL(converted.detail).pathname : 'page';
}

async function convertAll(pool: ConverterPool, urls: readonly string[]): Promise<string[]> {
  return (await Promise.all(urls.map((url) => pool.convertPage(inputOf(url))))).map(kindOf);
}

describe('ConverterPool with a page that ends its thread', () => {
  test.each([
    ['a page that never ends', 'hang', 'parse_timeout'],
    ['a page that exits the thread', 'exit', 'parse_crashed'],
    ['a page that throws', 'throw', 'parse_crashed'],
    ['a page that takes all memory', 'heap', 'parse_budget'],
    ['a page that reports a defect', 'defect', 'parse_crashed'],
  ])('ConverterPool: returns an error for %s, and converts the pages around it', async (_, bad, reason) => {
    const { pool } = poolOf({ deadlineMs: bad === 'heap' ? 20_000 : 300 });
    expect(await convertAll(pool, ['a', 'b', bad, 'c', 'd'])).toEqual(['/a', '/b', reason, '/c', '/d']);
    expect(await convertAll(pool, ['e'])).toEqual(['/e']);
  });

  test('ConverterPool: returns parse_budget for a file that takes too much memory outside the heap, and converts the next page', async () => {
    const { pool, errors } = poolOf({ deadlineMs: 20_000 });
    const told = await pool.convertPage({ ...inputOf('outside-4000'), file: 'docx' });
    const message = 'Converting the file took more memory than 64 MiB.';
    expect(told).toEqual({ kind: 'error', error: { reason: 'parse_budget', message } });
    expect(await convertAll(pool, ['a'])).toEqual(['/a']);
    expect(errors).toEqual([]);
  });

  test('ConverterPool: returns errors for several failing pages in a row on two threads', async () => {
    const { pool } = poolOf({ threads: 2, deadlineMs: 200 });
    expect(await convertAll(pool, ['hang', 'exit', 'a', 'hang', 'b', 'exit', 'c'])).toEqual([
      'parse_timeout',
      'parse_crashed',
      '/a',
      'parse_timeout',
      '/b',
      'parse_crashed',
      '/c',
    ]);
  });

  test('ConverterPool: logs a defect or crash, and no timeout', async () => {
    const { pool, errors } = poolOf();
    await convertAll(pool, ['hang', 'defect', 'exit']);
    expect(errors).toEqual([
      { url: 'http://site.example/defect', why: 'a defect' },
      { url: 'http://site.example/exit', why: 'crashed' },
    ]);
  });

  // Before Node 24.6 a thread cannot report its processor time.
  test.skipIf(!('cpuUsage' in Worker.prototype))(
    'ConverterPool: does not time out a page that only waits for the processor (needs Node 24)',
    async () => {
      const { pool } = poolOf({ deadlineMs: 2_000 });
      expect(await convertAll(pool, ['a', 'wait', 'b'])).toEqual(['/a', '/wait', '/b']);
    },
  );

  test('ConverterPool.readSitemap: returns no URLs for a sitemap that hangs', async () => {
    const { pool } = poolOf();
    const { job, body, headers } = inputOf('');
    const sitemap = {
      job,
      body,
      contentType: headers.contentType,
      contentEncoding: headers.contentEncoding,
      url: 'http://site.example/s',
      depth: 1,
      bytesMax: 100,
      requestUrl: 'hang',
    };
    expect(await pool.readSitemap(sitemap)).toEqual({ urls: [], sitemaps: [] });
  });

  test('ConverterPool: applies fileDeadlineMs to a file', async () => {
    const { pool } = poolOf({ deadlineMs: 100, fileDeadlineMs: 500 });
    const start = performance.now();
    const told = await pool.convertPage({ ...inputOf('hang'), file: 'pdf' });
    expect(performance.now() - start).toBeGreaterThan(490);
    const message = 'Converting the file took longer than 0.5 s.';
    expect(told).toEqual({ kind: 'error', error: { reason: 'parse_timeout', message } });
  });

  test('ConverterPool: applies the deadline to each page, not to many pages together', async () => {
    const { pool } = poolOf({ deadlineMs: 1_000 });
    expect(
      await convertAll(
        pool,
        Array.from({ length: 500 }, (_, index) => String(index)),
      ),
    ).toHaveLength(500);
  });
});

describe('ConverterPool with several threads', () => {
  /** A thread that returns its number, after half a second for a page that says so. */
  const numbered = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, threadId } from 'node:worker_threads';
      parentPort.on('message', ({ id, input: { requestUrl } }) => {
        if (requestUrl.includes('slow')) for (const end = Date.now() + 500; Date.now() < end;);
        parentPort.postMessage({ id, value: { kind: 'short', detail: requestUrl + threadId, links: [] } });
      });
      parentPort.postMessage('ready');
    `)}`,
  );
  const threadsOf = (converted: readonly string[]): Set<string> =>
    new Set(converted.map((path) => path.replace(/^\/\D+/, '')));

  test('ConverterPool: needs one thread for pages that hardly wait', async () => {
    const { pool } = poolOf({ threads: 4, module: numbered, patienceMs: 20_000 });
    const converted: string[] = [];
    for (let turn = 0; turn < 20; turn++) converted.push(...(await convertAll(pool, ['a', 'b', 'c'])));
    expect(threadsOf(converted).size).toBe(1);
  });

  test('ConverterPool: starts another thread when a page waits behind a slow one', async () => {
    const { pool } = poolOf({ threads: 4, deadlineMs: 20_000, module: numbered, patienceMs: 10 });
    await convertAll(pool, ['a']);
    const converted = await convertAll(pool, ['slow', 'slow', 'a', 'b']);
    expect(converted.map((path) => path.replace(/\d+$/, ''))).toEqual(['/slow', '/slow', '/a', '/b']);
    expect(threadsOf(converted).size).toBeGreaterThan(1);
  });

  test('ConverterPool: starts another thread at once for an urgent page behind a slow one', async () => {
    const { pool } = poolOf({ threads: 2, deadlineMs: 20_000, patienceMs: 2 ** 30 });
    const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-pool-'));
    const mark = path.join(folder, 'may-end');
    // The slow page ends after the urgent one only.
    const slow = pool.convertPage(inputOf(`outside-0-until${mark}`));
    const urgent = await pool.convertPage({ ...inputOf('urgent'), isUrgent: true });
    writeFileSync(mark, '');
    expect([kindOf(urgent), (await slow).kind]).toEqual(['/urgent', 'short']);
    rmSync(folder, { recursive: true });
  });
});

describe('ConverterPool with large files', () => {
  const convertFiles = (pool: ConverterPool, urls: readonly string[]): Promise<string[]> =>
    Promise.all(
      urls.map(async (url) => {
        const told = await pool.convertPage({ ...inputOf(url), file: 'docx' });
        return told.kind === 'short' ? told.detail : JSON.stringify(told);
      }),
    );
  const timesOf = (details: readonly string[]): number[][] =>
    details.map((detail) => detail.split(' ', 2).map(Number)).toSorted(([one = 0], [other = 0]) => one - other);
  const overlap = (times: readonly number[][]): boolean =>
    times.some(([, end = 0], index) => (times[index + 1]?.[0] ?? Infinity) < end);

  test('ConverterPool: converts large files one at a time, even when their size shows only while reading', async () => {
    const { pool } = poolOf({ threads: 3, deadlineMs: 20_000, memoryMbMax: 256, sharedMbMax: 40 });
    const times = timesOf(await convertFiles(pool, ['outside-100', 'outside-100', 'outside-100']));
    expect(times.flat().every((time) => time > 0)).toBe(true);
    expect(overlap(times)).toBe(false);
  });

  test('ConverterPool: does not delay pages while large files wait', { timeout: 60_000 }, async () => {
    const { pool } = poolOf({ threads: 2, deadlineMs: 20_000, memoryMbMax: 256, sharedMbMax: 40 });
    const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-pool-'));
    const mark = path.join(folder, 'pages-are-done');
    // Large files end after the pages only: pages that waited for them would wait for ever.
    const large = convertFiles(pool, Array(3).fill(`outside-100-until${mark}`));
    const pages = Array.from({ length: 20 }, (_, index) => `page-${index}`);
    expect(await convertAll(pool, pages)).toEqual(pages.map((page) => `/${page}`));
    writeFileSync(mark, '');
    expect((await large).map((told) => told.split(' ')[2])).toEqual(['100', '100', '100']);
    rmSync(folder, { recursive: true });
  });

  test('ConverterPool: converts small files in parallel', { timeout: 60_000 }, async () => {
    const { pool } = poolOf({ threads: 2, deadlineMs: 20_000, memoryMbMax: 256, sharedMbMax: 100, patienceMs: 1 });
    const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-pool-'));
    const mark = path.join(folder, 'may-end');
    // The first one ends after the second one only.
    const first = convertFiles(pool, [`outside-10-until${mark}`]);
    const second = await convertFiles(pool, ['outside-10']);
    writeFileSync(mark, '');
    expect([...(await first), ...second].map((told) => told.split(' ')[2])).toEqual(['10', '10']);
    rmSync(folder, { recursive: true });
  });
});

test(
  'ConverterPool: waits and logs once while threads cannot start, and fails no page',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-pool-'));
    const mark = path.join(folder, 'may-start');
    const starts = path.join(folder, 'starts');
    writeFileSync(starts, '');
    const code = `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(starts)}, '.'); if (!fs.existsSync(${JSON.stringify(mark)})) throw new Error('short of files'); await import(${JSON.stringify(actor.href)});`;
    const { pool, errors } = poolOf({
      threads: 2,
      module: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    });
    const converting = convertAll(pool, ['a', 'b', 'c']);
    // Two threads fail at first; the others are repeated starts.
    await expect.poll(() => readFileSync(starts, 'utf8').length, { timeout: 30_000 }).toBeGreaterThanOrEqual(6);
    writeFileSync(mark, '');
    expect(await converting).toEqual(['/a', '/b', '/c']);
    expect(errors).toEqual([{ error: expect.objectContaining({ message: 'short of files' }) }]);
    rmSync(folder, { recursive: true });
  },
);

test('ConverterPool.close: settles pages that wait for a thread that cannot start', async () => {
  const { pool, errors } = poolOf({ module: new URL('data:text/javascript,throw new Error("no such module")') });
  const waiting = convertAll(pool, ['a', 'b']);
  await expect.poll(() => errors).toHaveLength(1);
  await pool.close();
  expect(await waiting).toEqual(['parse_crashed', 'parse_crashed']);
});

test('ConverterPool: gives waiting pages to another thread when a thread dies while loading', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-pool-'));
  const mark = path.join(folder, 'tried');
  // The first start finds no mark, leaves one, and fails.
  const code = `import fs from 'node:fs'; if (!fs.existsSync(${JSON.stringify(mark)})) { fs.writeFileSync(${JSON.stringify(mark)}, ''); throw new Error('short of files'); } await import(${JSON.stringify(actor.href)});`;
  const { pool } = poolOf({ module: new URL(`data:text/javascript,${encodeURIComponent(code)}`) });
  expect(await convertAll(pool, ['a', 'b'])).toEqual(['/a', '/b']);
  rmSync(folder, { recursive: true });
});

test('ConverterPool.close: settles all waiting and later conversions as parse_crashed', async () => {
  const { pool, errors } = poolOf({ deadlineMs: 60_000 });
  const waiting = convertAll(pool, ['hang', 'a', 'b', 'c']);
  await pool.close();
  expect(await waiting).toEqual(Array.from({ length: 4 }, () => 'parse_crashed'));
  expect(await convertAll(pool, ['d'])).toEqual(['parse_crashed']);
  expect(errors).toEqual([]);
});

test('ConverterPool: returns to each file and page its own text with the real thread', async () => {
  const { pool } = poolOf({ module: undefined as never, deadlineMs: 10_000 });
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const converted = await Promise.all(
    letters.map((letter, index) => {
      const page = inputOf(letter, `<title>T</title><p>${letter}`);
      if (index % 2 === 1) return pool.convertPage(page);
      return pool.convertPage({ ...page, body: ownedCopy(pdf([[letter]])), file: 'pdf' });
    }),
  );
  const texts = converted.map((one) => {
    if (one.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(one)}`);
    const inflated = inflateRawSync(one.page.body.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    return (JSON.parse(rowStart(1) + inflated) as { text: string }).text;
  });
  expect(texts).toEqual(letters);
});

test('ConverterPool: returns parse_budget for a PDF bomb, and converts the next page', async () => {
  const { pool, errors } = poolOf({ module: undefined as never, deadlineMs: 10_000, memoryMbMax: 256 });
  const bomb = bombPdf([{ contents: pdfStream('/Filter /FlateDecode', repeatedZlib(spaces(MiB), 400)) }]);
  const [told, next] = await Promise.all([
    pool.convertPage({ ...inputOf('bomb'), body: ownedCopy(bomb), file: 'pdf' }),
    pool.convertPage(inputOf('next', '<p>Text')),
  ]);
  expect(told).toMatchObject({ kind: 'error', error: { reason: 'parse_budget' } });
  expect(next.kind).toBe('page');
  expect(errors).toEqual([]);
});

test('ConverterPool: refuses or reads damaged PDFs, whatever promises pdf.js loses, and keeps its thread', async () => {
  const { pool, errors } = poolOf({ module: undefined as never, deadlineMs: 20_000, memoryMbMax: 512 });
  const file = readFileSync(new URL('../../../../test/facts/files/hand-hard.pdf', import.meta.url));
  const endings = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const converted = await pool.convertPage({ ...inputOf('x'), body: ownedCopy(damaged(file, seed)), file: 'pdf' });
    endings.add(converted.kind === 'error' ? converted.error.reason : converted.kind);
  }
  expect([...endings].toSorted()).toEqual(['page', 'unreadable_file']);
  expect(errors).toEqual([]);
});

test('ConverterPool: converts a page and reads a sitemap with the real thread', async () => {
  const { pool } = poolOf({ module: undefined as never, deadlineMs: 10_000 });
  const converted = await pool.convertPage(inputOf('x', '<title>T</title><p>Hello <a href="/y">there</a>'));
  if (converted.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(converted)}`);
  const inflated = inflateRawSync(converted.page.body.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  expect(JSON.parse(rowStart(1) + inflated)).toMatchObject({
    meta: { meta: { title: 'T' } },
    text: expect.stringContaining('Hello'),
  });
  expect(converted.links.map(({ url }) => url)).toEqual(['http://site.example/y']);

  const body = new TextEncoder().encode('<urlset><url><loc>http://site.example/z</loc></url></urlset>');
  const { job } = inputOf('');
  const sitemap = {
    job,
    url: 'http://site.example/sitemap.xml',
    depth: 1,
    contentType: 'application/xml',
    contentEncoding: '',
    body: ownedCopy(body),
    bytesMax: 1_000,
  };
  expect((await pool.readSitemap(sitemap)).urls.map(({ url, depth }) => [url, depth])).toEqual([
    ['http://site.example/z', 1],
  ]);
});

test.each([
  ['a page with links when it is XHTML', '<html xmlns="http://www.w3.org/1999/xhtml"><p>a<a href="/y"/></p></html>', 1],
  ['a file without links when it is no XHTML', '<list><item href="/y">a</item></list>', 0],
])('ConverterPool: returns XML as %s', async (_, body, links) => {
  const { pool } = poolOf({ module: undefined as never, deadlineMs: 10_000 });
  const headers = readFetchedHeaders({ 'content-type': 'text/xml' });
  const converted = await pool.convertPage({ ...inputOf('x', body), headers, file: 'xml' });
  expect(converted).toMatchObject({ kind: 'page', links: { length: links } });
});

test('ConverterPool: detects an undeclared encoding with the real thread', async () => {
  // The tables of the detection take 60 MB.
  const { pool } = poolOf({ module: undefined as never, deadlineMs: 10_000, memoryMbMax: 256 });
  const body = encodeText('windows-1251', '<title>Новости</title><p>Расписание поездов и погода на завтра');
  const converted = await pool.convertPage({ ...inputOf('x'), body: ownedCopy(body) });
  if (converted.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(converted)}`);
  const inflated = inflateRawSync(converted.page.body.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  expect(JSON.parse(rowStart(1) + inflated)).toMatchObject({
    meta: { meta: { title: 'Новости' } },
    text: expect.stringContaining('Расписание поездов'),
  });
});

test('ConverterPool: omits links that are committed', async () => {
  const { pool } = poolOf({ module: undefined as never, deadlineMs: 10_000 });
  const convert = async (body: string): Promise<{ links: string[]; conversion: number | undefined }> => {
    const converted = await pool.convertPage(inputOf('x', body));
    if (converted.kind !== 'page') throw new Error(`not a page: ${JSON.stringify(converted)}`);
    return { links: converted.links.map(({ url }) => new URL(url).pathname), conversion: converted.conversion };
  };
  const first = await convert('<p>First <a href="/y">y</a>');
  // The first page was not settled yet.
  const second = await convert('<p>Second <a href="/y">y</a><a href="/z">z</a>');
  expect([first.links, second.links]).toEqual([['/y'], ['/y', '/z']]);
  pool.committed([second.conversion ?? 0]);
  expect(await convert('<p>Third <a href="/y">y</a><a href="/z">z</a>')).toEqual({ links: [] });
  expect((await convert('<p>Fourth <a href="/z">z</a><a href="/new">new</a>')).links).toEqual(['/new']);
});
