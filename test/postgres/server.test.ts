// The PostgreSQL that the tests bring: it starts, survives what tests do to it, and leaves nothing behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import path from 'node:path';
import { existsSync } from 'node:fs';
import { Client, type QueryResultRow } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createDatabase } from './database.ts';
import { type PostgresServer, startPostgres } from './server.ts';
import { createTestDatabase, postgresMissing } from './test-database.ts';

const missing = await postgresMissing();

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const server = await startPostgres({ settings });
  cleanups.push(() => server.remove());
  return server;
}

/** In a session of its own. */
async function query(url: string, statement: string): Promise<readonly QueryResultRow[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<QueryResultRow>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(missing !== undefined)('a server of the test (needs PostgreSQL)', () => {
  test('takes queries, with the settings of the tests and those that were given', async () => {
    const server = await start({ fsync: 'on', work_mem: '1MB' });
    const settings = await query(
      server.url(),
      `SELECT current_setting('fsync') AS fsync, current_setting('work_mem') AS memory,
        current_setting('max_connections') AS connections, current_setting('server_encoding') AS encoding`,
    );
    expect(settings).toEqual([{ fsync: 'on', memory: '1MB', connections: '200', encoding: 'UTF8' }]);
  });

  test.each(['fast', 'immediate'] as const)('keeps what was committed over a restart: %s', async (mode) => {
    const server = await start();
    const { url } = await createDatabase(server.url());
    await query(url, 'CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) AS n');
    const open = new Client({ connectionString: url });
    open.on('error', () => {});
    await open.connect();
    await open.query('BEGIN');
    await open.query('DELETE FROM t');
    await server.restart(mode);
    expect(await query(url, 'SELECT count(*)::integer AS count FROM t')).toEqual([{ count: 1000 }]);
  });

  test('is gone while it is stopped, and is back on the same port', async () => {
    const server = await start();
    await server.stop('immediate');
    await expect(query(server.url(), 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await query(server.url(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('says why it does not start', async () => {
    await expect(startPostgres({ settings: { fsync: 'perhaps' } })).rejects.toThrow('"fsync" requires a Boolean value');
  });

  test('ends with the process that started it, and its folder too', async () => {
    const module = JSON.stringify(path.join(import.meta.dirname, 'server.ts'));
    const program = `
      const { startPostgres } = await import(${module});
      console.log((await startPostgres()).url());
      setInterval(() => {}, 1_000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanups.push(async () => void parent.kill('SIGKILL'));
    const [url] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const [row] = await query(url, `SELECT current_setting('data_directory') AS folder`);
    const folder = path.dirname(String(row?.['folder']));
    expect(existsSync(folder)).toBe(true);

    parent.kill('SIGKILL');
    const deadline = Date.now() + 20_000;
    while (existsSync(folder) && Date.now() < deadline) await pause(20);
    expect(existsSync(folder)).toBe(false);
    await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });
});

describe.skipIf(missing !== undefined)('a database on the server of the run (needs PostgreSQL)', () => {
  test('is empty, and no other test sees it', async () => {
    const databases = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
    cleanups.push(...databases.map((database) => () => database.remove()));
    for (const { url } of databases) {
      expect(await query(url, `SELECT * FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
      await query(url, 'CREATE TABLE t ()');
    }
  });

  test('is emptied with the sessions that use it, and twice does no harm', async () => {
    const database = await createTestDatabase();
    await query(database.url, 'CREATE TABLE t ()');
    const client = new Client({ connectionString: database.url });
    const ended = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await database.remove();
    expect(await ended).toMatchObject({ code: '57P01' });
    await database.remove();
    const [next, other] = [await createTestDatabase(), await createTestDatabase()];
    cleanups.push(next.remove, other.remove);
    expect(next.url).toBe(database.url);
    expect(other.url).not.toBe(database.url);
    expect(await query(next.url, `SELECT * FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });
});
