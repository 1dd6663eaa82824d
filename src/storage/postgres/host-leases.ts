import { setTimeout as sleep } from 'node:timers/promises';
import type { Hold, HostLease, ReleaseOptions } from '../../core/frontier.ts';
import { monotonicNow } from '../../core/monotonic-time.ts';
import type { StoreParts } from './parts.ts';
import type { Patience } from './patience.ts';
import { readySql } from './ready-sql.ts';
import { nowSql } from './schema.ts';
import { aliveSql, type Workers } from './workers.ts';

/** A take of so many requests that there was room for shows that there are more. */
const fullTake = 20;
/** Full takes under one lease after which a host is hot. The first one comes before its robots.txt is known. */
const fullTakesMin = 2;
/** How long a host that another process has is waited for. Its turns are shorter. */
const holdMs = 45_000;
const holdEveryMs = 100;
/** A host that somebody waits for is not leased again meanwhile. */
const wantedMs = 1_000;
const memoryMax = 10_000;

export interface HostLeasesParts extends StoreParts {
  readonly workers: Workers;
  readonly patience: Patience;
  /** Leases of a hot host at a time, over all processes. */
  readonly hostSlots: number;
}

export interface Leased {
  readonly host: number;
  readonly name: string;
  readonly fence: number;
  readonly slots: number;
  readonly memory: string | null;
  readonly age: number | null;
}

interface Held {
  readonly lease: HostLease;
  fullTakes: number;
  /** Fetches that are under way, of whatever lane. */
  fetches: number;
  /** Told when there is none left. */
  idle?: () => void;
}

interface Borrowed {
  readonly fence: Promise<number | undefined>;
  /** Fetches that need it. */
  users: number;
}

/**
 * The hosts that this process has leased. A host has one slot; while it is hot, has no delay and was found to be so under a
 * lease, it has several, each with its share of what the host may be asked at a time. Their number changes only when nothing
 * is in flight under the lease that changes it, and the last slot is not leased whole before the others were given back.
 */
export class HostLeases {
  readonly #parts: HostLeasesParts;
  /** By fence. */
  readonly #held = new Map<number, Held>();
  /** By host name, what is held for fetches alone. */
  readonly #borrowed = new Map<string, Borrowed>();
  /** Of all leases that are known here, until they were given back. */
  readonly #fences = new Set<number>();
  /** Leases that are being made: whether they were is not known yet. */
  #making = 0;
  /** While orphans are given back. */
  #dropping: Promise<void> | undefined;
  /** One may have been made of which nobody here knows, since its answer did not arrive. */
  #haveOrphans = false;

  constructor(parts: HostLeasesParts) {
    this.#parts = parts;
  }

  /** Undefined while nothing may be leased: this process is no worker, or may be taken for dead. */
  get worker(): number | undefined {
    return this.#parts.workers.isAlive ? this.#parts.workers.id : undefined;
  }

  get count(): number {
    return this.#held.size;
  }

  forget(): void {
    this.#held.clear();
    this.#borrowed.clear();
    this.#fences.clear();
    this.#haveOrphans = false;
  }

  /** Leases the host that has been due longest. `condition`: on the slot `o`, in SQL. */
  async lease(condition: string): Promise<HostLease | undefined> {
    const { worker } = this;
    await this.dropOrphans();
    if (worker === undefined) return undefined;
    const sql = `${aliveSql('$1')}
       UPDATE host_slot s SET owner = $1, fence = nextval('fence')
       FROM (SELECT host, slot FROM host_slot o
             WHERE owner IS NULL AND ready_at <= ${nowSql} AND wanted_until <= ${nowSql} AND slot < slots AND EXISTS (SELECT FROM me)
               AND (slots > 1 OR NOT EXISTS (SELECT FROM host_slot x WHERE x.host = o.host AND x.owner IS NOT NULL)) ${condition}
             ORDER BY ready_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) due, host h
       WHERE s.host = due.host AND s.slot = due.slot AND h.id = due.host
       RETURNING s.host, h.name, s.fence, s.slots, h.memory, ${nowSql} - h.memory_at AS age`;
    return this.make(async () => {
      const [leased] = await this.#parts.connections.query<Leased>(sql, [worker]);
      return leased && this.note(leased);
    });
  }

  /** A lease that was made. */
  note({ host: hostId, name: host, fence, slots, memory, age }: Leased): HostLease {
    const known = memory === null ? undefined : { text: memory, ageMs: age ?? 0 };
    const lease: HostLease = { hostId, host, fence, share: 1 / slots, ...(known && { memory: known }) };
    this.#held.set(fence, { lease, fullTakes: 0, fetches: 0 });
    this.#fences.add(fence);
    return lease;
  }

  /** Makes a lease, and notes it before anything else happens. */
  async make<Result>(run: () => Promise<Result>): Promise<Result> {
    while (this.#dropping) await this.#dropping;
    this.#making++;
    try {
      return await run();
    } catch (error) {
      this.#haveOrphans = true;
      throw error;
    } finally {
      this.#making--;
    }
  }

  noteTake({ fence }: HostLease, taken: number, room: number): void {
    const held = this.#held.get(fence);
    if (held && taken === room && room >= fullTake) held.fullTakes++;
  }

  /** Gives back hosts that were leased by an answer that did not arrive. */
  async dropOrphans(): Promise<void> {
    while (this.#dropping) await this.#dropping;
    const { id } = this.#parts.workers;
    if (!this.#haveOrphans || this.#making > 0 || id === undefined) return;
    const dropping = this.#parts.connections.run(
      'UPDATE host_slot SET owner = NULL WHERE owner = $1 AND fence <> ALL ($2::bigint[])',
      [id, [...this.#fences]],
    );
    // What is leased meanwhile would be taken for an orphan.
    this.#dropping = dropping.then(
      () => {
        this.#haveOrphans = false;
        this.#dropping = undefined;
      },
      () => {
        this.#dropping = undefined;
      },
    );
    await dropping;
  }

  /** To be called when nothing is in flight under the lease. Whether there is work left is asked under the lock that whoever brings some waits for. */
  async free(
    { hostId, fence }: Pick<HostLease, 'hostId' | 'fence'>,
    options: ReleaseOptions & { readonly pauseMs: number },
  ): Promise<void> {
    const { connections, signals, hostSlots } = this.#parts;
    const { pauseMs, delayMs, memory } = options;
    const held = this.#held.get(fence);
    // A redirect from another host may be on its way here.
    if (held && held.fetches > 0) await new Promise<void>((resolve) => (held.idle = resolve));
    const isHot = held !== undefined && held.fullTakes >= fullTakesMin;
    const mayShare = (delayMs ?? 0) === 0 && hostSlots > 1;
    const isReady = await connections.transaction(async (tx) => {
      if (delayMs !== undefined) {
        tx.send('UPDATE host SET delay_ms = $2 WHERE id = $1 AND delay_ms <> $2', [hostId, Math.ceil(delayMs)]);
      }
      if (memory !== undefined && memory.length <= memoryMax) {
        tx.send(`UPDATE host SET memory = $2, memory_at = ${nowSql} WHERE id = $1`, [hostId, memory]);
      }
      tx.send('SELECT FROM host_slot WHERE host = $1 ORDER BY slot FOR NO KEY UPDATE', [hostId]);
      const [row] = await tx.query<{ slot: number; slots: number; ready_at: number | null; next_at: number }>(
        `WITH at AS (SELECT ${nowSql} + $3::bigint AS next_at)
         UPDATE host_slot s SET owner = NULL, next_at = greatest(s.next_at, at.next_at), ready_at = r.ready_at
         FROM at, LATERAL (${readySql('$1', 'at.next_at')}) r
         WHERE s.host = $1 AND s.fence = $2 AND s.owner = $4 RETURNING s.slot, s.slots, s.ready_at, s.next_at`,
        [hostId, fence, Math.ceil(pauseMs), this.#parts.workers.id ?? null],
      );
      if (!row) return false;
      // A pause is the host's, whoever was told.
      if (row.slots > 1 && pauseMs > 0) {
        tx.send(
          'UPDATE host_slot SET next_at = greatest(next_at, $2), ready_at = greatest(ready_at, $2) WHERE host = $1 AND slots > 1',
          [hostId, row.next_at],
        );
      }
      if (row.slots > 1 && (!mayShare || (row.slot === 0 && !isHot))) {
        tx.send('UPDATE host_slot SET slots = 1 WHERE host = $1', [hostId]);
      } else if (row.slot === 0 && isHot && mayShare && row.ready_at !== null) {
        tx.send(
          `INSERT INTO host_slot (host, slot, slots, ready_at, next_at) SELECT $1, slot, $2, $3, $3 FROM generate_series(1, $2::int - 1) AS slot
           ON CONFLICT (host, slot) DO UPDATE SET slots = excluded.slots, ready_at = coalesce(host_slot.ready_at, excluded.ready_at)`,
          [hostId, hostSlots, row.ready_at],
        );
        tx.send('UPDATE host_slot SET slots = $2 WHERE host = $1 AND slot = 0', [hostId, hostSlots]);
      }
      return row.ready_at !== null;
    });
    this.forgetLease({ fence });
    if (isReady) signals.announce({ jobs: [], haveWork: true, haveEvents: false });
  }

  /** What is known of a lease that is this process's no longer. */
  forgetLease({ fence }: Pick<HostLease, 'fence'>): void {
    this.#held.delete(fence);
    this.#fences.delete(fence);
  }

  /** See {@link Frontier.hold}. */
  async hold(host: string, signal: AbortSignal): Promise<Hold | undefined> {
    const held = this.#leaseOf(host);
    if (held) return holdOf(held);
    const borrowed = this.#borrowed.get(host) ?? { users: 0, fence: this.#borrow(host, signal) };
    this.#borrowed.set(host, borrowed);
    // Counted before anything is waited for: who is the last to let go gives it back.
    borrowed.users++;
    try {
      const fence = await borrowed.fence;
      if (fence !== undefined) return { release: (notBefore) => this.#letGo(host, borrowed, fence, notBefore) };
    } catch (error) {
      this.#forgetBorrowed(host, borrowed);
      throw error;
    }
    this.#forgetBorrowed(host, borrowed);
    // A lane of this process may have been faster.
    const since = this.#leaseOf(host);
    return since && holdOf(since);
  }

  async #letGo(host: string, borrowed: Borrowed, fence: number, notBefore: number): Promise<void> {
    if (--borrowed.users > 0) return;
    this.#forgetBorrowed(host, borrowed);
    const pauseMs = Math.max(0, notBefore - monotonicNow());
    const hostId = this.#parts.hosts.of(host);
    await this.#parts.patience.wait(() => this.free({ hostId, fence }, { pauseMs }));
  }

  #forgetBorrowed(host: string, borrowed: Borrowed): void {
    if (this.#borrowed.get(host) === borrowed) this.#borrowed.delete(host);
  }

  #leaseOf(host: string): Held | undefined {
    for (const held of this.#held.values()) if (held.lease.host === host) return held;
    return undefined;
  }

  /** Answers the fence; undefined where a lane of this process has the host by now, or nobody lets go of it. */
  async #borrow(host: string, signal: AbortSignal): Promise<number | undefined> {
    const { hosts, connections, patience } = this.#parts;
    await patience.wait(() => hosts.learn([host]));
    const id = hosts.of(host);
    for (const until = performance.now() + holdMs; performance.now() < until;) {
      signal.throwIfAborted();
      const { worker } = this;
      if (worker === undefined || this.#leaseOf(host)) return undefined;
      const fence = await patience.wait(() => this.#borrowNow(id, worker));
      if (fence !== undefined) return fence;
      await patience.wait(() =>
        connections.query(`UPDATE host_slot SET wanted_until = ${nowSql} + ${wantedMs} WHERE host = $1 AND slot = 0`, [
          id,
        ]),
      );
      await sleep(holdEveryMs, undefined, { signal }).catch(() => {});
    }
    return undefined;
  }

  #borrowNow(hostId: number, worker: number): Promise<number | undefined> {
    return this.make(async () => {
      const [leased] = await this.#parts.connections.query<{ fence: number }>(
        `${aliveSql('$2')}
         UPDATE host_slot SET owner = $2, fence = nextval('fence')
         WHERE host = $1 AND slot = 0 AND owner IS NULL AND next_at <= ${nowSql} AND EXISTS (SELECT FROM me) RETURNING fence`,
        [hostId, worker],
      );
      if (leased) this.#fences.add(leased.fence);
      return leased?.fence;
    });
  }
}

/** Of a host that is leased anyway: it is not given back before. */
function holdOf(held: Held): Hold {
  held.fetches++;
  return {
    release: async () => {
      if (--held.fetches === 0) held.idle?.();
    },
  };
}
