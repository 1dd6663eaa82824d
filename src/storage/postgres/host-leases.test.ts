import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../test/postgres/test-database.ts';
import { createJob, hostA, hostB, lease, link, links } from '../../../test/storage/test-data.ts';
import type { Hold, HostLease } from '../../core/frontier.ts';
import type { Store } from '../../core/stores.ts';
import { Connections } from './connections.ts';
import { openPostgresStore } from './postgres-store.ts';

const missing = await postgresMissing();
const never = new AbortController().signal;

describe.skipIf(missing !== undefined)('hosts that several processes share on PostgreSQL (needs PostgreSQL)', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  /** To see and to change what the stores have written. */
  let tables: Connections;
  const stores: Store[] = [];
  const open = async (hostSlots = 1): Promise<Store> => {
    const store = await openPostgresStore({ url: database.url, connections: 4, hostSlots });
    stores.push(store);
    await store.frontier.recover({ delayMs: 0 });
    return store;
  };
  const release = async (store: Store, ...leases: readonly HostLease[]): Promise<void> => {
    for (const held of leases) await store.frontier.release(held, { notBefore: 0, delayMs: 0 });
  };
  /** Leases the host, takes twice as much as shows that there is more, and gives it back. */
  const heat = async (store: Store): Promise<void> => {
    const held = await lease(store);
    expect(await store.frontier.take(held, 20)).toHaveLength(20);
    expect(await store.frontier.take(held, 20)).toHaveLength(20);
    await release(store, held);
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

  it('gives a host to one of them at a time', async () => {
    const [one, other] = [await open(4), await open(4)];
    await createJob(one, { startLinks: links(10, '/', { depth: 0 }) });
    const held = await lease(one);
    expect(held.share).toBe(1);
    expect(await other.frontier.leaseHost()).toBeUndefined();
    await release(one, held);
    expect((await lease(other)).host).toBe(hostA);
  });

  it('parts a host that has much to do, and makes it whole again when it has little', async () => {
    const [one, other] = [await open(4), await open(4)];
    await createJob(one, { startLinks: links(100, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const shared = [await lease(one), await lease(other), await lease(one), await lease(other)];
    expect(shared.map(({ share }) => share)).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(new Set(shared.map(({ fence }) => fence)).size).toBe(4);
    expect(await one.frontier.leaseHost()).toBeUndefined();
    // Each takes other requests.
    const taken = [...(await one.frontier.take(shared[0]!, 30)), ...(await other.frontier.take(shared[1]!, 30))].map(
      ({ id }) => id,
    );
    expect(new Set(taken).size).toBe(60);
    // Cold: the next lease is of the whole host, once all parts were given back.
    await release(one, shared[0]!, shared[2]!);
    await release(other, shared[1]!);
    expect(await one.frontier.leaseHost()).toBeUndefined();
    await release(other, shared[3]!);
    expect((await lease(other)).share).toBe(1);
  });

  it('does not part a host that asks for a delay', async () => {
    const one = await open(4);
    await createJob(one, { startLinks: links(100, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    const held = await lease(one);
    await one.frontier.take(held, 20);
    await one.frontier.take(held, 20);
    await one.frontier.release(held, { notBefore: 0, delayMs: 1 });
    expect((await lease(one)).share).toBe(1);
    expect(await one.frontier.leaseHost()).toBeUndefined();
  });

  it('pauses a host for all that have a part of it', async () => {
    const [one, other] = [await open(2), await open(2)];
    await createJob(one, { startLinks: links(200, '/', { depth: 0 }), spec: { pageLimit: 1_000 } });
    await heat(one);
    const [first, second] = [await lease(one), await lease(other)];
    await one.frontier.release(first, { notBefore: Date.now() + 3_600_000, delayMs: 0 });
    expect(await other.frontier.take(second, 30)).toEqual([]);
    await release(other, second);
    expect(await other.frontier.leaseHost()).toBeUndefined();
  });

  it('tells the next holder what the last one noted, and how long ago', async () => {
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

  it('holds a host for a fetch from elsewhere, which nobody leases meanwhile', async () => {
    const [one, other] = [await open(), await open()];
    const hold = await one.frontier.hold?.(hostB, never);
    expect(hold).toBeDefined();
    await createJob(one, { startLinks: [link('/', { depth: 0, host: hostB })] });
    expect(await other.frontier.leaseHost()).toBeUndefined();
    expect(await one.frontier.leaseHost()).toBeUndefined();
    await hold?.release(0);
    expect((await lease(other)).host).toBe(hostB);
  });

  it('waits for a host that another process has, and says so', async () => {
    const [one, other] = [await open(), await open()];
    await createJob(one, { startLinks: links(10, '/', { depth: 0 }) });
    const held = await lease(one);
    const holding = other.frontier.hold?.(hostA, never);
    for (let wanted = 0; wanted === 0;) {
      wanted = (await tables.query('SELECT FROM host_slot WHERE wanted_until > 0')).length;
    }
    await release(one, held);
    const hold = await holding;
    expect(hold).toBeDefined();
    expect(await one.frontier.leaseHost()).toBeUndefined();
    await hold?.release(0);
    expect((await lease(one)).host).toBe(hostA);
  });

  it('does not lease a host that somebody waits for', async () => {
    const one = await open();
    await createJob(one, { startLinks: links(10, '/', { depth: 0 }) });
    await tables.query('UPDATE host_slot SET wanted_until = $1', [Date.now() + 3_600_000]);
    expect(await one.frontier.leaseHost()).toBeUndefined();
    await tables.query('UPDATE host_slot SET wanted_until = 0');
    expect((await one.frontier.leaseHost())?.host).toBe(hostA);
  });

  it('holds a host for as long as the last of several fetches needs it', async () => {
    const [one, other] = [await open(), await open()];
    const hold = async (): Promise<Hold | undefined> => one.frontier.hold?.(hostB, never);
    const holds = await Promise.all([hold(), hold(), hold()]);
    await createJob(one, { startLinks: [link('/', { depth: 0, host: hostB })] });
    for (const held of holds.toReversed()) {
      expect(await other.frontier.leaseHost()).toBeUndefined();
      await held?.release(0);
    }
    expect((await lease(other)).host).toBe(hostB);
  });

  it('does not take a host for its own that it has given back, though the answer got lost', async () => {
    const [one, other] = [await open(), await open()];
    await createJob(one, { startLinks: links(2, '/', { depth: 0 }) });
    const late = await lease(one);
    await tables.query('UPDATE host_slot SET owner = NULL, ready_at = 0');
    await one.frontier.release(late);
    const held = await lease(other);
    const waiting = new AbortController();
    const holding = (async () => one.frontier.hold?.(hostA, waiting.signal))();
    waiting.abort();
    await expect(holding).rejects.toThrow('abort');
    await release(other, held);
  });

  it('does not give a host back while a redirect from another leads there', async () => {
    const one = await open();
    await createJob(one, { startLinks: links(2, '/', { depth: 0 }) });
    const held = await lease(one);
    const hold = await one.frontier.hold?.(hostA, never);
    let isFree = false;
    const releasing = one.frontier.release(held).then(() => (isFree = true));
    expect(await one.frontier.leaseHost()).toBeUndefined();
    expect(isFree).toBe(false);
    await hold?.release(0);
    await releasing;
    expect((await lease(one)).host).toBe(hostA);
  });
});
