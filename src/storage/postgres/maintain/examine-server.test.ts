import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pgbouncerMissing, startPgBouncer } from '../../../../test/postgres/pgbouncer.ts';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { examineServer } from './examine-server.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

async function newDatabase(): Promise<string> {
  const { url, remove } = await createTestDatabase();
  onTestFinished(remove);
  return url;
}

describe.skipIf(missing !== undefined)('examineServer (needs PostgreSQL)', () => {
  it('examineServer: creates no tables, and reports the schema of existing ones', async () => {
    const url = await newDatabase();
    for (let time = 0; time < 2; time++) {
      const { diagnoses, nowMs = 0 } = await examineServer(url, undefined);
      expect(diagnoses).toEqual([
        {
          name: 'database',
          state: 'ok',
          message: expect.stringMatching(/^PostgreSQL \d+.*; tables are created at the first start$/) as string,
        },
        { name: 'pooler', state: 'ok', message: 'none in transaction mode' },
      ]);
      expect(Math.abs(nowMs - Date.now())).toBeLessThan(60_000);
    }
    await (await openPostgresStore({ url, connections: 2 })).close();
    const { diagnoses } = await examineServer(url, undefined);
    expect(diagnoses[0]).toMatchObject({ state: 'ok', message: expect.stringMatching(/, schema \d+$/) as string });
  });

  it('examineServer: reports fail when the tables are of a newer version', async () => {
    const url = await newDatabase();
    await (await openPostgresStore({ url, connections: 2 })).close();
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE schema_version SET version = 9999');
    await client.end();
    const { diagnoses } = await examineServer(url, undefined);
    expect(diagnoses[0]).toMatchObject({ state: 'fail', message: expect.stringContaining('schema 9999') as string });
  });

  it.skipIf(pgbouncerMissing() !== undefined)(
    'examineServer: reports fail for a transaction pooler without a direct URL',
    async () => {
      const url = await newDatabase();
      const pooler = await startPgBouncer(url, 'transaction');
      onTestFinished(() => pooler.remove());
      expect((await examineServer(pooler.url, undefined)).diagnoses[1]).toMatchObject({
        name: 'pooler',
        state: 'fail',
      });
      expect((await examineServer(pooler.url, url)).diagnoses[1]).toMatchObject({ name: 'pooler', state: 'ok' });
      expect((await examineServer(pooler.url, pooler.url)).diagnoses[1]).toMatchObject({
        name: 'pooler',
        state: 'fail',
      });
    },
  );
});
