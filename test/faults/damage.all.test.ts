// Files that are damaged: the service refuses to start, or what it says is right. Never rows that were not stored.
import {
  closeSync,
  cpSync,
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('a byte that is another one, in a file that is well otherwise', () => {
  /** Of the page in the middle of the job: all of its row is on one page of the file. */
  const alter = (column: 'meta' | 'deflated', table: 'page' | 'body'): TestService =>
    damage(closed, (file) => {
      const db = new DatabaseSync(file, { readOnly: true });
      const row = db.prepare(`SELECT ${column} AS bytes FROM ${table} ORDER BY id LIMIT 1 OFFSET ${pages / 2}`).get();
      db.close();
      const bytes = Buffer.from(row?.['bytes'] as Uint8Array);
      const all = readFileSync(file);
      const at = all.indexOf(bytes);
      expect(at).toBeGreaterThan(0);
      // In the middle of a text: the JSON stays JSON.
      const place = column === 'meta' ? bytes.indexOf('"url":"http://') + 10 : bytes.length >> 1;
      all[at + place] = all[at + place]! ^ 1;
      writeFileSync(file, all);
    });

  test('of metadata: it is not answered, and the service ends with exit code 5', async () => {
    const service = alter('meta', 'page');
    await service.start();
    const answer = await service.api(`/crawler/jobs/${jobId}/meta`).catch(() => undefined);
    expect(answer?.status).not.toBe(200);
    expect(await service.exited).toBe(5);
    expect(service.stderr).toMatch(
      /is damaged \(the metadata of row \d+ is not what was stored\).*Restore it from a backup/,
    );
    const told = await service.run(['get', jobId, '--meta', '--json']);
    expect([told.code, told.stderr]).toEqual([5, expect.stringContaining('is not what was stored')]);
  });

  test('of a text: it is not answered, nor written by a command', async () => {
    const service = alter('deflated', 'body');
    const told = await service.run(['get', jobId, '--json']);
    expect([told.code, told.stderr]).toEqual([5, expect.stringContaining('is not what was stored')]);
    await service.start();
    const plain = { headers: { 'accept-encoding': 'identity' } };
    expect((await service.api(`/crawler/jobs/${jobId}/data`, plain)).status).toBe(500);
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
