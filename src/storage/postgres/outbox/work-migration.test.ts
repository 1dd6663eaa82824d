import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { describesOldDeliveries, insertOldJob, oldDeliveries } from '../../../../test/storage/old-deliveries.ts';
import { Connections } from '../connection/connections.ts';
import { openPostgresStore } from '../postgres-store.ts';
import { migrate } from '../connection/schema.ts';

const missing = await postgresMissing();
/** The last version in which events for webhooks had a table of their own. */
const before = 10;

describe.skipIf(missing !== undefined)('events of the version before (needs PostgreSQL)', () => {
  const oldDatabase = async (): Promise<{ readonly url: string; readonly connections: Connections }> => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const connections = new Connections({ url, max: 2, applicationName: 'test' });
    onTestFinished(() => connections.close());
    await migrate(connections, before);
    await connections.query(insertOldJob.replace(' VALUES', ' OVERRIDING SYSTEM VALUE VALUES'));
    for (const { columns, values } of oldDeliveries('claimed_by')) {
      await connections.query(
        `INSERT INTO delivery (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
        values,
      );
    }
    await connections.query("SELECT setval('delivery_id', 9), setval(pg_get_serial_sequence('job', 'seq'), 1)");
    await connections.query('DELETE FROM delivery WHERE id = 9');
    return { url, connections };
  };

  test('are delivered, with the ids and the bytes that they had', async () => {
    const { url } = await oldDatabase();
    const store = await openPostgresStore({ url, connections: 4 });
    onTestFinished(() => store.close());
    await store.frontier.recover({ delayMs: 0 });
    await store.work.recover();
    expect(await describesOldDeliveries(store)).toBe(true);
  });

  test('are stored, claimed and settled by its processes while they still run, and delivered by new ones', async () => {
    const { url, connections } = await oldDatabase();
    const store = await openPostgresStore({ url, connections: 4 });
    onTestFinished(() => store.close());
    await connections.query(
      `INSERT INTO delivery (id, job, url, event, created_at, next_at)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])`,
      [
        [20, 21],
        [1, 1],
        ['https://old.test/', 'https://old.test/'],
        ['job.started', 'job.finished'],
        [5, 5],
        [6, 7],
      ],
    );
    const [taken] = await connections.query<{ id: number; facts: null; claimed_by: null }>(
      "SELECT * FROM delivery WHERE id = $1 AND status = 'pending' FOR UPDATE SKIP LOCKED",
      [20],
    );
    expect(taken).toMatchObject({ id: 20, event: 'job.started', facts: null, claimed_by: null });
    await connections.query(
      'UPDATE delivery SET attempts = attempts + 1, facts = $2, next_at = $3, claimed_by = $4 WHERE id = $1',
      [20, '{}', Date.now() + 60_000, 5],
    );
    await connections.query(
      'UPDATE delivery SET status = $2, next_at = $3, settled_at = $4, status_code = $5, error = $6, claimed_by = NULL WHERE id = $1',
      [20, 'delivered', null, Date.now(), 204, null],
    );
    const list = await store.outbox.list('OLD', { after: 19, limit: 10 });
    expect(list).toMatchObject([
      { id: 20, event: 'job.started', status: 'delivered', statusCode: 204, attempts: 1 },
      { id: 21, event: 'job.finished', status: 'pending' },
    ]);
    const due = await store.outbox.claim({ max: 16, originMax: 16, busyUrls: [] });
    expect(due).toMatchObject([{ id: 21, url: 'https://old.test/', event: 'job.finished' }, { id: 3 }]);
    await store.outbox.settle(21, { kind: 'delivered', statusCode: 200 });
    const [seen] = await connections.query('SELECT status, status_code FROM delivery WHERE id = 21');
    expect(seen).toEqual({ status: 'delivered', status_code: 200 });
    await connections.query(
      'DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE settled_at <= $1 LIMIT $2)',
      [Date.now(), 500],
    );
    expect(await store.outbox.list('OLD', { after: 19, limit: 10 })).toEqual([]);
  });
});
