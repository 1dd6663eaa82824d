import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, getJob, leaseAndTake, link, settlement } from '../../../../test/storage/test-data.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();
/** Concurrent transactions of a process. */
const commits = 3;

describe.skipIf(missing !== undefined)('settle for many jobs (needs PostgreSQL)', () => {
  it('settle: commits a free job at once when other transactions hold the locks of other jobs', async () => {
    const { url, remove } = await createTestDatabase({ keepsSchema: true });
    onTestFinished(remove);
    const errors: string[] = [];
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => errors.push(message) };
    const store = await openPostgresStore({ url, connections: 10, log });
    onTestFinished(() => store.close());
    const others = [new Client({ connectionString: url }), new Client({ connectionString: url })] as const;
    for (const other of others) {
      await other.connect();
      onTestFinished(() => other.end());
    }
    await store.frontier.recover({ delayMs: 0 });
    const jobs = new Map<string, string>();
    for (let number = 0; number < commits + 2; number++) {
      const host = `${number}.test:443`;
      const { id } = await createJob(store, { startLinks: [link('/', { depth: 0, host })] });
      jobs.set(host, id);
    }
    const settle = new Map<string, () => Promise<void>>();
    for (const _ of jobs) {
      const { held, requests } = await leaseAndTake(store);
      settle.set(held.host, () =>
        store.frontier.settle(
          held,
          requests.map((request) => settlement(request)),
        ),
      );
    }
    const settled = (number: number): Promise<void> =>
      settle.get(`${number}.test:443`)?.() ?? Promise.reject(new Error(`host ${number} was not leased`));
    const hold = async (other: Client, numbers: readonly number[]): Promise<void> => {
      await other.query('BEGIN');
      const ids = numbers.map((number) => jobs.get(`${number}.test:443`));
      await other.query('SELECT FROM job WHERE id = ANY($1) FOR NO KEY UPDATE', [ids]);
    };
    await hold(others[0], [0]);
    await hold(others[1], [1, 2, 4]);

    // One transaction each: those that arrive together share one.
    const waiting: Promise<void>[] = [];
    for (const number of Array(commits).keys()) {
      waiting.push(settled(number));
      for (let blocked = 0; blocked <= number;) {
        const { rows } = await others[0].query<{ blocked: number }>(
          'SELECT count(DISTINCT pid)::int AS blocked FROM pg_locks WHERE NOT granted',
        );
        blocked = rows[0]?.blocked ?? 0;
      }
    }
    // These two share the next transaction, which begins when one of the three ends.
    const free = settled(3);
    waiting.push(settled(4));
    await others[0].query('COMMIT');
    await free;
    // No transaction timed out either.
    expect(errors).toEqual([]);

    await others[1].query('COMMIT');
    await Promise.all(waiting);
    for (const id of jobs.values()) {
      expect(await getJob(store, id)).toMatchObject({ status: 'succeeded', progress: { scraped: 1, inFlight: 0 } });
    }
  });
});
