import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { Connections } from './connections.ts';
import { migrations } from '../../shared/schema.ts';
import { migrate, migrationLock } from './schema.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('migrations on PostgreSQL (needs PostgreSQL)', () => {
  const database = async (): Promise<() => Connections> => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    return () => {
      const connections = new Connections({ url, max: 1, applicationName: 'test' });
      onTestFinished(() => connections.close());
      return connections;
    };
  };
  /** A later version of the program, with more migrations. */
  const withLater = async <Result>(sql: readonly string[], run: () => Promise<Result>): Promise<Result> => {
    migrations.push(...sql);
    try {
      return await run();
    } finally {
      migrations.splice(-sql.length);
    }
  };
  const versionIn = async (connections: Connections): Promise<unknown> =>
    connections.query('SELECT version FROM schema_version');

  test('wait for each other: processes that start together migrate once', async () => {
    const connect = await database();
    const [holder, ...starting] = [connect(), connect(), connect(), connect()];
    const done: unknown[] = [];
    const started = await holder.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
      const all = Promise.all(starting.map(async (one) => done.push(await migrate(one))));
      await expect
        .poll(() =>
          tx.query(
            "SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted",
          ),
        )
        .toHaveLength(starting.length);
      expect(done).toEqual([]);
      return { all };
    });
    await started.all;
    expect(done).toEqual(starting.map(() => done[0]));
    expect(await versionIn(holder)).toEqual([{ version: migrations.length }]);
  });

  test('happen as a whole or not at all, and keep the secret and what is stored', async () => {
    const connections = (await database())();
    const secret = await migrate(connections);
    await connections.query("INSERT INTO host (name) VALUES ('a.test:443')");
    const added = "ALTER TABLE host ADD COLUMN later text NOT NULL DEFAULT 'new'";
    await withLater([added, 'ALTER TABLE no_such_table ADD COLUMN later int'], async () => {
      await expect(migrate(connections)).rejects.toThrow('no_such_table');
    });
    expect(await versionIn(connections)).toEqual([{ version: migrations.length }]);
    await expect(connections.query('SELECT later FROM host')).rejects.toThrow('does not exist');

    await withLater([added], async () => {
      expect(await migrate(connections)).toEqual(secret);
      // Not again.
      expect(await migrate(connections)).toEqual(secret);
      expect(await versionIn(connections)).toEqual([{ version: migrations.length }]);
    });
    expect(await connections.query('SELECT name, later FROM host')).toEqual([{ name: 'a.test:443', later: 'new' }]);
    await expect(migrate(connections)).rejects.toMatchObject({ exitCode: 4 });
  });
});
