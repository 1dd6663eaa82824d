// A data directory that moves to PostgreSQL: everything goes along, crawls go on, and what cannot be moved leaves nothing behind.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { start } from '../cli/program.ts';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { ledgerOf } from '../e2e/ledger.ts';
import { page, startScriptedSite } from '../e2e/scripted-site.ts';
import { bodyOf, verify, WebhookReceiver } from '../e2e/webhook-receiver.ts';
import type { TestDatabase } from '../postgres/database.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { type JobAnswer, startService, type TestService } from '../service/start-service.ts';

interface Row {
  readonly meta: { readonly page: number; readonly url: string };
}

interface Rows {
  readonly data: readonly Row[];
  readonly cursor?: string;
}

interface Delivery {
  readonly id: number;
  readonly event: string;
  readonly status: string;
}

const missing = await postgresMissing();
// Many processes, one after the other.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 20 };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function afterTest(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-migrate-'));
  afterTest(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  afterTest(() => database.remove());
  return database;
}

const env = { HAYRAKE_WEBHOOK_HTTP: 'true', HAYRAKE_DISK_FREE_MB: '0', HAYRAKE_HOST_CONCURRENCY: '4' };

async function serviceIn(directory: string): Promise<TestService> {
  const service = await startService({ directory, env });
  afterTest(() => service.close());
  return service;
}

async function serviceOn({ url }: TestDatabase): Promise<TestService> {
  const service = await startService({ directory: newDirectory(), env: { ...env, HAYRAKE_DATABASE_URL: url } });
  afterTest(() => service.close());
  return service;
}

async function query<Result>({ url }: TestDatabase, sql: string): Promise<Result[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Result & object>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** How many rows of what a crawl makes are there, over all tables. */
async function rowsIn(database: TestDatabase): Promise<number> {
  const tables = ['token', 'webhook_key', 'job', 'host', 'host_slot', 'ledger', 'frontier', 'page', 'body', 'worker'];
  const [row] = await query<{ rows: number }>(
    database,
    `SELECT (${tables.map((name) => `(SELECT count(*) FROM ${name})`).join(' + ')})::int AS rows`,
  );
  return row?.rows ?? Number.NaN;
}

function change(directory: string, sql: string): void {
  const database = new DatabaseSync(path.join(directory, 'hayrake.db'));
  database.exec(sql);
  database.close();
}

/** How many requests were in flight, and pages there, when the process died. */
function stateOf(directory: string, id: string): { readonly taken: number; readonly scraped: number } {
  const database = new DatabaseSync(path.join(directory, 'hayrake.db'), { readOnly: true });
  const sql =
    'SELECT (SELECT count(*) FROM frontier WHERE fence IS NOT NULL) AS taken, (SELECT scraped FROM job WHERE id = ?) AS scraped';
  const { taken, scraped } = database.prepare(sql).get(id) ?? {};
  database.close();
  return { taken: Number(taken), scraped: Number(scraped) };
}

function migrate(from: string, { url }: Pick<TestDatabase, 'url'>): ReturnType<typeof start> {
  return start(['migrate', '--from', from], { env: { HAYRAKE_DATABASE_URL: url } });
}

const contentOf = (directory: string): string[] =>
  ['hayrake.db', 'hayrake.db-wal'].map((name) => {
    const file = path.join(directory, name);
    return createHash('sha256')
      .update(existsSync(file) ? readFileSync(file) : '')
      .digest('hex');
  });

const rowsOf = (service: TestService, id: string, query: Readonly<Record<string, string>> = {}): Promise<Rows> =>
  service.ok(`/crawler/jobs/${id}/data?${new URLSearchParams({ wait: '0', ...query }).toString()}`);

const deliveriesOf = async (service: TestService, id: string): Promise<readonly Delivery[]> =>
  (await service.ok<{ data: readonly Delivery[] }>(`/crawler/jobs/${id}/deliveries`)).data;

describe.skipIf(missing !== undefined)('hayrake migrate (needs PostgreSQL)', () => {
  test('takes everything along, and what ran when the process was killed goes on to its end', async () => {
    const directory = newDirectory();
    const database = await newDatabase();
    const large = await startGeneratedSite({ pages: 300, delayMs: 15 });
    afterTest(() => large.close());
    const down = new Set(['/b']);
    const plant = encodeURI('/\u{1F33E}');
    const small = await startScriptedSite((asked) =>
      down.has(asked)
        ? undefined
        : { '/': page('/', ['/a', '/b', plant]), '/a': page('/a'), '/b': page('/b'), [plant]: page('\u{1F33E}') }[
            asked
          ],
    );
    afterTest(() => small.close());
    const receiver = await WebhookReceiver.start();
    afterTest(() => receiver.close());

    const before = await serviceIn(directory);
    const other = await before.createToken({ org: 'other' });
    const revoked = await before.createToken({ org: 'other' });
    expect((await before.run(['token', 'revoke', revoked.id])).code).toBe(0);
    const key = await before.ok<{ key: string }>('/webhooks/key');
    const withKey = { urls: [`${small.origin}/`], page_limit: 1 };
    const headers = { 'idempotency-key': 'once' };
    const once = await before.createJob(withKey, { headers });
    await before.untilEnded(once.id);
    const first = await before.crawl({ urls: [`${small.origin}/`], webhook_url: receiver.url, store_raw: true });
    const retried = await before.ok<JobAnswer>(`/crawler/jobs/${first.id}/retry`, { method: 'POST' });
    await before.untilEnded(retried.id);
    const ofOther = await before.createJob({ urls: [`${small.origin}/a`] }, { token: other.token });
    const cancelled = await before.createJob({ urls: [`${large.origin}/page/9`], page_limit: 250 });
    await large.morePages(5);
    await before.ok(`/crawler/jobs/${cancelled.id}/cancel`, { method: 'POST' });
    const expired = await before.crawl({ urls: [`${small.origin}/a`] });
    await before.api(`/crawler/jobs/${expired.id}`, { method: 'DELETE' });
    await expect
      .poll(async () => (await deliveriesOf(before, first.id)).every(({ status }) => status !== 'pending'), patience)
      .toBe(true);
    const running = await before.createJob({
      urls: [`${large.origin}/`],
      webhook_url: receiver.url,
      headers: { 'x-key': 'kept' },
    });
    await large.morePages(100);

    const ended = [once, first, retried, cancelled];
    const answers = (service: TestService): Promise<unknown> =>
      Promise.all(
        ended.map(async ({ id }) => ({
          job: await service.job(id),
          rows: (await rowsOf(service, id, { limit: '400' })).data,
          urls: await ledgerOf(service, id),
          raw: id === first.id && (await service.raw(`/crawler/jobs/${id}/pages/1/raw`)).body.toString(),
          deliveries: await deliveriesOf(service, id),
        })),
      );
    const told = await answers(before);
    const cursors = {
      ended: (await rowsOf(before, first.id, { limit: '2' })).cursor!,
      running: (await rowsOf(before, running.id, { limit: '10' })).cursor!,
    };
    const known = await rowsOf(before, running.id, { limit: '400' });
    expect(known.data.length).toBeGreaterThan(20);
    await before.kill();
    const { taken, scraped } = stateOf(directory, running.id);
    expect(taken).toBeGreaterThan(0);
    const content = contentOf(directory);

    const moved = await migrate(directory, database).finished;
    expect(moved.stderr).toMatch(
      /^Moved 7 jobs with \d+ pages to PostgreSQL, 127\.0\.0\.1:\d+\/hayrake_\w+ in [\d.]+ s/,
    );
    expect(moved.stderr).toContain('Next: set HAYRAKE_DATABASE_URL');
    expect(moved.code).toBe(0);
    const lines = moved.stdout.trim().split('\n').slice(1);
    for (const line of lines) expect(line).toMatch(/^(\w+) +([\d,]+) +\2 +([\da-f]{16}) +\3$/);
    expect(lines.find((line) => line.startsWith('job '))).toMatch(/^job +7 +7 /);
    expect(lines.find((line) => line.startsWith('job_headers '))).toMatch(/^job_headers +1 +1 /);
    // No more than before.
    expect(contentOf(directory)).toEqual(content);

    const after = await serviceOn(database);
    expect(await answers(after)).toEqual(told);
    // Cursors, the key of webhooks, keys of requests and tokens are good still.
    const whole = (await rowsOf(after, first.id, { limit: '400' })).data;
    expect((await rowsOf(after, first.id, { cursor: cursors.ended })).data).toEqual(whole.slice(2));
    expect(await after.ok('/webhooks/key')).toEqual(key);
    expect((await after.createJob(withKey, { headers })).id).toBe(once.id);
    expect((await after.api(`/crawler/jobs/${ofOther.id}`, { token: other.token })).status).toBe(200);
    expect((await after.api(`/crawler/jobs/${first.id}`, { token: other.token })).status).toBe(404);
    expect((await after.api(`/crawler/jobs/${ofOther.id}`, { token: revoked.token })).status).toBe(401);
    expect((await after.api(`/crawler/jobs/${expired.id}/data`)).status).toBe(410);
    await after.untilEnded(ofOther.id).catch(() => {});

    const job = await after.untilEnded(running.id);
    const pages = large.paths.length;
    expect(job).toMatchObject({ status: 'succeeded', webhook_url: receiver.url });
    expect(job.progress).toEqual({
      discovered: pages,
      queued: 0,
      inFlight: 0,
      scraped: pages,
      discarded: 0,
      failed: 0,
      outside: 0,
    });
    const rows = (await rowsOf(after, running.id, { limit: '400' })).data;
    expect(rows.map(({ meta }) => meta.page)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.map(({ meta }) => meta.url).toSorted()).toEqual(
      large.paths.map((asked) => large.origin + asked).toSorted(),
    );
    expect(rows.slice(0, known.data.length)).toEqual(known.data);
    expect((await rowsOf(after, running.id, { cursor: cursors.running, limit: '5' })).data).toEqual(rows.slice(10, 15));
    expect(scraped).toBeLessThan(pages);

    // What was told before is not told again; what was not, is.
    await expect
      .poll(async () => (await deliveriesOf(after, running.id)).every(({ status }) => status === 'delivered'), patience)
      .toBe(true);
    const finished = receiver.of('job.finished').find(({ body }) => bodyOf(body).data.id === running.id);
    expect(verify(key.key, finished!)).toMatchObject({ data: { status: 'succeeded' } });

    // New ones get numbers of their own.
    down.clear();
    const again = await after.ok<JobAnswer>(`/crawler/jobs/${first.id}/retry`, { method: 'POST' });
    expect((await after.untilEnded(again.id)).progress).toMatchObject({ scraped: 1 });
    expect((await after.crawl({ urls: [`${small.origin}/`] })).progress).toMatchObject({ scraped: 4, failed: 0 });
  });

  describe('of a directory in which nothing runs', () => {
    let directory: string;
    beforeAll(async () => {
      directory = mkdtempSync(path.join(tmpdir(), 'hayrake-migrate-'));
      const site = await startGeneratedSite({ pages: 60, delayMs: 5 });
      const service = await startService({ directory, env });
      await service.crawl({ urls: [`${site.origin}/`], page_limit: 20 });
      await service.createJob({ urls: [`${site.origin}/`] });
      await site.morePages(10);
      // What is in flight is finished, the rest is queued.
      await service.stop();
      await site.close();
      return () => rmSync(directory, { recursive: true, force: true });
    });

    /** A copy to change. */
    async function copied(): Promise<string> {
      const copy = newDirectory();
      const backup = path.join(newDirectory(), 'backup.db');
      expect((await start(['backup', backup, '--data', directory]).finished).code).toBe(0);
      expect((await start(['restore', backup, '--data', copy]).finished).code).toBe(0);
      return copy;
    }

    test('takes along what waits, what is suspected, what is leased, and what was numbered last', async () => {
      const [database, copy] = [await newDatabase(), await copied()];
      const now = Date.now();
      const day = 86_400_000;
      const pending = 'SELECT id FROM frontier WHERE fence IS NULL ORDER BY id LIMIT 1 OFFSET';
      change(
        copy,
        `UPDATE frontier SET deaths = 3, not_before = -1 WHERE id = (${pending} 0);
         UPDATE frontier SET not_before = ${now + 60_000} WHERE id = (${pending} 1);
         UPDATE frontier SET not_before = ${now + day} WHERE id = (${pending} 2);
         UPDATE frontier SET fence = 7, deaths = 1, alone = 1 WHERE id = (${pending} 3);
         UPDATE job SET queued = queued - 1, in_flight = 1 WHERE finished_at IS NULL;
         UPDATE host SET leased = 1, fence = 7, delay_ms = 1500, next_at = ${now + day}, ready_at = NULL;
         INSERT INTO host (name, next_at) VALUES ('b.example', ${now + 30_000});
         UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'ledger';`,
      );
      const { code, stderr } = await migrate(copy, database).finished;
      expect([code, stderr]).toEqual([0, expect.stringContaining('Moved 2 jobs')]);
      const rows = await query<{ deaths: number; alone: number; taken: boolean; wait: string }>(
        database,
        `SELECT f.deaths, f.alone, f.fence = s.fence AND s.owner = w.id AND w.dead AS taken, not_before - ${now} AS wait
         FROM frontier f JOIN host_slot s ON s.host = f.host CROSS JOIN worker w ORDER BY f.id LIMIT 4`,
      );
      expect(rows.map(({ deaths, alone, taken }) => ({ deaths, alone, taken }))).toEqual([
        { deaths: 3, alone: 0, taken: null },
        { deaths: 0, alone: 0, taken: null },
        { deaths: 0, alone: 0, taken: null },
        { deaths: 1, alone: 1, taken: true },
      ]);
      const [suspect, soon, late, taken] = rows.map(({ wait }) => Number(wait));
      expect([suspect, taken]).toEqual([-1 - now, -now]);
      // On one machine the clocks are one; no pause is longer than an hour.
      expect(Math.abs(soon! - 60_000)).toBeLessThan(5_000);
      expect(late).toBeGreaterThanOrEqual(3_600_000);
      expect(late).toBeLessThan(day / 2);
      const hosts = await query<{ delay_ms: string; wait: string }>(
        database,
        `SELECT delay_ms, next_at - ${now} AS wait FROM host_slot s JOIN host h ON h.id = s.host ORDER BY h.id`,
      );
      expect(hosts.map(({ delay_ms }) => delay_ms)).toEqual(['1500', '0']);
      expect(Number(hosts[0]?.wait)).toBeLessThan(day / 2);
      expect(Math.abs(Number(hosts[1]?.wait) - 30_000)).toBeLessThan(5_000);
      expect(await query(database, "SELECT nextval('entry') AS next")).toEqual([{ next: '5001' }]);
    });

    test('takes along the places of raw bodies and screenshots in objects', async () => {
      const [database, copy] = [await newDatabase(), await copied()];
      const idOf = (job: number, page: number): number => job * 2 ** 24 + page;
      const segments = [idOf(1, 1), idOf(1, 5), idOf(2, 1), -idOf(1, 2), -idOf(1, 3), -idOf(2, 1)];
      change(
        copy,
        `INSERT INTO raw_object (name, bytes, state, at) VALUES ('segments/a', 60, 'live', 1);
         INSERT INTO raw_object_job (object, job) VALUES ('segments/a', 1), ('segments/a', 2);
         INSERT INTO raw_segment (id, length, object, object_at, size)
           VALUES ${segments.map((id, at) => `(${id}, 10, 'segments/a', ${10 * at}, 10)`).join(', ')};
         INSERT INTO screenshot (id, type, bytes, crc) VALUES (${idOf(1, 2)}, 'image/png', x'', 7);`,
      );
      expect((await migrate(copy, database).finished).code).toBe(0);
      const moved = await query<{ id: string }>(database, 'SELECT id FROM raw_segment ORDER BY object_at');
      expect(moved.map(({ id }) => Number(id))).toEqual(segments);
      expect(await query(database, 'SELECT count(*)::int AS rows FROM raw_object_job')).toEqual([{ rows: 2 }]);
      const pictures = await query(database, 'SELECT id, octet_length(bytes) AS size FROM screenshot');
      expect(pictures).toEqual([{ id: String(idOf(1, 2)), size: 0 }]);
    });

    test('hayrake migrate: leaves nothing when a column has no place in the new database', async () => {
      const [database, copy] = [await newDatabase(), await copied()];
      change(copy, 'ALTER TABLE ledger ADD COLUMN own TEXT');
      const { code, stderr } = await migrate(copy, database).finished;
      expect([code, stderr]).toEqual([1, expect.stringContaining('columns are not moved: ledger.own')]);
      expect(await query(database, 'SELECT id FROM job')).toEqual([]);
    });

    test('is refused where the database is not empty, or another hayrake uses it, and it stays as it was', async () => {
      const database = await newDatabase();
      const service = await serviceOn(database);
      const inUse = await migrate(directory, database).finished;
      expect([inUse.code, inUse.stderr]).toEqual([
        1,
        expect.stringContaining('Another hayrake process already uses the database'),
      ]);
      const own = await service.createJob({ urls: ['http://127.0.0.1:9/'] });
      await service.stop();
      const { code, stderr } = await migrate(directory, database).finished;
      expect([code, stderr]).toEqual([1, 'hayrake: The database already has jobs. Use an empty one.\n']);
      expect(await query(database, 'SELECT id FROM job')).toEqual([{ id: own.id }]);
    });

    test('is refused while the directory is in use, where it has no database, and where its database is damaged or old', async () => {
      const [database, copy] = [await newDatabase(), await copied()];
      const service = await serviceIn(copy);
      const inUse = await migrate(copy, database).finished;
      expect([inUse.code, inUse.stderr]).toEqual([6, expect.stringContaining('in use by another crawling hayrake')]);
      await service.stop();
      const empty = newDirectory();
      const none = await migrate(empty, database).finished;
      expect([none.code, none.stderr]).toEqual([1, `hayrake: There is no database in ${empty}.\n`]);
      change(copy, 'DELETE FROM page WHERE id = (SELECT max(id) FROM page)');
      const gap = await migrate(copy, database).finished;
      expect([gap.code, gap.stderr]).toEqual([5, expect.stringContaining('its table page has gaps')]);
      change(copy, 'PRAGMA user_version = 0');
      const old = await migrate(copy, database).finished;
      expect([old.code, old.stderr]).toEqual([1, expect.stringContaining('older version of hayrake')]);
      change(copy, 'PRAGMA user_version = 99');
      expect((await migrate(copy, database).finished).code).toBe(4);
      expect(await query(database, "SELECT FROM pg_tables WHERE tablename = 'job'")).toEqual([]);
    });

    test('is refused without a database to go to, and never repeats a password', async () => {
      const none = await start(['migrate', '--from', directory]).finished;
      expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('set HAYRAKE_DATABASE_URL')]);
      const wrong = await start(['migrate', '--from', directory, '--to', 'mysql://me:geheim@db/x']).finished;
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--to cannot be used: write the URL')]);
      expect(wrong.stderr).not.toContain('geheim');
      const nobody = await migrate(directory, { url: 'postgres://me:geheim@127.0.0.1:1/x' }).finished;
      expect([nobody.code, nobody.stderr]).toEqual([7, expect.stringContaining('it cannot be reached (ECONNREFUSED)')]);
      expect(nobody.stderr).not.toContain('geheim');
      const help = await start(['migrate', '--help']).finished;
      expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain('Other users of this machine can see a password');
    });

    test.each([
      { ends: 'its connection ends', code: 7, says: /^hayrake: The database cannot be used now: .+\n$/ },
      { ends: 'it is killed', code: null, says: /^$/ },
    ])('leaves nothing where $ends halfway, and is whole when it is started again', async ({ code: ended, says }) => {
      const database = await newDatabase();
      expect((await start(['jobs'], { env: { HAYRAKE_DATABASE_URL: database.url } }).finished).code).toBe(0);
      const holder = new Client({ connectionString: database.url });
      await holder.connect();
      afterTest(() => holder.end());
      // It comes to a stand behind the pages, which it has sent by then.
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE page_key IN SHARE MODE');
      const moving = migrate(directory, database);
      const session = "FROM pg_stat_activity WHERE application_name LIKE '% migrate'";
      const standing = `SELECT pid ${session} AND query LIKE 'INSERT INTO page_key%' AND wait_event_type = 'Lock'`;
      await expect.poll(() => query(database, standing), patience).toHaveLength(1);
      if (ended === null) moving.child.kill('SIGKILL');
      else await query(database, standing.replace('SELECT pid', 'SELECT pg_terminate_backend(pid)'));
      const { code, stderr } = await moving.finished;
      expect([code, stderr]).toEqual([ended, expect.stringMatching(says)]);
      await holder.query('ROLLBACK');
      await expect.poll(() => query(database, `SELECT ${session}`), patience).toEqual([]);
      expect(await rowsIn(database)).toBe(0);
      expect((await migrate(directory, database).finished).code).toBe(0);
      // Nothing was in flight.
      expect(await query(database, 'SELECT FROM worker')).toEqual([]);
    });

    test('says so where its connection ends at the very end, when nobody knows whether it is there', async () => {
      const database = await newDatabase();
      expect((await start(['jobs'], { env: { HAYRAKE_DATABASE_URL: database.url } }).finished).code).toBe(0);
      const holder = new Client({ connectionString: database.url });
      await holder.connect();
      afterTest(() => holder.end());
      // The commit waits for a lock.
      await query(
        database,
        `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
           CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()`,
      );
      await holder.query('SELECT pg_advisory_lock(1)');
      const moving = migrate(directory, database);
      const from = "FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event_type = 'Lock'";
      await expect.poll(() => query(database, `SELECT ${from}`), patience).toHaveLength(1);
      await query(database, `SELECT pg_terminate_backend(pid) ${from}`);
      const { code, stdout, stderr } = await moving.finished;
      expect([code, stdout, stderr]).toEqual([7, '', expect.stringContaining('either complete or empty')]);
      expect(await rowsIn(database)).toBe(0);
    });

    test('is an error, and leaves nothing, where the database keeps something else than it was given', async () => {
      const database = await newDatabase();
      expect((await start(['jobs'], { env: { HAYRAKE_DATABASE_URL: database.url } }).finished).code).toBe(0);
      const spoil = (name: string, body: string): Promise<unknown> =>
        query(
          database,
          `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NEW; END $$;
           CREATE TRIGGER spoil BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION spoil()`,
        );
      const cases = [
        [
          'body',
          "IF NEW.id % 16777216 = 7 THEN NEW.deflated = set_byte(NEW.deflated, 5, 0) || '\\x00'; END IF;",
          /body: 3\d rows \(\w{16}\) were sent, 3\d \(/,
        ],
        [
          'ledger',
          "IF NEW.id = 3 THEN NEW.key = NEW.key || '/'; END IF;",
          /ledger: (\d+) rows \(\w{16}\) were sent, \1 \(/,
        ],
        [
          'page_key',
          "IF NEW.entry = (SELECT min(id) FROM ledger WHERE state = 'scraped') THEN RETURN NULL; END IF;",
          /page_key: \d+ rows/,
        ],
      ] as const;
      for (const [name, body, message] of cases) {
        await spoil(name, body);
        const { code, stdout, stderr } = await migrate(directory, database).finished;
        expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
        expect(stderr.split('\n')).toHaveLength(3);
        expect(await rowsIn(database)).toBe(0);
        await query(database, 'DROP FUNCTION spoil CASCADE');
      }
      expect((await migrate(directory, database).finished).code).toBe(0);
    });
  });
});
