// Exports through the API and the command line: downloads that are cut, resumed, repeated, slow or refused.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportFormats, type FormatName, formatNames } from '../../src/export/formats.ts';
import { isMissing, readCsv, readJsonl, readParquet, readSqlite, readZip } from '../export/readers.ts';
import { readUntilCut } from './cut-stream.ts';
import { expectProblem } from './expect-problem.ts';
import { readToEnd, type Row } from './read-results.ts';
import { startService, type TestService } from './start-service.ts';
import { htmlPage, startTestSite, type TestSite } from './test-site.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-exports-'));
/** More than sockets hold, so that a client that stops reading stops the export. */
const largePages = 24;
const noReaders = ['python3', 'unzip', 'sqlite3', 'jq'].some(isMissing);

let site: TestSite;
let service: TestService;
/** A small job with text in several scripts. */
let job: string;
let rows: readonly Row[];
let large: string;

beforeAll(async () => {
  const names = ['日本', 'straße', 'emoji-🌾', 'a%20b', 'x?q=1&r=2'];
  const links = names.map((name) => `/${name}`);
  site = await startTestSite(
    Object.fromEntries([
      ['/', htmlPage({ title: 'Start "here", =1', text: 'Grüße 🌾 first.', links })],
      ...names.map((name) => [
        new URL(name, 'http://x').href.slice('http://x'.length),
        htmlPage({ title: name, text: `- Text of ${name}, „quoted“.` }),
      ]),
      ...Array.from({ length: largePages }, (_, index) => [
        `/large/${index}`,
        htmlPage({ title: `Large ${index}`, text: randomText(index) }),
      ]),
    ]) as Record<string, string>,
  );
  service = await startService();
  job = (await service.crawl({ urls: [`${site.origin}/`] })).id;
  rows = await readToEnd(service, job, 'data', () => 400);
  if (rows.length !== 6) throw new Error(`the job has ${rows.length} pages`);
  const urls = Array.from({ length: largePages }, (_, index) => `${site.origin}/large/${index}`);
  large = (await service.crawlLarge({ urls, force_crawling_mode: 'link' }, largePages)).id;
}, 240_000);

afterAll(async () => {
  await service.close();
  await site.close();
  rmSync(folder, { recursive: true });
});

/** Words that barely compress: about 1 MB. */
function randomText(seed: number): string {
  let state = seed + 1;
  const words: string[] = [];
  for (let count = 0; count < 140_000; count++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words.push(state.toString(36));
  }
  return words.join(' ');
}

const exportPath = (format: string, id = job, more = ''): string =>
  `/crawler/jobs/${id}/export?format=${format}${more}`;

function saved(name: string, bytes: Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

describe('GET /export of an ended job', () => {
  test.each(formatNames)(
    'GET /export: gives %s file headers, and the same bytes and tag after a restart',
    async (format) => {
      const first = await service.raw(exportPath(format));
      expect(first.status).toBe(200);
      expect(first.headers).toMatchObject({
        'content-type': exportFormats[format].contentType,
        'content-disposition': expect.stringMatching(
          new RegExp(
            `^attachment; filename="127\\.0\\.0\\.1-\\d+-\\d{4}-\\d\\d-\\d\\d${exportFormats[format].ending}"$`,
          ),
        ),
        'x-job-status': 'succeeded',
        'x-pages': '6',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        etag: expect.stringMatching(/^"[!#-~]+"$/),
      });
      await service.restart();
      const second = await service.raw(exportPath(format));
      expect(second.headers.etag).toBe(first.headers.etag);
      expect(second.body.equals(first.body)).toBe(true);
      const known = await service.raw(exportPath(format), {
        headers: { 'if-none-match': `"other", ${first.headers.etag}` },
      });
      expect([known.status, known.body.length]).toEqual([304, 0]);
      const head = await service.raw(exportPath(format), { method: 'HEAD' });
      expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, first.headers.etag]);
      // Absent, or that of the file (RFC 9110, 8.6).
      expect(head.headers['content-length']).toBeUndefined();
    },
  );

  test('GET /export: gives each format its own ETag', async () => {
    const tags: unknown[] = [];
    for (const format of formatNames)
      tags.push((await service.raw(exportPath(format), { method: 'HEAD' })).headers.etag);
    expect(new Set(tags).size).toBe(formatNames.length);
  });

  test.skipIf(noReaders)(
    'GET /export: gives readers of each format what /data has (needs python3, unzip, sqlite3, jq)',
    async () => {
      const texts = rows.map(({ text }) => text);
      const file = async (format: FormatName): Promise<string> =>
        saved(format, (await service.raw(exportPath(format))).body);
      expect(readJsonl<Row>(await file('jsonl'))).toEqual(rows);
      expect(readCsv(await file('csv')).map(({ text = '' }) => text.replace(/^'/, ''))).toEqual(texts);
      expect(readSqlite<Row>(await file('sqlite')).map(({ text }) => text)).toEqual(texts);
      const columns = await readParquet(await file('parquet'));
      expect(columns.map(({ text, meta }) => ({ text, meta }))).toEqual(
        rows.map(({ text, meta }) => ({ text, meta: meta.meta })),
      );
      const files = Object.entries(readZip(await file('zip')));
      expect(files.map(([name]) => name.replace(/^127\.0\.0\.1_\d+\//, ''))).toContain('日本.md');
      for (const [index, [, content]] of files.entries()) expect(content).toContain(texts[index]);
      const full = readFileSync(await file('llms-full.txt'), 'utf8');
      for (const text of texts) expect(full).toContain(text);
      const index = readFileSync(await file('llms.txt'), 'utf8');
      for (const { meta } of rows) expect(index).toContain(`](${meta.url})`);
    },
  );

  test('GET /export: compresses jsonl with its own ETag when gzip is accepted, and continues after `after`', async () => {
    const plain = await service.raw(exportPath('jsonl'));
    const packed = await service.raw(exportPath('jsonl'), { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const lines = plain.body.toString().split('\n');
    const ended = await service.raw(exportPath('jsonl', job, '&end=true'));
    expect(ended.body.toString()).toBe(`${plain.body.toString()}{"end":true,"pages":6}\n`);
    expect(ended.headers.etag).not.toBe(plain.headers.etag);
    const packedEnd = await service.raw(exportPath('jsonl', job, '&end=true'), {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(gunzipSync(packedEnd.body).equals(ended.body)).toBe(true);
    const rest = await service.raw(exportPath('jsonl', job, '&after=4'));
    expect(rest.body.toString()).toBe(lines.slice(4).join('\n'));
    expect(rest.headers.etag).not.toBe(plain.headers.etag);
  });
});

describe('formats written to a file first', () => {
  const part = (range: string, more: Readonly<Record<string, string>> = {}) =>
    service.raw(exportPath('sqlite'), { headers: { range, ...more } });

  test('GET /export: serves ranges of sqlite with 206, refuses those beyond the end with 416, and leaves no file', async () => {
    const whole = await service.raw(exportPath('sqlite'));
    const { length } = whole.body;
    expect(whole.headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': String(length) });
    for (const [range, start, end] of [
      ['bytes=0-15', 0, 15],
      ['bytes=100-', 100, length - 1],
      ['bytes=-10', length - 10, length - 1],
      [`bytes=5-${length + 5}`, 5, length - 1],
    ] as const) {
      const found = await part(range);
      expect(found.status).toBe(206);
      expect(found.headers['content-range']).toBe(`bytes ${start}-${end}/${length}`);
      expect(found.body.equals(whole.body.subarray(start, end + 1))).toBe(true);
    }
    const beyond = await part(`bytes=${length}-`);
    expectProblem(beyond, 416, 'range_not_satisfiable');
    expect(beyond.headers['content-range']).toBe(`bytes */${length}`);
    for (const ignored of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=9-3', 'bytes=x-'])
      expect((await part(ignored)).status).toBe(200);
    expect((await part('bytes=0-15', { 'if-range': String(whole.headers.etag) })).status).toBe(206);
    expect((await part('bytes=0-15', { 'if-range': '"another"' })).status).toBe(200);
    expect(readdirSync(path.join(service.directory, 'exports'))).toEqual([]);
  });

  test('GET /export: ignores Range for csv and sends Accept-Ranges: none', async () => {
    const answer = await service.raw(exportPath('csv'), { headers: { range: 'bytes=0-9' } });
    expect([answer.status, answer.headers['accept-ranges']]).toEqual([200, 'none']);
  });
});

describe('GET /export of a running job', () => {
  test('GET /export: answers 409 while the job runs, and exports the pages so far when partial=true', async () => {
    site.add({
      '/run': htmlPage({ title: 'Run', links: ['/held'] }),
      '/held': htmlPage({ title: 'Held' }),
    });
    const gate = site.hold('/held');
    const { id } = await service.createJob({ urls: [`${site.origin}/run`], force_crawling_mode: 'link' });
    await gate.reached;
    await expect.poll(async () => (await service.job(id)).progress.scraped, { timeout: 10_000 }).toBe(1);
    for (const more of ['', '&partial=false', '&partial='])
      expectProblem(await service.raw(exportPath('zip', id, more)), 409, 'job_not_ended');
    const partial = await service.raw(exportPath('jsonl', id, '&partial=true'));
    expect(partial.status).toBe(200);
    expect(partial.headers).toMatchObject({ 'x-job-status': 'running', 'x-pages': '1', 'cache-control': 'no-store' });
    expect(partial.headers.etag).toBeUndefined();
    expect(partial.body.toString()).toMatch(/^\{"meta":\{"page":1,.*\}\n$/s);
    const command = await service.run(['export', id, '--format', 'csv', '-o', path.join(folder, 'running.csv')]);
    expect([command.code, command.stderr]).toEqual([1, expect.stringContaining('has not ended. `hayrake resume`')]);
    gate.open();
    await service.untilEnded(id);
    expect((await service.raw(exportPath('jsonl', id))).headers['x-pages']).toBe('2');
  });
});

describe('refusals', () => {
  test.each(['xlsx', '', 'JSONL', 'jsonl&format=csv', '__proto__', '..%2f'])(
    'GET /export: refuses format=%s with 400 and lists the formats',
    async (format) => {
      const problem = expectProblem(await service.raw(exportPath(format)), 400, 'invalid_parameter');
      for (const name of formatNames) expect(problem.detail).toContain(name);
      expect(problem.errors?.[0]?.field).toBe('format');
    },
  );

  test('GET /export: refuses a missing or planned format, wrong parameters and POST', async () => {
    expectProblem(await service.raw(`/crawler/jobs/${job}/export`), 400, 'invalid_parameter');
    expectProblem(await service.raw(exportPath('warc')), 409, 'no_raw');
    for (const more of ['&partial=yes', '&after=-1', '&after=1e3', '&limit=3', '&cursor=x'])
      expectProblem(await service.raw(exportPath('jsonl', job, more)), 400, 'invalid_parameter');
    for (const more of ['&after=3', '&end=true'])
      expectProblem(await service.raw(exportPath('csv', job, more)), 400, 'invalid_parameter');
    expectProblem(await service.raw(exportPath('csv'), { method: 'POST' }), 405, 'method_not_allowed');
  });

  test('GET /export: answers 404 to another org or an unknown job, 401 without a token', async () => {
    const { token } = await service.createToken({ org: 'other' });
    expectProblem(await service.raw(exportPath('csv'), { token }), 404, 'job_not_found');
    expectProblem(await service.raw(exportPath('csv', 'nobody')), 404, 'job_not_found');
    expectProblem(await service.raw(exportPath('csv'), { token: null }), 401, 'unauthorized');
  });

  test('GET /export: answers 410 when the results are deleted', async () => {
    const { id } = await service.crawl({ urls: [`${site.origin}/large/0`], force_crawling_mode: 'link' });
    await service.api(`/crawler/jobs/${id}`, { method: 'DELETE' });
    expectProblem(await service.raw(exportPath('zip', id)), 410, 'job_data_expired');
  });
});

/** Begins an export, and reads nothing of its body. */
function begin(format: string, id = large): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(
      {
        port: service.port,
        path: exportPath(format, id),
        headers: { authorization: `Bearer ${service.token}` },
        agent: false,
      },
      resolve,
    )
      .on('error', reject)
      .end();
  });
}

/** Waits until the service uses no processor for a while; gives up after ten seconds. */
async function untilIdle(): Promise<void> {
  let [before, same] = ['', 0];
  for (let rounds = 0; rounds < 500 && same < 10; rounds++) {
    const [user, system] = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(' ').slice(13, 15);
    const used = `${user} ${system}`;
    same = used === before ? same + 1 : 0;
    before = used;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
}

async function metric(name: string): Promise<number> {
  const { body } = await service.raw('/metrics', { token: null });
  const escaped = name.replaceAll(/[{}]/g, String.raw`\$&`);
  return Number(new RegExp(`^${escaped} (\\d+)$`, 'm').exec(body.toString())?.[1] ?? 0);
}

describe('slow or lost clients', () => {
  test('GET /export: takes the one place of its own org only, and frees it when the client goes away', async () => {
    const other = await service.createToken({ org: 'other' });
    for (const format of formatNames.filter((name) => name !== 'llms.txt')) {
      const cut = `hayrake_exports_total{format="${format}",outcome="cut"}`;
      const before = await metric(cut);
      const slow = await begin(format);
      expect(slow.statusCode).toBe(200);
      const refused = await service.raw(exportPath('csv'));
      expectProblem(refused, 429, 'too_many_exports');
      expect(refused.headers['retry-after']).toBe('5');
      expectProblem(await service.raw(exportPath('csv'), { token: other.token }), 404, 'job_not_found');
      expect(await metric('hayrake_exports_running')).toBe(1);
      slow.destroy();
      await expect.poll(() => metric('hayrake_exports_running'), { timeout: 1_000, interval: 20 }).toBe(0);
      expect(await metric(cut)).toBe(before + 1);
    }
    expect((await service.raw(exportPath('csv'))).status).toBe(200);
  });

  test('GET /export: sends everything to a client that starts to read late', async () => {
    const slow = await begin('jsonl');
    await untilIdle();
    const chunks: Buffer[] = [];
    for await (const chunk of slow) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
    expect(lines).toHaveLength(largePages);
    expect(slow.trailers).toEqual({ 'x-pages': String(largePages) });
  });

  test('GET /export: breaks the connection when the results are deleted while it sends, and buffers little', async () => {
    const urls = Array.from({ length: largePages }, (_, index) => `${site.origin}/large/${index}`);
    const { id } = await service.crawl({ urls, force_crawling_mode: 'link' });
    const slow = await begin('llms-full.txt', id);
    await untilIdle();
    await service.api(`/crawler/jobs/${id}`, { method: 'DELETE' });
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of slow) bytes += (chunk as Buffer).length;
    };
    await expect(read()).rejects.toThrow('aborted');
    // Of 23 MB: what both sockets hold (10 MiB at most on Linux), and some chunks.
    expect(bytes).toBeLessThan(16e6);
    expect(service.stderr).toContain('an export failed, and its response was broken off');
  });
});

describe('hayrake export', () => {
  test.each(formatNames)('hayrake export: writes %s as the API sends it', async (format) => {
    const file = path.join(folder, `command-${format}`);
    const { code, stderr, stdout } = await service.run(['export', job, '--format', format, '-o', file]);
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(/ {3}6 pages, \d+\.\d kB\n$/)]);
    expect(readFileSync(file).equals((await service.raw(exportPath(format))).body)).toBe(true);
    expect(existsSync(`${file}.unfinished`)).toBe(false);
  });

  test('hayrake export: writes to standard output, and replaces a file only with --force', async () => {
    const { body } = await service.raw(exportPath('jsonl'));
    expect((await service.run(['export', job, '--format', 'jsonl', '-o', '-'])).stdout).toBe(body.toString());
    const file = saved('there.csv', Buffer.from('mine'));
    const refused = await service.run(['export', job, '--format', 'csv', '-o', file]);
    expect([refused.code, readFileSync(file, 'utf8')]).toEqual([2, 'mine']);
    expect((await service.run(['export', job, '--format', 'csv', '-o', file, '--force'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^page,url,/);
  });

  test('hayrake export: reports each error in one sentence', async () => {
    const aFile = saved('a-file', Buffer.from('mine'));
    for (const [args, code, message] of [
      [['--format', 'sqlite', '-o', '-'], 2, /^hayrake: This format needs a file\./],
      [['--format', 'xlsx', '-o', '-'], 2, /^hayrake: `format`: Give one of jsonl, csv/],
      [['--format', 'warc', '-o', '-'], 1, /^hayrake: The job keeps no raw bodies\./],
      [
        ['--format', 'csv', '-o', path.join(folder, 'no/such/folder')],
        1,
        /^hayrake: .* the directory does not exist\.$/m,
      ],
      [['--format', 'sqlite', '-o', path.join(folder, 'no/such/folder')], 1, /the directory does not exist\.$/m],
      [['--format', 'zip', '-o', path.join(aFile, 'x')], 1, /^hayrake: .* is a file, not a directory\.$/m],
    ] as const) {
      const result = await service.run(['export', job, ...args]);
      expect([result.code, result.stderr, result.stdout]).toEqual([code, expect.stringMatching(message), '']);
      expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  test.skipIf(!existsSync('/dev/full'))('hayrake export: reports a full disk (needs /dev/full)', async () => {
    // A fault in the program can then replace the link only.
    const full = path.join(folder, 'full');
    symlinkSync('/dev/full', full);
    const { code, stderr } = await service.run(['export', large, '--format', 'csv', '-o', full]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be written/);
  });
});

describe('damaged pages', () => {
  beforeAll(async () => {
    await service.stop();
    const where = (page: number): string =>
      `id % 16777216 = ${page} AND id / 16777216 = (SELECT seq FROM job WHERE id = '${large}')`;
    await service.changeDatabase(`UPDATE body SET packed_crc = 7 WHERE ${where(12)}`);
    await service.start();
  });

  test.each(formatNames.filter((format) => format !== 'jsonl'))(
    'GET /export: fails visibly as %s when a page is damaged',
    async (format) => {
      const answer = await readUntilCut(service, exportPath(format, large), { cutAt: Infinity });
      // A file that is written first is not sent.
      const isSent = format !== 'sqlite';
      expect([answer.status, answer.isWhole]).toEqual(isSent ? [200, false] : [500, true]);
      await expect.poll(() => metric(`hayrake_exports_total{format="${format}",outcome="failed"}`)).toBe(1);
      const file = path.join(folder, `damaged-${format}`);
      const { code, stderr } = await service.run(['export', large, '--format', format, '-o', file]);
      expect([code, stderr]).toEqual([5, expect.stringContaining('page 12 of this job cannot be read')]);
      expect(readdirSync(folder).filter((name) => name.startsWith(`damaged-${format}`))).toEqual([]);
    },
  );

  test('GET /export: names the damaged page in jsonl and sends all others', async () => {
    const { body } = await service.raw(exportPath('jsonl', large));
    const lines = body.toString().trimEnd().split('\n');
    expect(lines).toHaveLength(largePages);
    expect(lines[11]).toBe('{"error":"page_damaged","page":12}');
    const ended = await service.raw(exportPath('jsonl', large, '&end=true'));
    expect(ended.body.toString().slice(body.length)).toBe(`{"end":true,"pages":${largePages},"damaged":1}\n`);
    const file = path.join(folder, 'damaged.jsonl');
    const { code, stderr } = await service.run(['export', large, '--format', 'jsonl', '-o', file]);
    expect([code, stderr]).toEqual([5, expect.stringContaining('1 page of this job (12) cannot be read')]);
    expect(readFileSync(file).equals(body)).toBe(true);
  });
});
