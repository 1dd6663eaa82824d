import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, leaseAndTake, link, org, settlement } from '../../../../test/storage/test-data.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('a process of the version before (needs PostgreSQL)', () => {
  it('goes on when a newer one has added columns', async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const connections = 2;
    const store = await openPostgresStore({ url, connections });
    onTestFinished(() => store.close());
    await store.frontier.recover({ delayMs: 0 });
    const { id } = await createJob(store, {
      startLinks: [link('/', { depth: 0 }), link('/2', { depth: 0 }), link('/3', { depth: 0 })],
    });
    const first = await leaseAndTake(store, 1);
    await store.frontier.settle(
      first.held,
      first.requests.map((request) => settlement(request)),
    );
    await store.jobs.get(org, id);

    const newer = new Client({ connectionString: url });
    await newer.connect();
    for (const table of ['job', 'ledger', 'page']) await newer.query(`ALTER TABLE ${table} ADD COLUMN later int`);
    await newer.end();

    const requests = await store.frontier.take(first.held, 10);
    expect(requests).toHaveLength(2);
    await store.frontier.settle(
      first.held,
      requests.map((request) => settlement(request)),
    );
    // Each connection can reject one request of a client, which then repeats it.
    let refused = 0;
    const read = async (): Promise<unknown> =>
      store.jobs.get(org, id).catch((error: unknown) => {
        if (refused++ >= connections) throw error;
        return read();
      });
    expect(await read()).toMatchObject({ status: 'succeeded', progress: { scraped: 3 } });
  });
});
