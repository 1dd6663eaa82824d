// Jobs of one org that several processes create at the same time.
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, hostA, hostB, link, newJob } from '../../../../test/storage/test-data.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('jobs.create of several processes (needs PostgreSQL)', () => {
  async function start(): Promise<{ readonly stores: readonly Store[]; readonly client: Client }> {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const stores = [];
    for (let index = 0; index < 2; index++) {
      const store = await openPostgresStore({ url, connections: 8 });
      onTestFinished(() => store.close());
      stores.push(store);
    }
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    return { stores, client };
  }

  it('jobs.create: does not wait for a slow creation by another process', async () => {
    const { stores, client } = await start();
    const [one, other] = stores as [Store, Store];
    await createJob(one, { startLinks: [link('/', { host: hostA })] });
    await client.query('BEGIN');
    await client.query('SELECT FROM host_slot FOR NO KEY UPDATE');
    const slow = createJob(one, { startLinks: [link('/', { host: hostA })], unfinishedMax: 1_000 });
    for (let isWaiting = false; !isWaiting;) {
      isWaiting = (await client.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 1;
    }
    await createJob(other, { startLinks: [link('/', { host: hostB })], unfinishedMax: 1_000 });
    await client.query('COMMIT');
    await slow;
    expect(await one.jobs.countUnfinished('acme')).toBe(3);
  });

  it('jobs.create: never exceeds unfinishedMax when two processes create jobs at once', async () => {
    const { stores, client } = await start();
    const { rows } = await client.query<{ connections: number }>(
      "SELECT current_setting('max_connections')::int AS connections",
    );
    const unfinishedMax = (rows[0]?.connections ?? 0) + 10;
    // A few at a time, because a request that waits too long for a connection is rejected.
    const made: unknown[] = [];
    let left = unfinishedMax + 20;
    const create = async (store: Store): Promise<void> => {
      while (left-- > 0) made.push(await store.jobs.create(newJob({ unfinishedMax })));
    };
    await Promise.all([...stores, ...stores, ...stores].map(create));
    expect(made.filter((job) => job === 'too_many')).toHaveLength(20);
    expect(await stores[0]!.jobs.countUnfinished('acme')).toBe(unfinishedMax);
  }, 60_000);
});
