// PgBouncer between the program and PostgreSQL, in both of its modes.
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { ExitError, exitCodes } from '../../src/core/errors.ts';
import { Connections } from '../../src/storage/postgres/connection/connections.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { startGeneratedSite } from '../e2e/generated-site.ts';
import { pgbouncerMissing, startPgBouncer } from '../postgres/pgbouncer.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';
import { startService } from '../service/start-service.ts';
import { postgresStore } from '../service/test-store.ts';
import { afterTest, expectWholeCrawl } from './crawl.ts';

const missing = (await postgresMissing()) ?? pgbouncerMissing();
const modes = ['session', 'transaction'] as const;
type Mode = (typeof modes)[number];
if (missing !== undefined) console.warn(`Tests of poolers are skipped: ${missing}`);

async function startPooler(mode: Mode) {
  const database = await createTestDatabase();
  afterTest(database.remove);
  const pooler = await startPgBouncer(database.url, mode);
  afterTest(() => pooler.remove());
  return { pooler, directUrl: database.url };
}

describe.skipIf(missing !== undefined).each(modes)('through PgBouncer with pool_mode=%s (needs pgbouncer)', (mode) => {
  const settings = {
    statement_timeout: '30s',
    lock_timeout: '15s',
    idle_in_transaction_session_timeout: '10s',
    enable_seqscan: 'off',
    max_parallel_workers_per_gather: '0',
    jit: 'off',
  };
  const showSql = `SELECT ${Object.keys(settings)
    .map((name) => `current_setting('${name}') AS ${name}`)
    .join(', ')}`;

  async function connect(): Promise<Connections & { readonly url: string }> {
    const { pooler } = await startPooler(mode);
    const connections = new Connections({ url: pooler.url, max: 8, applicationName: 'test' });
    afterTest(() => connections.close());
    expect(await connections.learnPooling()).toEqual({ hasSessions: mode === 'session' });
    return Object.assign(connections, { url: pooler.url });
  }

  test('every statement and every transaction has our settings, and nobody else has them', async () => {
    const connections = await connect();
    const shown = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? connections.query(showSql)
          : connections.transaction(async (tx) => tx.query(showSql), 'REPEATABLE READ READ ONLY'),
      ),
    );
    for (const rows of shown) expect(rows).toEqual([settings]);
    const other = new Client({ connectionString: connections.url });
    await other.connect();
    afterTest(() => other.end());
    for (let round = 0; round < 10; round++) {
      expect((await other.query<typeof settings>(showSql)).rows[0]?.statement_timeout).toBe('0');
    }
  });

  test('the server ends a statement, a wait for a lock, and a transaction that nobody works on', async () => {
    const connections = await connect();
    await connections.query('CREATE TABLE t ()');
    const holder = new Client({ connectionString: connections.url });
    await holder.connect();
    afterTest(() => holder.end());
    await holder.query('BEGIN; LOCK TABLE t');
    const codeOf = async (running: Promise<unknown>): Promise<unknown> =>
      running.then(
        () => 'it ended',
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
      );
    const idle = connections.transaction(async (tx) => {
      await tx.query('SELECT 1');
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      await tx.query('SELECT 1');
    });
    const codes = [connections.query('SELECT pg_sleep(60)'), connections.query('SELECT * FROM t'), idle].map(codeOf);
    const [statement, lock, ended] = await Promise.all(codes);
    expect([statement, lock]).toEqual(['57014', '55P03']);
    // PgBouncer says in words of its own that the server ended it.
    expect(ended).not.toBe('it ended');
  });

  test('a worker that is killed is taken over, PgBouncer may crash, and every page comes once', async () => {
    const { pooler, directUrl } = await startPooler(mode);
    const env = mode === 'transaction' ? { HAYRAKE_DATABASE_DIRECT_URL: directUrl } : {};
    const store = postgresStore('/nowhere', pooler.url);
    const site = await startGeneratedSite({ pages: 300, delayMs: 20 });
    afterTest(() => site.close());
    const start = async (role: 'api' | 'worker') => {
      const service = await startService({ store, role, env });
      afterTest(() => service.close());
      return service;
    };
    const [service, worker] = [await start('api'), await start('worker')];
    const { id } = await service.createJob({ urls: [`${site.origin}/`] });
    await site.morePages(30);
    await worker.kill();
    await start('worker');
    await site.morePages(30);
    await pooler.kill();
    await pooler.start();
    await expect.poll(async () => (await service.api('/readyz')).status, { timeout: 60_000 }).toBe(200);
    await expectWholeCrawl({ service, site, id }, { attempts: 2 });
  });
});

describe.skipIf(missing !== undefined)('a pooler that pools transactions (needs pgbouncer)', () => {
  async function refusalOf(options: { readonly url: string; readonly directUrl?: string }): Promise<ExitError> {
    const error: unknown = await openPostgresStore({ ...options, connections: 4 }).then(
      (store) => store.close(),
      (refusal: unknown) => refusal,
    );
    if (!(error instanceof ExitError)) throw new Error('it was not refused', { cause: error });
    return error;
  }

  test('is refused at the start, with the remedy, unless a direct way is given that is one', async () => {
    const { pooler, directUrl } = await startPooler('transaction');
    const without = await refusalOf({ url: pooler.url });
    expect(without.exitCode).toBe(exitCodes.usage);
    expect(without.message).toMatch(/pool_mode=transaction.*Set HAYRAKE_DATABASE_DIRECT_URL/);
    const pooled = await refusalOf({ url: pooler.url, directUrl: pooler.url });
    expect(pooled.message).toMatch(/^HAYRAKE_DATABASE_DIRECT_URL leads to a pooler/);
    const store = await openPostgresStore({ url: pooler.url, directUrl, connections: 4 });
    await store.ping();
    await store.close();
  });
});
