// Databases of earlier versions: a migration happens or it does not, and what was running goes on.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { TestService } from '../service/start-service.ts';
import { Database } from '../../src/storage/sqlite/file/database.ts';
import { createSchema } from '../../src/storage/sqlite/file/schema.ts';
import { judgeStart } from '../../src/url/scope.ts';
import { afterTest } from './crawl.ts';

const pages = 60;
const jobId = '01HAYRAKEJ0B0F0D0DT1MES000';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'hayrake-migration-'));
  afterTest(() => rmSync(directory, { recursive: true, force: true }));
});

/** A database as that version left it in the middle of a job: the start URL is in flight. */
function makeDatabase(data: string, version: number, origin: string): void {
  mkdirSync(data);
  const db = new Database(path.join(data, 'hayrake.db'), { busyMs: 0 });
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  createSchema(db, version);
  const spec = {
    urls: [`${origin}/`],
    outputFormat: 'markdown',
    excludeGlobs: [],
    includeGlobs: [],
    excludeElements: null,
    content: 'auto',
    outputExpirySeconds: 3_600,
    minLength: 0,
    pageLimit: 1_000,
    fetchLimit: 10_000,
    maxDepth: null,
    forceCrawlingMode: 'link',
    allowSubdomains: false,
    blockResources: true,
  };
  const { host, port } = new URL(origin);
  db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run('secret', Buffer.alloc(32, 7));
  db.prepare(
    `INSERT INTO job (seq, id, org, status, spec, scope_hosts, created_at, page_limit, fetch_limit, in_flight, notices)
     VALUES (1, ?, 'default', 'running', ?, ?, 1700000000000, 1000, 10000, 1, '[]')`,
  ).run(jobId, JSON.stringify(spec), JSON.stringify([host]));
  db.prepare('INSERT INTO host (id, name, fence, leased) VALUES (1, ?, 5, 1)').run(`127.0.0.1:${port}`);
  db.prepare("INSERT INTO ledger (id, job, key, kind, url, depth, state) VALUES (1, 1, ?, 'page', ?, 0, 'queued')").run(
    judgeStart(new URL(origin)).key,
    `${origin}/`,
  );
  db.exec('INSERT INTO frontier (id, host, job, priority, fence) VALUES (1, 1, 1, 0, 5)');
  db.pragma(`user_version = ${version}`);
  db.close();
}

function versionOf(data: string): { version: number; columns: number } {
  const db = new DatabaseSync(path.join(data, 'hayrake.db'));
  try {
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    const columns = db.prepare("SELECT count(*) AS columns FROM pragma_table_info('job')").get() as { columns: number };
    return { version, ...columns };
  } finally {
    db.close();
  }
}

const killAt = new URL('../../prove/kill-at.ts', import.meta.url).href;

test.each([1, 2, 3, 4])(
  'schema %d: a kill in the middle of the migration leaves the old one; then the job goes on',
  async (version) => {
    const site = await startGeneratedSite({ pages, delayMs: 5 });
    afterTest(() => site.close());
    const data = path.join(directory, 'data');
    makeDatabase(data, version, site.origin);
    const before = versionOf(data);

    const mortal = new TestService(data, {
      directory: data,
      env: { NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${killAt}`, KILL_AT: 'start.migrating:1' },
    });
    await expect(mortal.start()).rejects.toThrow('exit code null');
    expect(versionOf(data)).toEqual(before);

    const service = new TestService(data, { directory: data, env: { HAYRAKE_DISK_FREE_MB: '0' } });
    afterTest(() => service.close());
    await service.start();
    const job = await service.untilEnded(jobId);
    expect(job).toMatchObject({ status: 'succeeded', progress: { discovered: pages, scraped: pages } });
    await service.stop();
    expect(versionOf(data).version).toBeGreaterThan(version);
  },
);

test('schema 4: results that its sweep had begun to remove are gone for good, also where the clock says otherwise', async () => {
  const data = path.join(directory, 'data');
  makeDatabase(data, 4, 'http://127.0.0.1:1');
  const inFuture = Date.now() + 8 * 24 * 3_600_000;
  const db = new DatabaseSync(path.join(data, 'hayrake.db'));
  // Swept whole, and in part: of the second job the last of three pages is left.
  const columns = 'org, spec, scope_hosts, created_at, page_limit, fetch_limit, notices';
  for (const [seq, swept] of [
    [2, 1],
    [3, 0],
  ] as const) {
    db.prepare(
      `INSERT INTO job (seq, id, status, finished_at, results_gone_at, swept, scraped, ${columns})
       SELECT ?, ?, 'succeeded', 1700000000000, ?, ?, 3, ${columns} FROM job WHERE seq = 1`,
    ).run(seq, jobId.replace(/0$/, String(seq)), inFuture, swept);
  }
  db.prepare('INSERT INTO page (id, meta) VALUES (?, ?)').run(3 * 2 ** 24 + 3, Buffer.from('{}'));
  db.prepare('INSERT INTO body (id, deflated, crc, length) VALUES (?, ?, 1, 1)').run(3 * 2 ** 24 + 3, Buffer.from('x'));
  db.close();
  const service = new TestService(data, { directory: data, env: { HAYRAKE_DISK_FREE_MB: '0' } });
  afterTest(() => service.close());
  await service.start();
  for (const seq of [2, 3]) {
    expect((await service.api(`/crawler/jobs/${jobId.replace(/0$/, String(seq))}/data`)).status).toBe(410);
  }
  expect((await service.run(['check'])).code).toBe(0);
});
