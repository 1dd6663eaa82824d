// Parts of hot hosts in sequences that nobody would think of: three processes lease, take, settle, pause, hand back, want a
// delay, and lose their lives, at random, on the real statements. PROVE_SEED repeats a run.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../prove/simulation/random.ts';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { createJob, getJob, leaseHost, links, settlement } from '../../../../test/storage/test-data.ts';
import type { HostLease } from '../../../core/ports/frontier.ts';
import type { Store } from '../../../core/ports/stores.ts';
import type { Request } from '../../../core/request.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { Connections } from '../connection/connections.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();
const seed = Number(process.env['PROVE_SEED'] ?? randomInt(2 ** 31));

const sequences = 4;
const steps = 50;
const processes = 3;
/** Few, so that often all of them are taken. */
const urls = 110;
/** Longer than the test takes: a pause ends only where the test lets time pass. */
const pauseMs = 3_600_000;

interface Held {
  readonly process: number;
  readonly lease: HostLease;
  readonly taken: Map<number, Request>;
}

/** What must be true of one host, kept in the simplest way. */
class Model {
  readonly held: Held[] = [];
  readonly settled = new Set<number>();
  isPaused = false;

  leased(one: Held): void {
    assert.ok(!this.isPaused, 'a paused host is leased');
    this.held.push(one);
    const shares = this.held.reduce((sum, { lease }) => sum + lease.share, 0);
    assert.ok(shares < 1.001, 'more than the whole host is leased');
  }

  took(one: Held, requests: readonly Request[]): void {
    assert.ok(requests.length === 0 || !this.isPaused, 'requests of a paused host are taken');
    for (const request of requests) {
      const isOut = this.held.some(({ taken }) => taken.has(request.id));
      assert.ok(!isOut && !this.settled.has(request.id), 'a request is taken twice');
      one.taken.set(request.id, request);
    }
  }

  end(one: Held): void {
    this.held.splice(this.held.indexOf(one), 1);
  }
}

it.skipIf(missing !== undefined)(
  'host parts: lose no request, take none twice, and pause together in random sequences (needs PostgreSQL)',
  async () => {
    console.log(`PROVE_SEED=${seed}`);
    const database = await createTestDatabase({ keepsSchema: true });
    const tables = new Connections({ url: database.url, max: 1, applicationName: 'test' });
    const stores: Store[] = [];
    try {
      for (let process = 0; process < processes; process++) {
        const store = await openPostgresStore({ url: database.url, connections: 3, hostSlots: 3 });
        stores.push(store);
        await store.frontier.recover({ delayMs: 0 });
      }
      for (let sequence = 0; sequence < sequences; sequence++) {
        const host = `${sequence}.test:443`;
        expect(await play(createRandom(seed + sequence), stores, tables, host)).toBe('nothing is due any more');
      }
    } finally {
      for (const store of stores) await store.close();
      await tables.close();
      await database.remove();
    }
  },
  240_000,
);

/** Resolves when the job of the host is done. */
async function play(random: Random, stores: readonly Store[], tables: Connections, host: string): Promise<string> {
  const frontierOf = (process: number): Store['frontier'] => (stores[process] as Store).frontier;
  const first = stores[0] as Store;
  const { id } = await createJob(first, { startLinks: links(urls, '/', { depth: 0, host }) });
  const model = new Model();
  const lease = async (process: number): Promise<Held | undefined> => {
    const leased = await leaseHost(frontierOf(process), { takes: random.chance(0.3) });
    if (!leased) return undefined;
    const one: Held = { process, lease: leased.lease, taken: new Map() };
    model.leased(one);
    model.took(one, leased.requests);
    return one;
  };
  const take = async (one: Held, most: number): Promise<void> =>
    model.took(one, await frontierOf(one.process).take(one.lease, most));
  const settle = async (one: Held, most: number): Promise<void> => {
    const requests = [...one.taken.values()].slice(0, most);
    await frontierOf(one.process).settle(
      one.lease,
      requests.map((request) => settlement(request)),
    );
    for (const { id: settled } of requests) {
      one.taken.delete(settled);
      model.settled.add(settled);
    }
  };
  const release = async (one: Held, delayMs: number, isPausing: boolean): Promise<void> => {
    const notBefore = isPausing ? monotonicNow() + pauseMs : 0;
    await frontierOf(one.process).release(one.lease, { notBefore, delayMs });
    model.isPaused ||= isPausing;
    model.end(one);
  };
  const letTimePass = async (): Promise<void> => {
    const earlier = (column: string): string =>
      `${column} = CASE WHEN ${column} > (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 60000 THEN ${column} - ${2 * pauseMs} ELSE ${column} END`;
    await tables.query(`UPDATE host_slot SET ${earlier('next_at')}, ${earlier('ready_at')}`);
    model.isPaused = false;
  };
  /** The holder does not know that it lost its lease: what it had taken goes back. */
  const die = async (process: number): Promise<void> => {
    await frontierOf(process).recover({ delayMs: 0 });
    for (const one of model.held.filter((held) => held.process === process)) model.end(one);
  };

  for (let step = 0; step < steps; step++) {
    const one = model.held.length > 0 ? random.of(model.held) : undefined;
    const what = random.next();
    if (!one || what < 0.3) await lease(random.between(0, processes - 1));
    else if (what < 0.6)
      for (const most of [20, 20]) await take(one, random.chance(0.7) ? most : random.between(1, 40));
    else if (what < 0.65) await settle(one, random.between(1, 5));
    else if (what < 0.7) {
      await frontierOf(one.process).sharePause(one.lease, pauseMs);
      model.isPaused ||= one.lease.share < 1;
    } else if (what < 0.97) await release(one, random.chance(0.15) ? 1 : 0, random.chance(0.1));
    else await die(one.process);
    if (model.isPaused) assert.equal(await lease(random.between(0, processes - 1)), undefined);
    if (model.isPaused && random.chance(0.25)) await letTimePass();
    for (const { process, lease: held } of model.held.filter((other) => other.lease.share < 1)) {
      const restMs = await frontierOf(process).sharePause(held, 0);
      assert.equal(restMs > pauseMs / 2, model.isPaused, 'holders of all parts know of a pause, and of no other');
    }
  }
  for (let [one] = model.held; one; [one] = model.held) await release(one, 0, false);
  await letTimePass();

  // Whatever happened, the host is due until all is done, and not after that.
  for (let round = 0; model.settled.size < urls; round++) {
    assert.ok(round < 200, `only ${model.settled.size} of ${urls} URLs were ever due`);
    const one = await lease(round % processes);
    if (!one) {
      await first.frontier.waitForWork(20, AbortSignal.timeout(1_000));
      continue;
    }
    await take(one, 50);
    await settle(one, 100);
    await release(one, 0, false);
  }
  const { status, progress } = await getJob(first, id);
  assert.deepEqual([status, progress.queued, progress.inFlight], ['succeeded', 0, 0]);
  for (let left = await leaseHost(first.frontier); left; left = await leaseHost(first.frontier)) {
    await first.frontier.release(left.lease, { notBefore: 0, delayMs: 0 });
  }
  return (await first.frontier.leaseUrgentHosts(1)) === 'none'
    ? 'nothing is due any more'
    : 'something is due for ever';
}
