import type { HostLease, ReleaseOptions, Settlement } from '../../../core/ports/frontier.ts';
import type { Request } from '../../../core/request.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { LeaseTurns, type LineOfJob, promotedPerLease, ranksInTurn } from '../../rules/frontier/lease-turns.ts';
import { change } from '../change/change.ts';
import { type FreedHost, freeHosts } from '../change/free-hosts.ts';
import type { Transaction, Value } from '../connection/connections.ts';
import { sendSteps } from '../connection/run-steps.ts';
import { anyDueSql, leaseOfJobSql, leaseSql, promoteSql, wakePlainSql } from './lease-sql.ts';
import type { StoreParts } from '../change/parts.ts';
import type { Wanted } from './due-work.ts';
import type { Taken } from './take-requests.ts';
import type { Workers } from './workers.ts';
import type { WorkingSet } from '../change/working-set.ts';

/** How long a process without a browser relies on its last look at whether a job needs one. */
const needReadMs = 1_000;

export interface HostLeasesParts extends StoreParts {
  readonly workers: Workers;
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
  readonly memory: string | null;
  readonly age: number | null;
  readonly delay_ms: number;
  /** 0 if nobody had it before. */
  readonly next_at: number;
  readonly must_rest: boolean;
  readonly last_job: number;
  /** Its turn among the hosts leased together. */
  readonly place: number;
}

interface Held {
  readonly lease: HostLease;
  /** Requests taken and not settled, and their jobs, as far as this process knows. */
  readonly taken: Map<number, string>;
  /** The job that was served last. Other processes see it when the host is released. */
  lastJob: number;
}

/** The hosts that this process has leased. */
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
   * the host `o`, in SQL, if there is only one job. `take` returns one item for each row.
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
      const noted = rows.map((row) => this.note(row, restedOf(row), row.must_rest));
      return noted.map((lease, index) => ({ lease, taken: taken[index] as Taken }));
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
        'SELECT FROM job WHERE needs_browser = 1 AND finished_at IS NULL LIMIT 1',
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
  note(
    row: Omit<LeasedRow, 'delay_ms' | 'next_at' | 'must_rest' | 'place'>,
    restedMs = 0,
    mustRest = false,
  ): HostLease {
    const { host: hostId, name: host, fence, memory, age, org, rank, job } = row;
    this.#turns.leased(fence, { org, rank, job });
    const known = memory === null ? undefined : { text: memory, ageMs: age ?? 0 };
    const lease: HostLease = { hostId, host, fence, restedMs, mustRest, ...(known && { memory: known }) };
    this.#parts.idle.wake(hostId);
    this.#held.set(fence, { lease, taken: new Map(), lastJob: row.last_job });
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

  /** What a lane wants that takes under this lease; undefined if this process no longer holds it. */
  wantedOf({ hostId, fence }: Pick<HostLease, 'hostId' | 'fence'>, room: number): Wanted | undefined {
    const held = this.#held.get(fence);
    return held && { hostId, room, lastJob: held.lastJob };
  }

  noteTake({ fence }: HostLease, { requests, lastJob }: Pick<Taken, 'requests' | 'lastJob'>): void {
    const held = this.#held.get(fence);
    if (!held) return;
    held.lastJob = lastJob ?? held.lastJob;
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

  /** True if this process holds the lease, as far as it knows. */
  holds({ fence }: HostLease): boolean {
    return this.#held.has(fence);
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
      await connections.query(
        'UPDATE host_slot SET owner = NULL, for_browser = false, plain_at = NULL WHERE host = $1 AND fence = $2 AND owner = $3',
        [hostId, fence, worker],
      );
    }
  }

  /**
   * Call when nothing is in flight under the lease. Remaining work is read under the lock of the host, for which every
   * transaction that adds work waits.
   */
  async free(lease: Pick<HostLease, 'hostId' | 'fence'>, options: ReleaseOptions): Promise<void> {
    const { connections, signals } = this.#parts;
    const freed = this.freedOf(lease, options);
    if (freed) {
      await connections.transaction(async (tx) => {
        await tx.query('SELECT FROM host_slot WHERE host = $1 FOR NO KEY UPDATE', [lease.hostId]);
        sendSteps(tx, freeHosts([freed]));
      });
    }
    this.forgetLease(lease);
    if (pauseOf(options) === 0) signals.announce({ jobs: [], haveWork: true, haveEvents: false });
  }

  /** How a host is released; undefined if this process is no worker. */
  freedOf(
    { hostId: host, fence }: Pick<HostLease, 'hostId' | 'fence'>,
    options: ReleaseOptions,
  ): FreedHost | undefined {
    const { id: owner } = this.#parts.workers;
    if (owner === undefined) return undefined;
    const { delayMs, memory = null } = options;
    const pause = Math.ceil(pauseOf(options));
    const lastJob = this.#held.get(fence)?.lastJob ?? null;
    return {
      host,
      fence,
      owner,
      pause,
      delay_ms: delayMs === undefined ? null : Math.ceil(delayMs),
      memory,
      last_job: lastJob,
    };
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
function pauseOf({ notBefore }: ReleaseOptions): number {
  return notBefore === undefined ? 0 : Math.max(0, notBefore - monotonicNow());
}
