import type { HostLease, ReleaseOptions, Settlement } from '../../../core/ports/frontier.ts';
import type { Request } from '../../../core/request.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { LeaseTurns, type LineOfJob, promotedPerLease, ranksInTurn } from '../../rules/frontier/lease-turns.ts';
import { change } from '../change/change.ts';
import type { Transaction, Value } from '../connection/connections.ts';
import { anyDueSql, leaseOfJobSql, leaseSql, promoteSql, wakePlainSql } from './lease-sql.ts';
import type { StoreParts } from '../change/parts.ts';
import { readySql } from '../change/ready-sql.ts';
import { leaveToFirstSlot } from './left-slots.ts';
import { nowSql } from '../connection/schema.ts';
import { pauseSlots } from './shared-pause.ts';
import type { Workers } from './workers.ts';
import type { WorkingSet } from '../change/working-set.ts';

/** A take that fills a room of at least this many requests shows that the host has more. */
const fullTake = 20;
/** How long a process without a browser relies on its last look at whether a job needs one. */
const needReadMs = 1_000;
/** A host is hot after this many full takes under one lease. The first one comes before its robots.txt is known. */
const fullTakesMin = 2;

export interface HostLeasesParts extends StoreParts {
  readonly workers: Workers;
  /** Concurrent leases of a hot host, over all processes. */
  readonly hostSlots: number;
}

export interface LeaseWish {
  readonly most: number;
  readonly isUrgentOnly: boolean;
  readonly lanesPerOrg: number;
  /** 0 to 1. */
  readonly chance: number;
  readonly isScarce: boolean;
}

export type TakenRequest = Pick<Request, 'id' | 'jobId'>;

/** Makes the requests taken under a lease available again. */
type HandBack = (lease: Pick<HostLease, 'hostId' | 'fence'>) => Promise<unknown>;

export interface LeasedRow extends LineOfJob {
  readonly host: number;
  readonly name: string;
  readonly fence: number;
  readonly slots: number;
  readonly memory: string | null;
  readonly age: number | null;
  readonly delay_ms: number;
  /** 0 if nobody had it before. */
  readonly next_at: number;
  /** Its turn among the hosts leased together. */
  readonly place: number;
}

interface Held {
  readonly lease: HostLease;
  fullTakes: number;
  /** Requests taken and not settled, and their jobs, as far as this process knows. */
  readonly taken: Map<number, string>;
}

/**
 * The hosts that this process has leased. A host has one slot. A host that was hot under a lease and has no delay has
 * several, each with a share of the host's concurrency. The number of slots changes only when nothing is in flight
 * under the lease that changes it. After a change back to one slot, the others take no more requests, and the one is
 * leased only when they are free.
 */
export class HostLeases {
  readonly #parts: HostLeasesParts;
  readonly #handBack: HandBack;
  /** By fence. */
  readonly #held = new Map<number, Held>();
  readonly #turns = new LeaseTurns();
  /** Fences of all leases that this process knows, until they are released. */
  readonly #fences = new Set<number>();
  /** Leases in progress: their outcome is not known yet. */
  #making = 0;
  /** At the last look, an unfinished job needed a browser. */
  #needsBrowser = false;
  /** When to look again, on the monotonic clock. */
  #nextNeedAt = 0;
  /** Set while orphans are being released. */
  #dropping: Promise<void> | undefined;
  /** The database can have made a lease that this process does not know, because the response was lost. */
  #haveOrphans = false;

  /** `handBack`: see {@link HandBack}. */
  constructor(parts: HostLeasesParts, handBack: HandBack) {
    this.#parts = parts;
    this.#handBack = handBack;
  }

  /** Undefined while this process cannot lease: it is no worker, or others can take it for dead. */
  checkWorker(): number | undefined {
    return this.#parts.workers.checkAlive() ? this.#parts.workers.id : undefined;
  }

  /** False if another process can be needed for jobs on a host that this one holds. */
  get mayKeep(): boolean {
    // mutant plain-worker-keeps-hosts, promise 14: `this.#parts.workers.hasBrowser || !this.#needsBrowser` -> `true`; host-leases
    return this.#parts.workers.hasBrowser || !this.#needsBrowser;
  }

  forget(): void {
    this.#held.clear();
    this.#turns.forget();
    this.#fences.clear();
    this.#haveOrphans = false;
  }

  /**
   * Leases the hosts whose turn it is, and takes requests from them in the same transaction. `onlyJob`: a condition on
   * the slot `o`, in SQL, if there is only one job. `take` returns one item for each row.
   */
  async lease<Taken>(
    wish: LeaseWish,
    onlyJob: string | undefined,
    take: (set: WorkingSet, tx: Transaction, rows: readonly LeasedRow[]) => Promise<readonly Taken[]>,
  ): Promise<readonly { readonly lease: HostLease; readonly taken: Taken }[]> {
    const worker = this.checkWorker();
    await this.dropOrphans();
    if (worker === undefined) return [];
    const hasBrowser = await this.#mayLeaseAny();
    // Without a browser, every due host must be in its line: the other way to find hosts passes those for a browser.
    const isScarce = wish.isScarce || !hasBrowser;
    if (isScarce && onlyJob === undefined) await this.#promote(hasBrowser);
    const [sql, values] =
      onlyJob === undefined
        ? [leaseSql(hasBrowser), this.#turnValues({ ...wish, isScarce })]
        : [leaseOfJobSql(onlyJob, hasBrowser), [wish.most]];
    return this.make(async () => {
      // Leased once per transaction, however often `run` decides what to take.
      let made: { readonly tx: Transaction; readonly rows: readonly LeasedRow[] } | undefined;
      const run = async (
        set: WorkingSet,
        tx: Transaction,
      ): Promise<{ readonly rows: readonly LeasedRow[]; readonly taken: readonly Taken[] }> => {
        if (made?.tx !== tx) {
          const rows = await tx.query<LeasedRow>(sql, [worker, ...values]);
          made = { tx, rows: rows.toSorted((a, b) => a.place - b.place) };
        }
        const { rows } = made;
        return { rows, taken: rows.length === 0 ? [] : await take(set, tx, rows) };
      };
      const { rows, taken } = await change(this.#parts, run, { locksLast: true });
      return rows.map((row, index) => ({ lease: this.note(row, restedOf(row)), taken: taken[index] as Taken }));
    });
  }

  /** True if any host waits in a line. */
  async isAnyDue(): Promise<boolean> {
    return (await this.#parts.connections.query(anyDueSql(this.#parts.workers.hasBrowser), [])).length > 0;
  }

  /**
   * True if this process has a browser, or no job needs one. A job that is created in the meantime costs a lease without
   * requests.
   */
  async #mayLeaseAny(): Promise<boolean> {
    const { workers, connections } = this.#parts;
    if (workers.hasBrowser) return true;
    const now = monotonicNow();
    if (now >= this.#nextNeedAt) {
      const needing = await connections.query(
        'SELECT FROM job WHERE needs_browser AND finished_at IS NULL LIMIT 1',
        [],
      );
      this.#needsBrowser = needing.length > 0;
      this.#nextNeedAt = now + needReadMs;
    }
    return !this.#needsBrowser;
  }

  async #promote(hasBrowser: boolean): Promise<void> {
    const { connections } = this.#parts;
    await Promise.all([
      connections.query(promoteSql, [promotedPerLease]),
      hasBrowser ? undefined : connections.query(wakePlainSql, [promotedPerLease]),
    ]);
  }

  #turnValues({ most, isUrgentOnly, lanesPerOrg, chance, isScarce }: LeaseWish): Value[] {
    const orgs = this.#turns.knownOrgs();
    const lanes = this.#turns.lanesByOrg();
    const jobs = [...this.#turns.lanesByJob()];
    return [
      this.#turns.lastOrg,
      ranksInTurn(chance),
      isUrgentOnly,
      lanesPerOrg,
      orgs,
      orgs.map((org) => lanes.get(org) ?? 0),
      orgs.map((org) => this.#turns.lastJobOf(org)),
      jobs.map(([job]) => job),
      jobs.map(([, count]) => count),
      !isScarce && !isUrgentOnly,
      most,
    ];
  }

  /** Notes a lease that was made. */
  note(row: Omit<LeasedRow, 'delay_ms' | 'next_at' | 'place'>, restedMs = 0): HostLease {
    const { host: hostId, name: host, fence, slots, memory, age, org, rank, job } = row;
    this.#turns.leased(fence, { org, rank, job });
    const known = memory === null ? undefined : { text: memory, ageMs: age ?? 0 };
    const lease: HostLease = { hostId, host, fence, share: 1 / slots, restedMs, ...(known && { memory: known }) };
    this.#parts.idle.wake(hostId);
    this.#held.set(fence, { lease, fullTakes: 0, taken: new Map() });
    this.#fences.add(fence);
    return lease;
  }

  /** Runs a function that makes and notes a lease. No orphans are released meanwhile. After an error it can be one. */
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

  noteTake({ fence }: HostLease, requests: readonly Request[], room: number): void {
    const held = this.#held.get(fence);
    if (!held) return;
    if (requests.length === room && room >= fullTake) held.fullTakes++;
    for (const { id, jobId } of requests) held.taken.set(id, jobId);
  }

  noteSettled({ fence }: HostLease, settlements: readonly Settlement[]): void {
    const taken = this.#held.get(fence)?.taken;
    for (const { request } of settlements) taken?.delete(request.id);
  }

  /** Requests taken under the lease and not settled. One whose response was lost is missing. */
  takenUnder({ fence }: HostLease): readonly TakenRequest[] {
    return Array.from(this.#held.get(fence)?.taken ?? [], ([id, jobId]) => ({ id, jobId }));
  }

  /** True if the host can be released with a settlement: it has one slot, and needs no more. */
  mayFreeTogether({ fence, share }: HostLease): boolean {
    return share === 1 && (this.#held.get(fence)?.fullTakes ?? fullTakesMin) < fullTakesMin;
  }

  /** Releases hosts whose lease was made but whose response was lost, and hands back the requests taken with it. */
  async dropOrphans(): Promise<void> {
    while (this.#dropping) await this.#dropping;
    const { id } = this.#parts.workers;
    if (!this.#haveOrphans || this.#making > 0 || id === undefined) return;
    const dropping = this.#drop(id);
    // A lease made meanwhile would look like an orphan.
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

  async #drop(worker: number): Promise<void> {
    const { connections } = this.#parts;
    const orphans = await connections.query<{ host: number; fence: number }>(
      'SELECT host, fence FROM host_slot WHERE owner = $1 AND fence <> ALL ($2::bigint[])',
      [worker, [...this.#fences]],
    );
    for (const { host: hostId, fence } of orphans) {
      await this.#handBack({ hostId, fence });
      await connections.transaction(async (tx) => {
        tx.send('SELECT FROM host_slot WHERE host = $1 ORDER BY slot FOR NO KEY UPDATE', [hostId]);
        await tx.query(
          'UPDATE host_slot SET owner = NULL, for_browser = false, plain_at = NULL WHERE host = $1 AND fence = $2 AND owner = $3',
          [hostId, fence, worker],
        );
        leaveToFirstSlot(tx, hostId);
      });
    }
  }

  /**
   * Call when nothing is in flight under the lease. Remaining work is read under the slot lock, for which every
   * transaction that adds work waits.
   */
  async free(
    { hostId, fence }: Pick<HostLease, 'hostId' | 'fence'>,
    options: ReleaseOptions & { readonly pauseMs: number },
  ): Promise<void> {
    const { connections, signals, hostSlots } = this.#parts;
    const { pauseMs, delayMs, memory } = options;
    const held = this.#held.get(fence);
    const isHot = held !== undefined && held.fullTakes >= fullTakesMin;
    const mayShare = (delayMs ?? 0) === 0 && hostSlots > 1;
    const isReady = await connections.transaction(async (tx) => {
      if (delayMs !== undefined) {
        tx.send('UPDATE host SET delay_ms = $2 WHERE id = $1 AND delay_ms <> $2', [hostId, Math.ceil(delayMs)]);
      }
      if (memory !== undefined) {
        tx.send(`UPDATE host SET memory = $2, memory_at = ${nowSql} WHERE id = $1`, [hostId, memory]);
      }
      tx.send('SELECT FROM host_slot WHERE host = $1 ORDER BY slot FOR NO KEY UPDATE', [hostId]);
      // mutant postgres-part-ends-pause, promise 14: `greatest(next_at,` -> `greatest(0,`; host-leases
      const [row] = await tx.query<{ slot: number; slots: number; ready_at: number | null; next_at: number }>(
        // The holder of another part can have paused the host for longer.
        `WITH at AS (SELECT greatest(next_at, ${nowSql} + $3::bigint) AS next_at FROM host_slot WHERE host = $1 AND fence = $2)
         UPDATE host_slot s SET owner = NULL, next_at = at.next_at, ready_at = r.ready_at, in_line = coalesce(r.ready_at <= ${nowSql}, false),
           for_browser = r.for_browser, plain_at = r.plain_at,
           org = coalesce(r.org, s.org), rank = coalesce(r.rank, s.rank), job = coalesce(r.job, s.job)
         FROM at, LATERAL (${readySql('$1', 'at.next_at')}) r
         WHERE s.host = $1 AND s.fence = $2 AND s.owner = $4 RETURNING s.slot, s.slots, s.ready_at, s.next_at`,
        [hostId, fence, Math.ceil(pauseMs), this.#parts.workers.id ?? null],
      );
      if (!row) return false;
      // A pause applies to the whole host, whichever slot received it, and also if the host became whole meanwhile.
      if ((row.slots > 1 || row.slot > 0) && pauseMs > 0) {
        pauseSlots(tx, hostId, row.next_at);
      }
      // The holder of another part found that the host must be leased as a whole.
      const wasTakenBack = row.slots === 1 && held !== undefined && held.lease.share < 1;
      if (row.slots > 1 && (!mayShare || (row.slot === 0 && !isHot))) {
        tx.send('UPDATE host_slot SET slots = 1 WHERE host = $1', [hostId]);
        leaveToFirstSlot(tx, hostId);
      } else if (row.slots === 1 && row.slot > 0) {
        leaveToFirstSlot(tx, hostId);
      } else if (row.slot === 0 && isHot && mayShare && !wasTakenBack && row.ready_at !== null) {
        tx.send(
          `INSERT INTO host_slot (host, slot, slots, ready_at, next_at, org, rank, job, for_browser, plain_at)
           SELECT $1, n.slot, $2, $3, $4, s.org, s.rank, s.job, s.for_browser, s.plain_at FROM generate_series(1, $2::int - 1) AS n (slot), host_slot s WHERE s.host = $1 AND s.slot = 0
           ON CONFLICT (host, slot) DO UPDATE SET slots = excluded.slots, next_at = greatest(host_slot.next_at, excluded.next_at),
             ready_at = greatest(coalesce(host_slot.ready_at, excluded.ready_at), excluded.next_at),
             org = excluded.org, rank = excluded.rank, job = excluded.job, for_browser = excluded.for_browser, plain_at = excluded.plain_at`,
          [hostId, hostSlots, row.ready_at, row.next_at],
        );
        tx.send('UPDATE host_slot SET slots = $2 WHERE host = $1 AND slot = 0', [hostId, hostSlots]);
      }
      return row.ready_at !== null;
    });
    this.forgetLease({ fence });
    if (isReady) signals.announce({ jobs: [], haveWork: true, haveEvents: false });
  }

  /** Forgets a lease that this process no longer holds. */
  forgetLease({ fence }: Pick<HostLease, 'fence'>): void {
    const held = this.#held.get(fence);
    if (held) this.#parts.idle.wake(held.lease.hostId);
    this.#held.delete(fence);
    this.#turns.released(fence);
    this.#fences.delete(fence);
  }
}

/** The last release set the next turn after the delay. See {@link HostLease.restedMs}. */
function restedOf({ next_at: nextAt, delay_ms: delayMs }: LeasedRow): number {
  return nextAt > 0 ? delayMs : Number.POSITIVE_INFINITY;
}

/** For how long nobody sends a request to a host that is released now. */
export function pauseOf({ notBefore }: ReleaseOptions): number {
  return notBefore === undefined ? 0 : Math.max(0, notBefore - monotonicNow());
}
