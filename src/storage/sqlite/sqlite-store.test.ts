import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/storage/sqlite-database.ts';
import { describeStoreContract } from '../../../test/storage/store-contract.ts';
import {
  crawl,
  createJob,
  getJob,
  leaseAndTake,
  link,
  links,
  listAll,
  org,
  pagesOf,
  scraped,
  settlement,
} from '../../../test/storage/test-data.ts';
import { discovered } from '../../core/job.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Store } from '../../core/ports/stores.ts';
import { damageIn } from './maintain/check-database.ts';
import { Database } from './file/database.ts';
import { databaseFile } from './file/database-file.ts';
import { hasWalBug } from './file/open-database.ts';
import { openSqliteStore } from './sqlite-store.ts';

const scripts = mkdtempSync(path.join(tmpdir(), 'hayrake-scripts-'));
let lastScript = 0;
afterAll(() => rmSync(scripts, { recursive: true }));

describeStoreContract('SQLite', createDatabase);

describe('SQLite store', () => {
  let dir: string;
  const stores: Store[] = [];

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'hayrake-store-'));
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    rmSync(dir, { recursive: true });
  });

  const open = (options = { crawling: true }): Store => {
    const store = openSqliteStore(dir, options);
    stores.push(store);
    return store;
  };

  it('sweep: removes hosts without a job a day after their pause is over', async () => {
    const store = open();
    const first = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
    await crawl(store);
    const db = new Database(path.join(dir, databaseFile), { busyMs: 5_000 });
    const sweep = async (): Promise<number> => {
      // The first examines all hosts, the second finds that there are no more, and the third starts again.
      for (let steps = 0; steps < 3; steps++) await store.sweep(Date.now());
      return db.prepare<[], { hosts: number }>('SELECT count(*) AS hosts FROM host').get()?.hosts ?? -1;
    };
    expect(await sweep()).toBe(1);
    await store.frontier.noteDelay('redirected-to.test:80', 5_000);
    const waiting = await createJob(store, { startLinks: links(1, '/', { depth: 0 }) });
    db.exec(`UPDATE host SET next_at = next_at - ${25 * 3600 * 1000} WHERE name <> 'redirected-to.test:80'`);
    expect(await sweep()).toBe(2);
    await crawl(store);
    db.exec(`UPDATE host SET next_at = next_at - ${25 * 3600 * 1000}`);
    expect(await sweep()).toBe(0);
    // The store also forgets the host ids that it remembered.
    const { id } = await createJob(store, { startLinks: links(2, '/', { depth: 0 }) });
    await crawl(store);
    for (const job of [first.id, waiting.id, id]) expect((await getJob(store, job)).status).toBe('succeeded');
    db.close();
  });

  const file = (): string => path.join(dir, databaseFile);
  const error = (exitCode: number, message: RegExp): unknown =>
    expect.objectContaining({ name: 'ExitError', exitCode, message: expect.stringMatching(message) as unknown });

  it.each([
    ['after its hosts were released', true],
    ['while it held its hosts for the first time', false],
  ])(
    'recover: pauses stay as long as they were when the clock was set back since a process ended %s',
    async (_, areReleased) => {
      const store = open();
      await store.frontier.recover({ delayMs: 0 });
      const hosts = ['paused.test:443', 'free.test:443', 'retried.test:443'];
      const startLinks = hosts.map((host) => link('/', { depth: 0, host }));
      await createJob(store, { startLinks, webhookUrl: 'https://receiver.test/hook' });
      const leases = [];
      for (const _ of hosts) leases.push(await leaseAndTake(store));
      const outcome = { kind: 'retry', afterMs: 30_000, error: { reason: 'timeout', message: 'slow' } } as const;
      for (const { held, requests } of leases) {
        const isRetried = held.host.startsWith('retried');
        await store.frontier.settle(held, isRetried ? requests.map((request) => settlement(request, outcome)) : []);
        const notBefore = held.host.startsWith('paused') ? monotonicNow() + 20_000 : 0;
        if (areReleased) await store.frontier.release(held, { notBefore });
      }
      await store.close();
      stores.pop();
      const db = new Database(path.join(dir, databaseFile), { busyMs: 5_000 });
      // As a process would have left it whose clock was a day ahead.
      const day = 86_400_000;
      db.exec(`UPDATE host SET next_at = next_at + ${day} WHERE next_at > 0; UPDATE host SET noted_at = noted_at + ${day};
        UPDATE frontier SET not_before = not_before + ${day} WHERE not_before > 0; UPDATE work SET next_at = next_at + ${day}`);
      const now = monotonicNow();
      await open().frontier.recover({ delayMs: 0 });

      const secondsUntil = (sql: string): number[] =>
        db
          .prepare<[], { at: number }>(sql)
          .all()
          .map(({ at }) => (at - now) / 1000);
      const [free = NaN, paused = NaN] = secondsUntil('SELECT next_at AS at FROM host ORDER BY name');
      const [retried = NaN] = secondsUntil('SELECT not_before AS at FROM frontier WHERE not_before > 0');
      const [webhook = NaN] = secondsUntil('SELECT next_at AS at FROM work');
      db.close();
      // To ten minutes, so that it does not matter how long the lines above took.
      const rounded = [free, paused, retried, webhook].map((seconds) => Math.round(seconds / 600));
      expect(rounded).toEqual([0, 0, 0, 0]);
      expect(paused > free + 15).toBe(areReleased);
      expect(retried).toBeGreaterThan(free + 15);
    },
  );

  it('settle: keeps nothing of a settlement whose last write fails', async () => {
    const store = open();
    await store.frontier.recover({ delayMs: 0 });
    const job = await createJob(store);
    const { held, requests } = await leaseAndTake(store);
    const before = [await getJob(store, job.id), await listAll(store, job.id)];
    const settle = (): Promise<void> =>
      store.frontier.settle(
        held,
        requests.map((request) => settlement(request, scraped(request, links(3)))),
      );
    const db = new Database(file(), { busyMs: 1_000 });
    // A job's counters are written last.
    db.exec(`CREATE TRIGGER refuse BEFORE UPDATE OF scraped ON job WHEN NEW.scraped > OLD.scraped
      BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`);
    await expect(settle()).rejects.toThrow('refused by the test');
    expect([await getJob(store, job.id), await listAll(store, job.id)]).toEqual(before);
    expect(await pagesOf(store, job.id)).toEqual({});
    db.exec('DROP TRIGGER refuse');
    db.close();
    await settle();
    expect(await pagesOf(store, job.id)).toEqual({ 1: 'https://a.test/' });
    expect(await listAll(store, job.id)).toHaveLength(4);
  });

  it('pages.read: ends before metadata that differs from what was stored, and a check finds it', async () => {
    const store = open();
    await store.frontier.recover({ delayMs: 0 });
    const { id: jobId } = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
    await crawl(store);
    const query = { org, jobId, after: 0, limit: 10, withText: false, bytesMax: 1e6 };
    const before = (await store.pages.read(query))?.pages ?? [];
    expect(before).toHaveLength(3);
    const db = new Database(file(), { busyMs: 5_000 });
    db.exec('UPDATE page SET packed_crc = packed_crc + 1 WHERE id % 16777216 = 2');
    expect(await store.pages.read(query)).toMatchObject({ pages: before.slice(0, 1), damagedPage: 2 });
    expect((await store.pages.read({ ...query, after: 2 }))?.pages).toEqual(before.slice(2));
    expect(damageIn(db, Date.now()).damagedParts).toBe(1);
    db.close();
  });

  describe('one crawling process', () => {
    it('openSqliteStore: refuses a second crawling store and names the process that has the directory', () => {
      open();
      expect(() => open()).toThrow(
        error(6, new RegExp(`in use by another crawling hayrake \\(process ${process.pid}\\)`)),
      );
    });

    it('openSqliteStore: refuses a crawling store of another process until this one is closed', async () => {
      const tryOther = (): string =>
        spawnSync(process.execPath, [scriptFile(`${openOther(dir)} await store.close(); console.log('opened');`)], {
          encoding: 'utf8',
        }).stderr;
      open();
      expect(tryOther()).toMatch(/in use by another crawling hayrake/);
      await stores.pop()?.close();
      expect(tryOther()).toBe('');
      open();
    });

    it('openSqliteStore: lets other stores read, create and cancel beside a crawling one', async () => {
      const crawling = open();
      await crawling.frontier.recover({ delayMs: 0 });
      const beside = open({ crawling: false });
      const job = await createJob(beside);
      const cancelled = await createJob(beside);
      await beside.jobs.cancel(org, cancelled.id, Date.now());
      expect(await crawl(crawling)).toEqual(['https://a.test/']);
      expect(await pagesOf(beside, job.id)).toEqual({ 1: 'https://a.test/' });
      expect((await getJob(crawling, cancelled.id)).status).toBe('cancelled');
    });

    it('waitForChange: returns when another store changes the job', async () => {
      const beside = open({ crawling: false });
      const store = open();
      const job = await createJob(store);
      const waiting = store.jobs.waitForChange(job.id, 3_600_000, new AbortController().signal);
      await beside.jobs.cancel(org, job.id, Date.now());
      await waiting;
      expect((await getJob(store, job.id)).status).toBe('cancelled');
    });
  });

  describe('opening', () => {
    it('openSqliteStore: creates the directory for its owner only', () => {
      dir = path.join(dir, 'made', 'for', 'it');
      open({ crawling: false });
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      dir = path.join(dir, '..', '..', '..');
    });

    it('openSqliteStore: opens one new database in four processes at the same time', async () => {
      const script = `${openOther(dir, false)} await store.ping(); console.log(Buffer.from(store.secret).toString('hex')); await store.close();`;
      const secrets = await Promise.all(Array.from({ length: 4 }, () => inOtherProcess(script)));
      expect(secrets[0]).toMatch(/^[0-9a-f]{64}\n$/);
      expect(new Set(secrets).size).toBe(1);
    });

    it('openSqliteStore: refuses the database of a newer version', async () => {
      await open().close();
      const db = new Database(file(), { busyMs: 5_000 });
      db.pragma('user_version = 99');
      db.close();
      expect(() => open()).toThrow(error(4, /newer version of hayrake \(schema 99/));
    });

    it('openSqliteStore: refuses a file that is no database, and leaves it unchanged', () => {
      writeFileSync(file(), 'Dear diary, '.repeat(1_000));
      expect(() => open()).toThrow(error(5, /damaged/));
      expect(readFileSync(file(), 'utf8')).toBe('Dear diary, '.repeat(1_000));
    });

    it('openSqliteStore: frees the directory when it fails', async () => {
      writeFileSync(file(), 'Dear diary, '.repeat(1_000));
      expect(() => open()).toThrow('damaged');
      rmSync(file());
      await open().ping();
    });

    it('openSqliteStore: refuses a directory that cannot be created', () => {
      writeFileSync(path.join(dir, 'file'), '');
      const home = dir;
      dir = path.join(dir, 'file', 'data');
      expect(() => open()).toThrow(error(7, /cannot be used/));
      expect(() => open({ crawling: false })).toThrow(error(7, /cannot be used/));
      dir = home;
    });

    it('openSqliteStore: refuses a directory that cannot be written', () => {
      chmodSync(dir, 0o555);
      // Root can write anywhere.
      const asNobody = (crawling: boolean): string => {
        const script = openOther(dir, crawling).replace(
          'const store',
          'if (process.getuid?.() === 0) process.setuid(65534); const store',
        );
        return spawnSync(process.execPath, [scriptFile(script)], { encoding: 'utf8' }).stderr;
      };
      expect(asNobody(true)).toMatch(/cannot be used: .*exitCode: 7/s);
      expect(asNobody(false)).toMatch(/cannot be used: .*exitCode: 7/s);
      chmodSync(dir, 0o755);
    });
  });

  it('SQLite store: is whole after SIGKILL during a crawl', async () => {
    const script = `${openOther(dir)}
      const { createJob, crawl, links, scraped } = await import(${JSON.stringify(new URL('../../../test/storage/test-data.ts', import.meta.url).href)});
      await store.frontier.recover({ delayMs: 0 });
      const job = await createJob(store, { spec: { pageLimit: 100_000, fetchLimit: 100_000 } });
      let count = 0;
      await crawl(store, (request) => {
        console.log(job.id + ' ' + count++);
        return scraped(request, links(3, new URL(request.url).pathname + '-', { depth: request.depth + 1 }));
      }, 7);`;
    const child = spawn(process.execPath, [scriptFile(script)]);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    let jobId = '';
    let attempted = 0;
    for await (const line of createInterface(child.stdout)) {
      const [id = '', count = ''] = line.split(' ');
      jobId = id;
      attempted = Number(count) + 1;
      if (attempted === 300) child.kill('SIGKILL');
    }
    await exited;

    const store = open();
    await store.frontier.recover({ delayMs: 0 });
    const { progress } = await getJob(store, jobId);
    // Everything confirmed before the last batch was sent is stored.
    expect(progress.scraped).toBeGreaterThan(300 - 3 * 7);
    expect(progress.inFlight).toBe(0);
    expect(await listAll(store, jobId)).toHaveLength(discovered(progress));
    expect(discovered(progress)).toBe(1 + 3 * progress.scraped);
    expect(Object.keys(await pagesOf(store, jobId)).map(Number)).toEqual(
      Array.from({ length: progress.scraped }, (_, index) => index + 1),
    );
    const db = new Database(file(), { busyMs: 5_000, readOnly: true });
    expect(db.pragma('integrity_check')).toBe('ok');
    db.close();
  });

  it('sweep: shrinks the file', async () => {
    const store = open();
    await store.frontier.recover({ delayMs: 0 });
    const job = await createJob(store);
    const noise = (): string => randomBytes(2 ** 20).toString('base64');
    await crawl(store, (request) => scraped(request, request.depth === 0 ? links(9) : [], { text: noise() }));
    expect(statSync(file()).size + statSync(`${file()}-wal`).size).toBeGreaterThan(10 * 2 ** 20);
    await store.jobs.delete(org, job.id, Date.now());
    while ((await store.sweep()).more);
    await store.close();
    expect(statSync(file()).size).toBeLessThan(2 ** 20);
  });
});

/** Opens the store in another process. */
function openOther(dir: string, crawling = true): string {
  const url = new URL('./sqlite-store.ts', import.meta.url).href;
  return `const { openSqliteStore } = await import(${JSON.stringify(url)}); const store = openSqliteStore(${JSON.stringify(dir)}, { crawling: ${crawling} });`;
}

/** A file instead of `--eval`, because the writer thread would inherit its flags. */
function scriptFile(script: string): string {
  const file = path.join(scripts, `${++lastScript}.mjs`);
  writeFileSync(file, script);
  return file;
}

async function inOtherProcess(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [scriptFile(script)]);
  return stdout;
}

it.each([
  ['3.50.4', true],
  ['3.51.2', true],
  ['3.51.3', false],
  ['3.53.4', false],
  ['4.0.0', false],
])('hasWalBug: for SQLite %s, returns %s', (version, has) => {
  expect(hasWalBug(version)).toBe(has);
});
