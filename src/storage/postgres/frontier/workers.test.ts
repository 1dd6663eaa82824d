// What a process can still do to others after it was taken for dead, or while it only seemed dead.
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../../../test/postgres/database.ts';
import { startPostgres } from '../../../../test/postgres/server.ts';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import {
  createJob,
  getJob,
  hostA,
  leaseAndTake,
  leaseHost,
  link,
  links,
  settlement,
  tryLease,
  unreachable,
} from '../../../../test/storage/test-data.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();
const dead = 'UPDATE worker SET dead = true';

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, connections: 4 });
  onTestFinished(() => store.close());
  return store;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(missing !== undefined)('worker processes (needs PostgreSQL)', () => {
  it('take: takes nothing when the process was taken for dead', async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const store = await open(url);
    await store.frontier.recover({ delayMs: 0 });
    const { id } = await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
    const { held } = await leaseAndTake(store, 1);
    const other = await connect(url);
    await other.query(dead);
    expect(await store.frontier.take(held, 2)).toEqual([]);
    expect((await getJob(store, id)).progress).toMatchObject({ queued: 2, inFlight: 1 });
  });

  it('leaseHost: leases nothing when the process was taken for dead', async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const [store, other] = [await open(url), await connect(url)];
    await store.frontier.recover({ delayMs: 0 });
    await createJob(store);
    await other.query(dead);
    expect(await leaseHost(store.frontier)).toBeUndefined();
    expect((await other.query('SELECT FROM host_slot WHERE owner IS NOT NULL')).rowCount).toBe(0);
    // After a new start it leases again.
    await store.frontier.recover({ delayMs: 0 });
    expect(await leaseHost(store.frontier)).toBeDefined();
  });

  it.each([
    ['settle', 'settle'],
    ['release', 'release'],
  ] as const)('%s: keeps the counters right when the process is taken for dead meanwhile', async (_, last) => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const [store, successor] = [await open(url), await open(url)];
    const [holder, other] = [await connect(url), await connect(url)];
    const untilWaiting = async (wanted: number): Promise<void> => {
      const sql = 'SELECT count(DISTINCT pid)::int AS waiting FROM pg_locks WHERE NOT granted';
      for (let waiting = 0; waiting < wanted;) {
        waiting = (await other.query<{ waiting: number }>(sql)).rows[0]?.waiting ?? 0;
      }
    };
    await store.frontier.recover({ delayMs: 0 });
    const { id } = await createJob(store, { startLinks: [link('/', { depth: 0 })] });
    const { held, requests } = await leaseAndTake(store);
    await holder.query('BEGIN');
    await holder.query('SELECT FROM job FOR UPDATE');
    const retry = { kind: 'retry', afterMs: 0, error: unreachable } as const;
    const late =
      last === 'settle'
        ? store.frontier.settle(
            held,
            requests.map((request) => settlement(request, retry)),
          )
        : store.frontier.release(held);
    await untilWaiting(1);
    await other.query(dead);
    const recovered = successor.frontier.recover({ delayMs: 0 });
    await untilWaiting(2);
    await holder.query('COMMIT');
    await Promise.all([late, recovered]);
    expect((await getJob(successor, id)).progress).toMatchObject({ queued: 1, inFlight: 0 });
  });

  it.each([
    ['its own delay', 3_600_000, 0],
    ['the delay of the service', 0, 3_600_000],
  ])('recover: keeps the host of a dead process waiting for %s', async (_, ownDelayMs, delayMs) => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const [store, colleague, successor] = [await open(url), await open(url), await open(url)];
    const other = await connect(url);
    await store.frontier.recover({ delayMs });
    await colleague.frontier.recover({ delayMs });
    await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
    await store.frontier.noteDelay(hostA, ownDelayMs);
    await leaseAndTake(store, 1);
    await other.query('UPDATE worker SET dead = true WHERE id = (SELECT owner FROM host_slot WHERE owner IS NOT NULL)');
    await successor.frontier.recover({ delayMs });
    const { rows } = await other.query<{ owner: number | null; at: number }>(
      `SELECT owner, (ready_at - extract(epoch FROM now()) * 1000)::int AS at FROM host_slot`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.owner).toBeNull();
    expect(rows[0]?.at).toBeGreaterThan(3_500_000);
    expect(await leaseHost(successor.frontier)).toBeUndefined();
    expect(await leaseHost(colleague.frontier)).toBeUndefined();
  });

  it("recover: hands back the requests of the process's earlier life, also when its connection breaks at first", async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const [store, holder, other] = [await open(url), await connect(url), await connect(url)];
    const waiting = async (): Promise<number[]> => {
      const sql = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await other.query<{ pid: number }>(sql)).rows.map(({ pid }) => pid);
    };
    await store.frontier.recover({ delayMs: 0 });
    await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
    const { requests } = await leaseAndTake(store);
    expect(requests).toHaveLength(3);
    await holder.query('BEGIN');
    await holder.query('SELECT FROM job FOR UPDATE');
    const recovered = store.frontier.recover({ delayMs: 0 });
    let pids: number[] = [];
    while (pids.length === 0) pids = await waiting();
    // Breaks the connection on which it gives back its requests, and then frees the job.
    await other.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
    const sql = 'SELECT FROM pg_stat_activity WHERE pid = ANY($1::int[])';
    for (let left = 1; left > 0;) left = (await other.query(sql, [pids])).rowCount ?? 0;
    await holder.query('COMMIT');
    await recovered;
    const { rows } = await other.query('SELECT fence, deaths FROM frontier');
    expect(rows).toEqual(requests.map(() => ({ fence: null, deaths: 0 })));
    expect((await leaseAndTake(store)).requests).toHaveLength(3);
  });

  it('recover: does not take a live process for dead after a restart of the database', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const { url } = await createDatabase(server.url());
    const store = await open(url);
    await store.frontier.recover({ delayMs: 0 });
    await createJob(store, { startLinks: links(3, '/', { depth: 0 }) });
    const held = await tryLease(store);
    if (!held) throw new Error('no host was leased');
    await server.restart('fast');
    const successor = await open(url);
    await successor.frontier.recover({ delayMs: 0 });
    expect(await store.frontier.take(held, 10)).toHaveLength(3);
    // Once the first is back, both have a name of their own again.
    const client = await connect(url);
    const sql = 'SELECT count(DISTINCT name)::int AS names FROM worker';
    for (let names = 0; names < 2;) names = (await client.query<{ names: number }>(sql)).rows[0]?.names ?? 0;
  });
});
