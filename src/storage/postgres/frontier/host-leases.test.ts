import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, hostA, hostB, lease, leaseHost, link, links } from '../../../../test/storage/test-data.ts';
import type { HostLease } from '../../../core/ports/frontier.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { Connections } from '../connection/connections.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('hosts shared by several processes (needs PostgreSQL)', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  /** Reads and changes what the stores have written. */
  let tables: Connections;
  const stores: Store[] = [];
  const open = async (hasBrowser = false): Promise<Store> => {
    const store = await openPostgresStore({ url: database.url, connections: 4 });
    stores.push(store);
    await store.frontier.recover({ delayMs: 0, hasBrowser });
    return store;
  };
  const release = async (store: Store, ...leases: readonly HostLease[]): Promise<void> => {
    for (const held of leases) await store.frontier.release(held, { notBefore: 0, delayMs: 0 });
  };
  beforeEach(async () => {
    database = await createTestDatabase({ keepsSchema: true });
    tables = new Connections({ url: database.url, max: 1, applicationName: 'test' });
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await tables.close();
    await database.remove();
  });

  it('leaseHost: leases a host to one process at a time', async () => {
    const [one, other] = [await open(), await open()];
    await createJob(one, { startLinks: links(10, '/', { depth: 0 }) });
    const held = await lease(one);
    expect(await leaseHost(other.frontier)).toBeUndefined();
    await release(one, held);
    expect((await lease(other)).host).toBe(hostA);
  });

  it('leaseHost: leases one host at a time when the statistics of its tables are out of date', async () => {
    const before = await open();
    for (let number = 0; number < 30; number++) {
      await createJob(before, { startLinks: [0, 1, 2].map((at) => link('/', { host: `${number}-${at}.test:443` })) });
      for (const table of ['frontier', 'ledger', 'host_slot', 'host', 'job'])
        await tables.query(`DELETE FROM ${table}`);
    }
    // Few rows on many pages: the planner finds it cheap to look for a due host once for each slot.
    await tables.query('ANALYZE');
    const store = await open();
    await createJob(store, {
      startLinks: [0, 1, 2, 3, 4].map((at) => link('/', { depth: 0, host: `${at}.test:443` })),
    });
    for (let leased = 1; leased <= 5; leased++) {
      await lease(store);
      const owned = await tables.query('SELECT FROM host_slot WHERE owner IS NOT NULL');
      expect(owned).toHaveLength(leased);
    }
  });

  it('leaseHost: leases hosts of jobs for a browser to the process with one, all others to both', async () => {
    const [plain, rich] = [await open(), await open(true)];
    expect([plain.frontier.mayKeepHosts(), rich.frontier.mayKeepHosts()]).toEqual([true, true]);
    await createJob(plain, { startLinks: links(3, '/', { depth: 0 }), spec: { useBrowser: true } });
    await createJob(plain, { startLinks: links(3, '/', { depth: 0, host: hostB }) });
    expect((await lease(plain)).host).toBe(hostB);
    expect(await leaseHost(plain.frontier)).toBeUndefined();
    // Both jobs could be on one host: the other process must get it.
    expect([plain.frontier.mayKeepHosts(), rich.frontier.mayKeepHosts()]).toEqual([false, true]);
    const held = await lease(rich);
    expect([held.host, (await rich.frontier.take(held, 10)).length]).toEqual([hostA, 3]);
    // A host that both kinds of jobs wait for is left to the process without a browser only while it has work for it.
    await createJob(plain, { startLinks: links(2, '/more', { depth: 0 }) });
    await release(rich, held);
    const mixed = await lease(plain);
    expect([mixed.host, (await plain.frontier.take(mixed, 10)).length]).toEqual([hostA, 2]);
    await release(plain, mixed);
    expect((await lease(plain)).host).toBe(hostA);
  });

  it('leaseHost: returns the memory of the last lease with its age', async () => {
    const [one, other] = [await open(), await open()];
    await createJob(one, { startLinks: links(2, '/', { depth: 0 }) });
    const held = await lease(one);
    expect(held.memory).toBeUndefined();
    await one.frontier.release(held, { memory: '{"known":true}' });
    const { memory } = await lease(other);
    expect(memory?.text).toBe('{"known":true}');
    expect(memory?.ageMs).toBeGreaterThanOrEqual(0);
    expect(memory?.ageMs).toBeLessThan(60_000);
  });
});

describe.skipIf(missing !== undefined)('hosts for a browser (needs PostgreSQL)', () => {
  it('leaseHost: reads about as many rows for 5,000 hosts for a browser as for 20 when it has none', async () => {
    // Plans depend on what the tables held before.
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    const tables = new Connections({ url, max: 1, applicationName: 'test' });
    onTestFinished(() => tables.close());
    const open = async (): Promise<Store> => {
      const store = await openPostgresStore({ url, connections: 4 });
      await store.frontier.recover({ delayMs: 0 });
      return store;
    };
    // While it lives, another process takes over nothing from an earlier one.
    const living = await open();
    onTestFinished(() => living.close());
    const sessions = async (): Promise<ReadonlySet<number>> => {
      const rows = await tables.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
      );
      return new Set(rows.map(({ pid }) => pid));
    };
    /** A process that ends: its sessions report what they have read when they end. */
    const withStore = async (work: (store: Store) => Promise<void>): Promise<void> => {
      const before = await sessions();
      const store = await open();
      await work(store);
      await store.close();
      const left = async (): Promise<number[]> => [...(await sessions())].filter((pid) => !before.has(pid));
      await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    };
    const queue = (hosts: number): Promise<void> =>
      withStore(async (store) => {
        const startLinks = Array.from({ length: hosts }, (_, at) => link('/', { depth: 0, host: `${at}.test:443` }));
        await createJob(store, { startLinks, spec: { useBrowser: true, pageLimit: 10_000 } });
      });
    const rowsRead = async (): Promise<number> => {
      const [row] = await tables.query<{ rows: number }>(
        "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables WHERE relname IN ('host', 'host_slot', 'frontier', 'job')",
      );
      return row?.rows ?? 0;
    };
    const rowsOfLeases = async (leases: number): Promise<number> => {
      const before = await rowsRead();
      await withStore(async (store) => {
        for (let round = 0; round < leases; round++) expect(await leaseHost(store.frontier)).toBeUndefined();
      });
      return (await rowsRead()) - before;
    };
    await queue(20);
    // The first leases put all hosts into their lines.
    await rowsOfLeases(60);
    const few = await rowsOfLeases(20);
    await queue(5_000);
    await rowsOfLeases(60);
    // Locked and skipped one by one, they would be 5,000 a lease.
    expect(await rowsOfLeases(20)).toBeLessThan(few + 1_000);
  }, 60_000);
});
