import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import {
  createJob,
  hostA,
  hostB,
  lease,
  leaseHost,
  link,
  links,
  settlement,
} from '../../../../test/storage/test-data.ts';
import type { HostLease } from '../../../core/ports/frontier.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { Connections } from '../connection/connections.ts';
import { openPostgresStore } from '../postgres-store.ts';

const inAnHour = (): number => monotonicNow() + 3_600_000;
/** Measured some seconds later. */
const anHour: unknown = expect.closeTo(3_600_000, -5);

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('hosts shared by several processes (needs PostgreSQL)', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  /** Reads and changes what the stores have written. */
  let tables: Connections;
  const stores: Store[] = [];
  const open = async (hostSlots = 1, hasBrowser = false): Promise<Store> => {
    const store = await openPostgresStore({ url: database.url, connections: 4, hostSlots });
    stores.push(store);
    await store.frontier.recover({ delayMs: 0, hasBrowser });
    return store;
  };
  const release = async (store: Store, ...leases: readonly HostLease[]): Promise<void> => {
    for (const held of leases) await store.frontier.release(held, { notBefore: 0, delayMs: 0 });
  };
  /** Leases the host, makes two full takes, and releases it: now it is hot. */
  const heat = async (store: Store): Promise<void> => {
    const held = await lease(store);
    expect(await store.frontier.take(held, 20)).toHaveLength(20);
    expect(await store.frontier.take(held, 20)).toHaveLength(20);
    await release(store, held);
  };

  /** Each leases one of the two parts of a hot host. Ordered by their slots. */
  const leaseParts = async (...holders: readonly Store[]): Promise<{ store: Store; part: HostLease }[]> => {
    const parts: { store: Store; part: HostLease }[] = [];
    for (const store of holders) parts.push({ store, part: await lease(store) });
    expect(parts.map(({ part }) => part.share)).toEqual([0.5, 0.5]);
    const slots = await tables.query<{ fence: number }>('SELECT fence FROM host_slot ORDER BY slot');
    return slots.flatMap(({ fence }) => parts.find(({ part }) => part.fence === fence) ?? []);
  };
  /** How long each slot waits. */
  const waits = async (): Promise<number[]> => {
    const rows = await tables.query<{ wait: number }>(
      'SELECT least(next_at, ready_at) - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS wait FROM host_slot ORDER BY slot',
    );
    return rows.map(({ wait }) => wait);
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
    const [one, other] = [await open(4), await open(4)];
    await createJob(one, { startLinks: links(10, '/', { depth: 0 }) });
    const held = await lease(one);
    expect(held.share).toBe(1);
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

  it('host parts: split a host with much to do, and make it whole again when it has little', async () => {
    const [one, other] = [await open(4), await open(4)];
    await createJob(one, { startLinks: links(100, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const shared = [await lease(one), await lease(other), await lease(one), await lease(other)];
    expect(shared.map(({ share }) => share)).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(new Set(shared.map(({ fence }) => fence)).size).toBe(4);
    expect(await leaseHost(one.frontier)).toBeUndefined();
    // Each takes different requests.
    const taken = [...(await one.frontier.take(shared[0]!, 30)), ...(await other.frontier.take(shared[1]!, 30))].map(
      ({ id }) => id,
    );
    expect(new Set(taken).size).toBe(60);
    // The host is cold once its first slot is released. It is leased as a whole after all slots are released.
    const [first] = await tables.query<{ fence: number }>('SELECT fence FROM host_slot WHERE slot = 0');
    const last = shared[3]?.fence === Number(first?.fence) ? 1 : 3;
    for (const [index, part] of shared.entries()) {
      if (index !== last) await release(index % 2 === 0 ? one : other, part);
    }
    expect(await leaseHost(one.frontier)).toBeUndefined();
    await release(other, shared[last]!);
    expect((await lease(other)).share).toBe(1);
  });

  it('leaseHost: leases hosts of jobs for a browser to the process with one, all others to both', async () => {
    const [plain, rich] = [await open(), await open(1, true)];
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

  it('host parts: split a hot host of a job for a browser among processes with one', async () => {
    const [plain, rich] = [await open(4), await open(4, true)];
    const spec = { useBrowser: true, pageLimit: 1_000 } as const;
    await createJob(plain, { startLinks: links(100, '/', { depth: 0 }), spec });
    await heat(rich);
    expect(await leaseHost(plain.frontier)).toBeUndefined();
    expect([(await lease(rich)).share, (await lease(rich)).share]).toEqual([0.25, 0.25]);
    expect(await leaseHost(plain.frontier)).toBeUndefined();
  });

  it('host parts: do not split a host with a delay', async () => {
    const one = await open(4);
    await createJob(one, { startLinks: links(100, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    const held = await lease(one);
    await one.frontier.take(held, 20);
    await one.frontier.take(held, 20);
    await one.frontier.release(held, { notBefore: 0, delayMs: 1 });
    expect((await lease(one)).share).toBe(1);
    expect(await leaseHost(one.frontier)).toBeUndefined();
  });

  it.each([0, 1])('release: pauses all parts of a host when part %i is released with a pause', async (pausing) => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(200, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const parts = await leaseParts(one, other);
    const [first, second] = [parts[pausing]!, parts[1 - pausing]!];
    await first.store.frontier.release(first.part, { notBefore: inAnHour(), delayMs: 0 });
    expect(await second.store.frontier.take(second.part, 30)).toEqual([]);
    await release(second.store, second.part);
    for (const store of [one, other]) expect(await leaseHost(store.frontier)).toBeUndefined();
    expect(await waits()).toEqual([anHour, anHour]);
  });

  it.each([0, 1])('sharePause: reports a pause of part %i to the holders of all parts', async (pausing) => {
    const [one, other] = [await open(3), await open(3)];
    await createJob(one, { startLinks: links(200, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const parts = [
      { store: one, part: await lease(one) },
      { store: other, part: await lease(other) },
    ];
    const [first, second] = [parts[pausing]!, parts[1 - pausing]!];
    expect(await second.store.frontier.sharePause(second.part, 0)).toBe(0);
    expect(await first.store.frontier.sharePause(first.part, 3_600_000)).toEqual(anHour);
    expect(await second.store.frontier.sharePause(second.part, 0)).toEqual(anHour);
    // A shorter pause ends no longer one, and under a lease that is over nothing is shared.
    expect(await second.store.frontier.sharePause(second.part, 1_000)).toEqual(anHour);
    await release(second.store, second.part);
    expect(await second.store.frontier.sharePause(second.part, 7_200_000)).toBe(0);
    await release(first.store, first.part);
    for (const store of [one, other]) expect(await leaseHost(store.frontier)).toBeUndefined();
    expect(await waits()).toEqual([anHour, anHour, anHour]);
  });

  it('release: pauses a host that became whole before its last part asks for the pause', async () => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(200, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = await leaseParts(one, other);
    // It was cold: from now on the host is leased as a whole.
    await release(first!.store, first!.part);
    await second!.store.frontier.release(second!.part, { notBefore: inAnHour(), delayMs: 0 });
    for (const store of [one, other]) expect(await leaseHost(store.frontier)).toBeUndefined();
  });

  it('settle: pauses all parts of a host when a suspect of a crash asks for the pause', async () => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(200, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = await leaseParts(one, other);
    // It stays hot, so the host keeps its parts.
    for (let takes = 0; takes < 2; takes++) expect(await first!.store.frontier.take(first!.part, 20)).toHaveLength(20);
    await release(first!.store, first!.part);
    await tables.query(
      'UPDATE frontier SET not_before = -1, deaths = 2 WHERE id = (SELECT min(id) FROM frontier WHERE fence IS NULL)',
    );
    const suspect = await one.frontier.takeSuspect(2);
    if (typeof suspect === 'string') throw new Error(suspect);
    const pause = { notBefore: inAnHour(), delayMs: 0 };
    await one.frontier.settle(suspect.lease, [settlement(suspect.request)], pause);
    expect(await second!.store.frontier.take(second!.part, 30)).toEqual([]);
    await release(second!.store, second!.part);
    expect(await leaseHost(other.frontier)).toBeUndefined();
  });

  it('takeSuspect: tries no suspect of a crash while a part of a whole host is held', async () => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(50, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = await leaseParts(one, other);
    expect(await second!.store.frontier.take(second!.part, 20)).toHaveLength(20);
    // Its next holder keeps a delay that the holder of the other part does not know.
    await first!.store.frontier.release(first!.part, { notBefore: 0, delayMs: 1 });
    await tables.query(
      'UPDATE frontier SET not_before = -1, deaths = 2 WHERE id = (SELECT min(id) FROM frontier WHERE fence IS NULL)',
    );
    expect(await one.frontier.takeSuspect(2)).toBe('later');
    await release(second!.store, second!.part);
    expect(await one.frontier.takeSuspect(2)).toMatchObject({ lease: { share: 1 } });
  });

  it.each([
    ['has little to do', { notBefore: 0, delayMs: 0 }],
    ['has a delay', { notBefore: 0, delayMs: 1 }],
  ])('release: loses nothing that a part hands back when the host becomes whole because it %s', async (_, whole) => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(50, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = await leaseParts(one, other);
    expect(await second!.store.frontier.take(second!.part, 50)).toHaveLength(50);
    await first!.store.frontier.release(first!.part, whole);
    expect(await leaseHost(one.frontier)).toBeUndefined();
    await second!.store.frontier.release(second!.part, whole);
    const held = await lease(one);
    expect(held.share).toBe(1);
    expect(await one.frontier.take(held, 60)).toHaveLength(50);
    // The part that is left over waits in no line.
    expect(await other.frontier.leaseUrgentHosts(1)).toBe('none');
  });

  it('release: loses nothing that a part took when the host becomes whole because of a delay', async () => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(90, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = await leaseParts(one, other);
    // Hot, so the host keeps its parts.
    for (let takes = 0; takes < 2; takes++) {
      const requests = await first!.store.frontier.take(first!.part, 20);
      expect(requests).toHaveLength(20);
      await first!.store.frontier.settle(
        first!.part,
        requests.map((request) => settlement(request)),
      );
    }
    expect(await second!.store.frontier.take(second!.part, 50)).toHaveLength(50);
    await release(first!.store, first!.part);
    await second!.store.frontier.release(second!.part, { notBefore: 0, delayMs: 1 });
    const held = await lease(one);
    expect([held.share, (await one.frontier.take(held, 60)).length]).toEqual([1, 50]);
  });

  it('recover: loses nothing that a dead worker took under a part of a whole host', async () => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(50, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = await leaseParts(one, other);
    expect(await second!.store.frontier.take(second!.part, 50)).toHaveLength(50);
    await release(first!.store, first!.part);
    await tables.query(
      'UPDATE worker SET dead = true, lease_until = 0 WHERE id = (SELECT owner FROM host_slot WHERE owner IS NOT NULL)',
    );
    // A process that starts takes over from dead ones.
    const next = await open(2);
    const held = await lease(next);
    expect([held.share, (await next.frontier.take(held, 60)).length]).toEqual([1, 50]);
    // The part that is left over waits in no line.
    expect(await first!.store.frontier.leaseUrgentHosts(1)).toBe('none');
  });

  it('release: splits a paused host into parts with the same pause', async () => {
    const store = await open(2);
    await createJob(store, { startLinks: links(200, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(store);
    // The row of a part stays behind when the host becomes whole again.
    for (const { part } of await leaseParts(store, store)) await release(store, part);
    const held = await lease(store);
    expect(held.share).toBe(1);
    expect(await store.frontier.take(held, 20)).toHaveLength(20);
    expect(await store.frontier.take(held, 20)).toHaveLength(20);
    await store.frontier.release(held, { notBefore: inAnHour(), delayMs: 0 });
    expect(await leaseHost(store.frontier)).toBeUndefined();
    expect(await waits()).toEqual([anHour, anHour]);
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
      const store = await openPostgresStore({ url, connections: 4, hostSlots: 1 });
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
