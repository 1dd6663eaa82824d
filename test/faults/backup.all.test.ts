// Backups of a service that is at work, and what becomes of them.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { TestService } from '../service/start-service.ts';
import { type Crawl, afterTest, expectWholeCrawl, startCrawl } from './crawl.ts';

interface Row {
  readonly meta: { readonly page: number };
}

interface Answer {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

// Many processes, one after the other.

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'hayrake-backup-'));
  afterTest(() => rmSync(directory, { recursive: true, force: true }));
});

/** A service on a directory of its own, not yet started. */
function serviceIn(name: string): TestService {
  const data = path.join(directory, name);
  const service = new TestService(data, { directory: data, env: { HAYRAKE_DISK_FREE_MB: '0' } });
  afterTest(() => service.close());
  return service;
}

async function rowsOf(service: TestService, id: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return service.ok<Answer>(`/crawler/jobs/${id}/data?${new URLSearchParams({ wait: '0', ...query }).toString()}`);
}

test('a backup in mid-crawl is the ledger of one moment; two that are restored from it both go on to the end', async () => {
  const crawl = await startCrawl(200, {});
  const { service, site, id } = crawl;
  const { cursor } = await rowsOf(service, id, { limit: '5' });
  const backup = path.join(directory, 'backup.db');
  const made = await service.run(['backup', backup]);
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect(made.stderr).toMatch(/Backed up 1 job with \d+ pages?/);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  // Nothing is left beside it.
  expect(readdirSync(directory)).toEqual(['backup.db']);
  await expectWholeCrawl(crawl);
  const original = await rowsOf(service, id, { limit: '400' });

  for (const name of ['first', 'second']) {
    const restored = serviceIn(name);
    const { code, stderr } = await restored.run(['restore', backup]);
    expect(stderr).toMatch(/Restored 1 job/);
    expect(code).toBe(0);
    // As it stood: told without crawling.
    const kept = new DatabaseSync(path.join(restored.directory, 'hayrake.db'));
    const { scraped } = kept.prepare('SELECT scraped FROM job').get() as { scraped: number };
    kept.close();
    expect(scraped).toBeGreaterThan(0);
    await restored.start();
    const rows = await rowsOf(restored, id, { limit: String(Math.min(400, scraped)) });
    expect(rows.data).toEqual(original.data.slice(0, scraped));
    expect((await rowsOf(restored, id, { cursor: cursor!, limit: '1' })).data).toEqual(original.data.slice(5, 6));
    await expectWholeCrawl({ service: restored, site, id } satisfies Crawl);
  }
});

describe('a backup', () => {
  test('replaces no file unless it is told to, and never the database', async () => {
    const { service } = await startCrawl(20, {});
    const file = path.join(directory, 'backup.db');
    writeFileSync(file, 'precious');
    const refused = await service.run(['backup', file]);
    expect(refused.stderr).toContain('already exists');
    expect(refused.code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect((await service.run(['backup', file, '--force'])).code).toBe(0);
    expect(statSync(file).size).toBeGreaterThan(10_000);
    const own = await service.run(['backup', path.join(service.directory, 'hayrake.db'), '--force']);
    expect(own.stderr).toContain('is the database itself');
    expect(own.code).toBe(1);
    for (const parent of [path.join(directory, 'nowhere'), file])
      expect(await service.run(['backup', path.join(parent, 'b.db')])).toEqual({
        code: 1,
        stdout: '',
        stderr: `hayrake: There is no directory ${parent}.\n`,
      });
  });

  test('is not made of a directory without a database, nor is one made there', async () => {
    const service = serviceIn('empty');
    const { code, stderr } = await service.run(['backup', path.join(directory, 'backup.db')]);
    expect(stderr).toContain('There is no database in');
    expect(code).toBe(1);
    expect(existsSync(service.directory)).toBe(false);
  });

  test('is not made of a database that is damaged', async () => {
    const { service } = await startCrawl(60, {});
    await service.stop();
    await service.changeDatabase('DELETE FROM body WHERE id = (SELECT max(id) FROM body)');
    const { code, stderr } = await service.run(['backup', path.join(directory, 'backup.db')]);
    expect(stderr).toMatch(/damaged \(job \w+: its table body has gaps\)/);
    expect(code).toBe(5);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('what cannot be restored leaves no database behind:', () => {
  let backup: string;
  beforeEach(async () => {
    const { service } = await startCrawl(30, {});
    backup = path.join(directory, 'backup.db');
    const { code, stderr } = await service.run(['backup', backup]);
    if (code !== 0) throw new Error(stderr);
  });

  const sql = (statements: string) => (file: string) => {
    const database = new DatabaseSync(file);
    database.exec(statements);
    database.close();
  };
  const attack = `SELECT writefile('/tmp/x', 'x')`;

  test('a file that is damaged, crafted, newer, or no backup', async () => {
    const cases: readonly (readonly [string, (file: string) => void, number, RegExp])[] = [
      ['text', (file) => writeFileSync(file, 'Dear diary, '.repeat(1_000)), 5, /is damaged, or not a backup/],
      ['nothing', (file) => writeFileSync(file, ''), 1, /not a backup made by hayrake: it has no tables/],
      ['cut', (file) => truncateSync(file, 40_960), 5, /is damaged/],
      [
        'trigger',
        sql(`CREATE TRIGGER evil AFTER INSERT ON job BEGIN DELETE FROM token; END`),
        1,
        /its trigger "evil" is not part of the schema/,
      ],
      ['view', sql(`CREATE VIEW evil AS ${attack}`), 1, /its view "evil" is not part of the schema/],
      ['table', sql('CREATE TABLE evil (x)'), 1, /its table "evil" is not part of the schema/],
      ['index', sql('CREATE INDEX evil ON job (abs(seq))'), 1, /its index "evil" is not part of the schema/],
      [
        'column',
        sql("ALTER TABLE token ADD COLUMN evil TEXT DEFAULT ('x')"),
        1,
        /its table "token" is not part of the schema/,
      ],
      ['missing', sql('DROP INDEX job_by_org'), 1, /its index "job_by_org" is missing/],
      ['newer', sql('PRAGMA user_version = 99'), 4, /newer version of hayrake \(schema 99/],
      ['gap', sql('DELETE FROM page WHERE id = (SELECT min(id) FROM page)'), 5, /its table page has gaps/],
      [
        'sum',
        sql("UPDATE ledger SET state = 'failed' WHERE id = (SELECT min(id) FROM ledger WHERE state = 'scraped')"),
        5,
        /does not add up/,
      ],
    ];
    for (const [name, change, code, message] of cases) {
      const file = path.join(directory, `${name}.db`);
      copyFileSync(backup, file);
      change(file);
      const service = serviceIn(`data-${name}`);
      const refused = await service.run(['restore', file]);
      expect(refused.stderr).toMatch(message);
      expect(refused.code, name).toBe(code);
      expect(readdirSync(service.directory).filter((entry) => entry.includes('.db'))).toEqual([]);
    }
  });

  test('a directory, a missing file, a database with its log beside it', async () => {
    const service = serviceIn('data');
    expect((await service.run(['restore', directory])).code).toBe(1);
    expect((await service.run(['restore', path.join(directory, 'nothing.db')])).code).toBe(1);
    writeFileSync(`${backup}-wal`, 'x');
    const { code, stderr } = await service.run(['restore', backup]);
    expect(stderr).toContain('not a backup');
    expect(code).toBe(1);
  });

  test('a directory that has a database keeps it', async () => {
    const service = serviceIn('data');
    await service.start();
    const own = await service.createJob({ urls: ['http://127.0.0.1:9/'] });
    expect((await service.run(['restore', backup])).code).toBe(6);
    await service.stop();
    const { code, stderr } = await service.run(['restore', backup]);
    expect(stderr).toContain('already has a database');
    expect(code).toBe(1);
    await service.start();
    expect((await service.job(own.id)).id).toBe(own.id);
  });
});
