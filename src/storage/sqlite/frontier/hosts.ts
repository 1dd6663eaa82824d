import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { awaitsRest, type LineOfJob } from '../../rules/frontier/lease-turns.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import type { Database } from '../file/database.ts';
import { HostLines, type LeaseWish } from './host-lines.ts';

/** How long an idle host is kept: as long as its robots.txt counts. */
const idleKeptMs = 24 * 3600 * 1000;
/** Hosts examined in one step: 3 ms. */
const hostsPerStep = 500;

/** The hosts of the frontier: which can be leased, and when. */
export class Hosts {
  readonly #ids = new Map<string, number>();
  #haveWork = false;
  readonly #db: Database;
  readonly #lines: HostLines;
  #lookedTo = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#lines = new HostLines(db);
  }

  /** The id of a host name, created on first use. Names are remembered, because most links of a site lead to itself. */
  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#db.run('INSERT INTO host (name) VALUES (?) ON CONFLICT DO NOTHING', name);
    const id = this.#db.get<{ readonly id: number }>('SELECT id FROM host WHERE name = ?', name)?.id;
    if (id === undefined) throw new Error(`host ${name} was not stored`);
    if (this.#ids.size >= 10_000) this.#ids.clear();
    this.#ids.set(name, id);
    return id;
  }

  /** Notes that a host has work of a job from `at` on. */
  wake(id: number, at: number, job: JobRow, line: LineOfJob): void {
    const now = monotonicNow();
    const { changes } = this.#db.run(wakeHost, { id, at, now, queued: job.queued, rests: awaitsRest(job), ...line });
    if (changes > 0) this.#haveWork = true;
  }

  /** Leases the host whose turn it is. */
  leaseNext(wish: LeaseWish): HostRow | undefined {
    const next = this.#lines.next(wish);
    return next && this.lease(next.id);
  }

  /** True if any host is due. Call after {@link leaseNext}. */
  isAnyDue(now: number): boolean {
    return this.#lines.hasAny(now);
  }

  /** Leases this host, unless it is already leased. */
  lease(id: number): HostRow | undefined {
    const host = this.#db.get<HostRow & LineOfJob>(findFree, id);
    if (!host) return undefined;
    this.#db.run(leaseHost, monotonicNow(), id);
    this.#lines.leased(id, { org: host.org, rank: host.rank, job: host.job });
    return { ...host, fence: host.fence + 1 };
  }

  /** Undefined if the lease is no longer held. */
  held(id: number, fence: number): (Pick<HostRow, 'delay_ms' | 'next_at'> & { readonly last_job: number }) | undefined {
    return this.#db.get(findHeld, id, fence);
  }

  setLastJob(id: number, job: number): void {
    this.#db.run('UPDATE host SET last_job = ? WHERE id = ?', job, id);
  }

  setDelay(id: number, delayMs: number): void {
    // A host without a lease must not look idle. A leased host gets no time, because after a crash it could wait for a
    // clock that was set back.
    this.#db.run(setDelay, delayMs, monotonicNow(), id);
  }

  release(id: number, next: NextTurn): void {
    const { now, nextAt, delayMs, readyAt, line } = next;
    const { org = null, rank = null, job = null } = line ?? {};
    this.#db.run(releaseHost, { id, now, nextAt, delayMs, readyAt, org, rank, job });
    this.#lines.released(id);
    if (next.readyAt !== null) this.#haveWork = true;
  }

  /**
   * Removes hosts that have nothing pending and whose delay ended more than a day ago. Call repeatedly: each call
   * examines the next hosts, and starts again after the last one.
   */
  removeIdle(now: number): void {
    const next = 'SELECT id, name FROM host WHERE id > ? ORDER BY id LIMIT ?';
    const looked = this.#db.all<{ readonly id: number; readonly name: string }>(next, this.#lookedTo, hostsPerStep);
    this.#lookedTo = looked.at(-1)?.id ?? 0;
    for (const { id, name } of looked) {
      if (this.#db.run(removeIdle, id, now - idleKeptMs).changes > 0) this.#ids.delete(name);
    }
  }

  /** True if a host can have become due since the last call. */
  takeHaveWork(): boolean {
    const haveWork = this.#haveWork;
    this.#haveWork = false;
    return haveWork;
  }

  /** Call after a rollback: the memory can hold changes that were not committed. */
  forget(): void {
    this.#ids.clear();
    this.#haveWork = false;
    this.#lines.forget();
  }
}

interface NextTurn {
  readonly now: number;
  readonly nextAt: number;
  readonly delayMs: number;
  readonly readyAt: number | null;
  /** The line in which it waits for its next turn. Absent if nothing is pending. */
  readonly line: LineOfJob | undefined;
}

export interface HostRow {
  readonly id: number;
  readonly name: string;
  readonly fence: number;
  readonly delay_ms: number;
  /** 0 if nobody had it before. */
  readonly next_at: number;
}

// A host that several jobs wait for stands in the line of the one with the fewest queued URLs.
const wakeHost = `
  UPDATE host SET ready_at = coalesce(min(ready_at, max(next_at * @rests, @at)), max(next_at * @rests, @at)), in_line = leased = 0 AND max(next_at * @rests, @at) <= @now,
    org = @org, rank = @rank, job = @job
  WHERE id = @id AND (ready_at IS NULL OR ready_at > max(next_at * @rests, @at) OR (
    leased = 0 AND job <> @job AND @queued < coalesce((SELECT queued FROM job WHERE seq = host.job AND finished_at IS NULL), 1e9)))`;
const findFree = 'SELECT id, name, fence, delay_ms, next_at, org, rank, job FROM host WHERE id = ? AND leased = 0';
const findHeld = 'SELECT last_job, delay_ms, next_at FROM host WHERE id = ? AND fence = ? AND leased = 1';
const leaseHost = 'UPDATE host SET leased = 1, noted_at = ?, in_line = 0, fence = fence + 1 WHERE id = ?';
const setDelay =
  'UPDATE host SET delay_ms = ?1, noted_at = ?2, next_at = CASE WHEN leased THEN next_at ELSE max(next_at, ?2) END WHERE id = ?3';
const releaseHost = `
  UPDATE host SET leased = 0, noted_at = @now, next_at = @nextAt, delay_ms = @delayMs, ready_at = @readyAt, in_line = coalesce(@readyAt <= @now, 0),
    org = coalesce(@org, org), rank = coalesce(@rank, rank), job = coalesce(@job, job) WHERE id = @id`;
// One part for each partial index.
const hasPending = [
  'fence IS NULL AND not_before = 0',
  'fence IS NULL AND not_before > 0',
  'fence IS NULL AND not_before < 0',
  'fence IS NOT NULL',
]
  .map((part) => `EXISTS (SELECT 1 FROM frontier WHERE host = ?1 AND ${part})`)
  .join(' OR ');
const removeIdle = `DELETE FROM host WHERE id = ?1 AND leased = 0 AND next_at + delay_ms < ?2 AND NOT (${hasPending})`;
