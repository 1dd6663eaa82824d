// Files that are damaged: the service refuses to start, or what it says is right. Never rows that were not stored.
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GeneratedSite, startGeneratedSite } from '../e2e/generated-site.ts';
import { startService, TestService } from '../service/start-service.ts';
import { afterTest } from './crawl.ts';

const pages = 300;
const pageBytes = 4_096;

interface Row {
  readonly meta: { readonly page: number };
}

let site: GeneratedSite;
/** A directory as a kill left it in mid-crawl: a database, and a log with what was not yet in it. */
let crashed: string;
/** One that was closed in order. */
let closed: string;
let jobId: string;
/** The pages as they were read before the kill, by number. */
const rows = new Map<number, string>();

beforeAll(async () => {
  site = await startGeneratedSite({ pages, delayMs: 5 });
  const service = await startService({ env: { HAYRAKE_DISK_FREE_MB: '0' } });
  ({ id: jobId } = await service.createJob({ urls: [`${site.origin}/`] }));
  await site.morePages(200);
  await service.kill();
  crashed = copyOf(service.directory);
  await service.start();
  await service.untilEnded(jobId);
  const { data } = await service.ok<{ data: Row[] }>(`/crawler/jobs/${jobId}/data`);
  for (const row of data) rows.set(row.meta.page, JSON.stringify(row));
  await service.stop();
  closed = copyOf(service.directory);
  await service.close();
});

afterAll(async () => {
  await site.close();
  for (const directory of [crashed, closed]) rmSync(directory, { recursive: true });
});

function copyOf(directory: string): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'hayrake-damage-'));
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** A copy that the test may damage. */
function damage(directory: string, how: (database: string) => void): TestService {
  const copy = copyOf(directory);
  afterTest(() => rmSync(copy, { recursive: true, force: true }));
  how(path.join(copy, 'hayrake.db'));
  const service = new TestService(copy, { directory: copy, env: { HAYRAKE_DISK_FREE_MB: '0' } });
  afterTest(() => service.close());
  return service;
}

function overwrite(file: string, pagesHit: readonly number[]): void {
  const descriptor = openSync(file, 'r+');
  for (const page of pagesHit) writeSync(descriptor, randomBytes(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(descriptor);
}

async function expectRefusal(service: TestService): Promise<void> {
  const { code, stderr } = await service.run(['serve']);
  expect(stderr).toMatch(/is damaged .*Restore it from a backup/s);
  expect(code).toBe(5);
}

describe('the service refuses to start, with exit code 5 and a hint, on', () => {
  test.each<[string, (database: string) => void]>([
    ['a file that is no database', (file) => writeFileSync(file, randomBytes(100_000))],
    ['a file with nothing in it', (file) => truncateSync(file)],
    ['a log without its database', (file) => renameSync(file, `${file}-wal`)],
    [
      'a database that was cut off',
      (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / pageBytes) * pageBytes),
    ],
    ['a database whose first page is lost', (file) => overwrite(file, [1])],
    [
      'a database that is garbage behind its first page',
      (file) =>
        overwrite(
          file,
          Array.from({ length: statSync(file).size / pageBytes - 1 }, (_, index) => index + 2),
        ),
    ],
  ])('%s', async (_name, how) => {
    await expectRefusal(damage(closed, how));
  });
});

test('the index of the log may be missing: nothing is lost', async () => {
  const service = damage(crashed, (file) => rmSync(`${file}-shm`, { force: true }));
  await service.start();
  const job = await service.untilEnded(jobId);
  expect(job.progress).toMatchObject({ discovered: pages, scraped: pages });
});

describe('a log that was cut off', () => {
  test.each([0.02, 0.3, 0.5, 0.7, 0.9, 0.999])('at %d of it: an earlier state, or a refusal', async (part) => {
    const service = damage(crashed, (file) =>
      truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size * part)),
    );
    await ((await starts(service)) ? expectEarlierState(service) : expectDamage(service));
  });
});

test('pages of the file that are garbage: what is answered is right, or the service ends with exit code 5', async () => {
  const size = statSync(path.join(closed, 'hayrake.db')).size / pageBytes;
  let ended = 0;
  for (let first = 3; first < 3 + 5; first++) {
    const hit = Array.from({ length: Math.floor((size - first) / 5) }, (_, index) => first + index * 5);
    const service = damage(closed, (file) => overwrite(file, hit));
    const answer = (await starts(service)) ? await dataOf(service) : undefined;
    await (answer?.status === 200 ? expectRightRows(answer) : expectDamage(service));
    if (answer?.status !== 200) ended++;
  }
  expect(ended).toBeGreaterThan(0);
});

/** False where it ended instead. */
async function starts(service: TestService): Promise<boolean> {
  return service.start().then(
    () => true,
    () => false,
  );
}

/** Undefined where the service ended before it had answered. */
function dataOf(service: TestService): Promise<Response | undefined> {
  return service.api(`/crawler/jobs/${jobId}/data`).catch(() => undefined);
}

async function expectDamage(service: TestService): Promise<void> {
  expect(await service.exited).toBe(5);
}

async function expectEarlierState(service: TestService): Promise<void> {
  const response = await service.api(`/crawler/jobs/${jobId}`);
  // The job itself may have been in what was cut off.
  if (response.status === 404) return;
  const job = await service.untilEnded(jobId);
  expect(job.progress).toMatchObject({ discovered: pages, scraped: pages });
  const { data } = await service.ok<{ data: Row[] }>(`/crawler/jobs/${jobId}/data`);
  expect(data.map(({ meta }) => meta.page)).toEqual(data.map((_, index) => index + 1));
}

async function expectRightRows(answer: Response): Promise<void> {
  const { data } = (await answer.json()) as { data: Row[] };
  expect(data.map((row) => JSON.stringify(row))).toEqual(data.map(({ meta }) => rows.get(meta.page)));
  expect(data).toHaveLength(pages);
}

describe('a bit that is another one, in a file that is well otherwise', () => {
  interface Place {
    readonly table: 'page' | 'body';
    /** The page whose row is hit. */
    readonly page: number;
    /** From the beginning of the BLOB of so many bytes; the numbers of a row are behind it. */
    readonly at: 'crc' | 'length' | 'packed_crc' | ((bytes: number) => number);
    readonly bit?: number;
  }

  const flipped = ({ table, page, at, bit = 0 }: Place): TestService =>
    damage(closed, (file) => {
      const db = new DatabaseSync(file, { readOnly: true });
      const row = db.prepare(`SELECT * FROM ${table} ORDER BY id LIMIT 1 OFFSET ${page - 1}`).get()!;
      db.close();
      const bytes = Buffer.from(row['deflated'] as Uint8Array);
      const all = readFileSync(file);
      const start = all.indexOf(bytes);
      expect(start).toBeGreaterThan(0);
      const place = start + placeIn(row, bytes, at);
      all[place] = all[place]! ^ (1 << bit);
      writeFileSync(file, all);
    });

  /** A number that is named: its last byte. They lie behind the BLOB, in the order of the columns. */
  function placeIn(row: Readonly<Record<string, unknown>>, bytes: Buffer, at: Place['at']): number {
    if (typeof at === 'function') return at(bytes.length);
    let place = bytes.length;
    for (const name of ['crc', 'length', 'packed_crc']) {
      if (typeof row[name] === 'number') place += bytesOf(row[name]);
      if (name === at) break;
    }
    return place - 1;
  }

  /** In a row of SQLite: 1, 2, 3, 4, 6 or 8. */
  const bytesOf = (value: number): number => [1, 2, 3, 4, 6].find((bytes) => value < 2 ** (8 * bytes - 1)) ?? 8;

  interface Walk {
    readonly pages: readonly number[];
    readonly problems: readonly { readonly page: number; readonly code: string; readonly status: number }[];
    readonly answers: number;
  }

  /** Reads a job as a client does that goes on behind what it is told is damaged. */
  async function walk(service: TestService, kind: 'data' | 'meta', encoding: string): Promise<Walk> {
    const read: number[] = [];
    const problems: Walk['problems'][number][] = [];
    let answers = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; answers++) {
      const answer = await service.raw(`/crawler/jobs/${jobId}/${kind}?cursor=${cursor}`, {
        headers: { 'accept-encoding': encoding },
      });
      const plain = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(answer.body) : answer.body;
      const body = JSON.parse(plain.toString()) as { data?: Row[]; cursor?: string; page: number; code: string };
      cursor = body.cursor;
      if (answer.status === 200) read.push(...body.data!.map(({ meta }) => meta.page));
      else problems.push({ page: body.page, code: body.code, status: answer.status });
      const texts = kind === 'data' ? (body.data ?? []) : [];
      expect(texts.map((row) => JSON.stringify(row))).toEqual(texts.map((row) => rows.get(row.meta.page)));
    }
    return { pages: read, problems, answers };
  }

  const others = (page: number): number[] =>
    Array.from({ length: pages }, (_, index) => index + 1).filter((number) => number !== page);

  async function expectContained(service: TestService, page: number, kind: 'data' | 'meta'): Promise<void> {
    for (const encoding of ['gzip', 'identity']) {
      expect(await walk(service, kind, encoding)).toEqual({
        pages: others(page),
        problems: [{ page, code: 'page_damaged', status: 500 }],
        answers: page === 1 ? 2 : 3,
      });
      const whole = await walk(service, kind === 'data' ? 'meta' : 'data', encoding);
      expect([whole.pages.length, whole.problems]).toEqual([pages, []]);
    }
    const told = service.stderr.split('\n').filter((line) => line.includes('a page is damaged'));
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0]!)).toMatchObject({ job: jobId, page, part: kind === 'data' ? 'text' : 'metadata' });
    const metrics = await (await service.api('/metrics')).text();
    expect(metrics).toMatch(/^hayrake_damaged_pages_total 1$/m);
    const findings = async (): Promise<unknown[]> =>
      (await service.job(jobId)).findings.filter(({ code }) => code === 'page_damaged');
    await vi.waitUntil(async () => (await findings()).length > 0);
    const message: unknown = expect.stringMatching(`^Page ${page} `);
    expect(await findings()).toMatchObject([{ code: 'page_damaged', message, count: 1 }]);
  }

  test.each<[string, Place]>([
    ['the middle of a text', { table: 'body', page: 150, at: (bytes) => bytes >> 1 }],
    ['the first byte of a text', { table: 'body', page: 150, at: () => 0 }],
    ['the last byte of a text', { table: 'body', page: 150, at: (bytes) => bytes - 1, bit: 7 }],
    ['the text of the first page', { table: 'body', page: 1, at: (bytes) => bytes >> 2 }],
    ['the text of the last page', { table: 'body', page: pages, at: (bytes) => bytes >> 2 }],
    ['the checksum of what a text unpacks to', { table: 'body', page: 150, at: 'crc' }],
    ['the length of a text', { table: 'body', page: 150, at: 'length' }],
    ['the checksum of a text', { table: 'body', page: 150, at: 'packed_crc' }],
    ['the number of a text', { table: 'body', page: 150, at: () => -9, bit: 4 }],
  ])('%s: the page is left out, told of, and everything else is read', async (_name, place) => {
    const service = flipped(place);
    await service.start();
    await expectContained(service, place.page, 'data');
    expect(await service.stop()).toBe(0);
  });

  test.each<[string, Place]>([
    ['of metadata', { table: 'page', page: 150, at: () => 20 }],
    ['of the last byte of metadata', { table: 'page', page: 150, at: (bytes) => bytes - 1 }],
    ['of the first metadata', { table: 'page', page: 1, at: () => 20 }],
    ['of the number of metadata', { table: 'page', page: 150, at: () => -9, bit: 4 }],
    ['of the checksum of what metadata unpacks to', { table: 'page', page: 150, at: 'crc' }],
    ['of the length of metadata', { table: 'page', page: 150, at: 'length' }],
    ['of the checksum of metadata', { table: 'page', page: 150, at: 'packed_crc' }],
  ])('%s: the same, for `/meta`', async (_name, place) => {
    const service = flipped(place);
    await service.start();
    await expectContained(service, place.page, 'meta');
    const told = await service.run(['get', jobId, '--meta', '--json']);
    expect([told.code, told.stderr]).toEqual([5, expect.stringContaining(`(${place.page})`)]);
  });

  describe('of a text', () => {
    const page = 150;
    let service: TestService;
    beforeEach(async () => {
      service = flipped({ table: 'body', page, at: (bytes) => bytes >> 1 });
      await service.start();
    });

    test.each(['gzip', 'identity'])(
      'an NDJSON stream (%s) has a line in its place, and counts it at its end',
      async (encoding) => {
        const answer = await service.raw(`/crawler/jobs/${jobId}/data`, {
          headers: { accept: 'application/x-ndjson', 'accept-encoding': encoding },
        });
        const plain = encoding === 'gzip' ? gunzipSync(answer.body) : answer.body;
        const lines = plain.toString().trimEnd().split('\n');
        expect(lines).toHaveLength(pages + 1);
        expect(lines[page - 1]).toBe(`{"error":"page_damaged","page":${page}}`);
        expect(lines.at(-1)).toBe(`{"end":true,"pages":${pages},"damaged":1}`);
        expect(lines.slice(0, pages).toSpliced(page - 1, 1)).toEqual(others(page).map((number) => rows.get(number)));
      },
    );

    test('a stream of events has one in its place', async () => {
      const text = await (await service.api(`/crawler/jobs/${jobId}/events`)).text();
      expect(text).toContain(`event: page_damaged\nid: ${page}\ndata: {"page":${page}}\n\n`);
      expect(text).toContain(`data: {"status":"succeeded","pages":${pages},"damaged":1}\n\n`);
      expect([...text.matchAll(/^event: page$/gm)]).toHaveLength(pages - 1);
    });

    test('`get` writes all others, and ends with exit code 5', async () => {
      const { code, stdout, stderr } = await service.run(['get', jobId, '--json']);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as Row).meta.page)).toEqual(others(page));
      expect([code, stderr]).toEqual([5, expect.stringMatching(/1 page of this job \(150\) cannot be read/)]);
    });

    test('`check` names it, beside the service; with `--quick` it reads no page', async () => {
      const { code, stdout, stderr } = await service.run(['check']);
      expect(stdout).toBe(`damaged: the text of page ${page} of job ${jobId}\n`);
      expect([code, stderr]).toEqual([5, expect.stringContaining('one text or metadata is damaged')]);
      const quick = await service.run(['check', '--quick']);
      expect([quick.code, quick.stderr]).toEqual([0, expect.stringContaining('every job add up. No page was read')]);
    });

    test('`backup` refuses, and with `--quick` it makes one', async () => {
      const target = path.join(service.directory, 'backup.db');
      const refused = await service.run(['backup', target]);
      expect([refused.code, refused.stderr]).toEqual([
        5,
        expect.stringMatching(`the text of page ${page} of job ${jobId}\\..*No backup was made.*--quick`),
      ]);
      expect(existsSync(target)).toBe(false);
      expect((await service.run(['backup', target, '--quick'])).code).toBe(0);
      expect(existsSync(target)).toBe(true);
    });
  });

  test('anywhere in the file: what is answered is right, or the service ends with exit code 5', async () => {
    const outcomes = new Map<string, number>();
    const places = 24;
    for (let index = 0; index < places; index++) {
      const service = damage(closed, (file) => {
        const all = readFileSync(file);
        // Spread over the file, and over the bits of a byte.
        const place = Math.floor(((index + 0.5) / places) * all.length);
        all[place] = all[place]! ^ (1 << (index % 8));
        writeFileSync(file, all);
      });
      const outcome = await outcomeOf(service);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await service.close();
    }
    const known = new Set(['whole', 'contained', 'ended']);
    expect([...outcomes.keys()].filter((outcome) => !known.has(outcome))).toEqual([]);
    // How many places are noticed depends on the layout of the file: most are in indexes, in parts that nothing reads, or in one
    // of two copies of metadata. The tests above hit each kind of part on purpose.
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(places);
  });

  async function outcomeOf(service: TestService): Promise<string> {
    if (!(await starts(service))) return (await service.exited) === 5 ? 'ended' : 'ended otherwise';
    try {
      const { pages: data, problems } = await walk(service, 'data', 'gzip');
      const metas = await walk(service, 'meta', 'gzip');
      const found = [...problems, ...metas.problems];
      // The service that has noticed the damage ends, and says so to requests meanwhile.
      if (found.some(({ code }) => code === 'unavailable')) throw new Error('It is ending.');
      if (data.length + problems.length !== pages || metas.pages.length + metas.problems.length !== pages)
        return 'pages lost';
      if (found.some(({ code }) => code !== 'page_damaged')) return 'another problem';
      return found.length > 0 ? 'contained' : 'whole';
    } catch (error) {
      const code = await Promise.race([
        service.exited,
        new Promise((resolve) => setTimeout(resolve, 20_000, 'running')),
      ]);
      return code === 5 ? 'ended' : `${String(code)}: ${String(error)}`;
    }
  }

  test('nowhere: `check` says how much it read, and ends with exit code 0', async () => {
    const { code, stdout, stderr } = await damage(closed, () => {}).run(['check']);
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^Checked 1 job with 300 pages in .* Nothing is damaged\.\n$/),
    ]);
  });
});

test('damage that is met while the service runs ends it with exit code 5', async () => {
  const service = damage(closed, () => {});
  await service.start();
  const file = path.join(service.directory, 'hayrake.db');
  const size = statSync(file).size / pageBytes;
  overwrite(
    file,
    Array.from({ length: size - 1 }, (_, index) => index + 2),
  );
  const answer = await dataOf(service);
  expect(answer?.status).not.toBe(200);
  expect(await service.exited).toBe(5);
  expect(service.stderr).toMatch(/is damaged/);
});
