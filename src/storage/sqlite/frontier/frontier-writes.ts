import type { Database, Statement } from '../file/database.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import type {
  HostLease,
  Leased,
  LeaseOptions,
  Life,
  Notice,
  RecoverOptions,
  ReleaseOptions,
  Settlement,
  Suspect,
} from '../../../core/ports/frontier.ts';
import { hasEnded } from '../../../core/job.ts';
import type { CrawlError, Request, RequestKind } from '../../../core/request.ts';
import { requestsOfUse, turnMs } from '../../../core/turn.ts';
import type { HostRow, Hosts } from './hosts.ts';
import { controlPriority, lastPriority, movedPriority } from '../../rules/frontier/crawl-tables.ts';
import { carefulMs, takenWithCare } from '../../rules/frontier/deaths.ts';
import { lineOf, type LineOfJob } from '../../rules/frontier/lease-turns.ts';
import { addNotice, type JobRow, roomOf } from '../../rules/jobs/job-row.ts';
import { endJob, endStatus } from '../../rules/jobs/job-end.ts';
import type { Settling } from '../../rules/frontier/settling.ts';
import { type PendingRow, pendingColumns, returnToQueue, takeFrom } from '../../rules/frontier/taking.ts';
import { takeInTurn } from '../../rules/frontier/turns.ts';
import type { JobRows } from '../jobs/job-rows.ts';
import { reclaim } from './reclaim.ts';
import { countSuspects, ForBrowser, type JobRange, pendingOn } from '../../shared/frontier-rows.ts';
import { all } from '../../shared/operation.ts';
import { sql } from '../../shared/sql.ts';
import { runSteps } from '../file/run-steps.ts';
import { Suspects } from './suspects.ts';

/** Jobs of one host examined in one `take`, round-robin: bounds the work when thousands of jobs share a host. */
const jobsPerTake = 64;
/** Rows of ended jobs removed in one `take`: queued requests of a finished job are closed lazily. */
const leftoversPerTake = 1_000;
/** Rows whose pause is over that become due in one `take`. */
const promotedPerTake = 1_000;
/** How soon to look again at a host whose jobs have everything in flight, on other hosts, that their limits allow. */
const limitedRetryMs = 1_000;
/** No job has this number: rows are numbered from 1. */
const noJob = 0;

/** The jobs that have something due on a host, and that this process may work on. */
interface DueJobs {
  readonly jobs: readonly JobRow[];
  /** False if there can be others, which were not looked at. */
  readonly areAll: boolean;
  /** The last job that was looked at. */
  readonly last: number | undefined;
}

/** The writing half of the frontier. Every method runs inside a transaction of the writer. */
export class FrontierWrites {
  readonly #db: Database;
  readonly #hosts: Hosts;
  readonly #jobs: JobRows;
  readonly #settling: Settling;
  readonly #suspects: Suspects;
  #onlyJob: number | undefined;
  #hasBrowser = false;
  readonly #forBrowser = new ForBrowser();
  /** Until then, takes are small after a crash, so that the next one has fewer suspects. */
  #carefulUntil = 0;
  readonly #nextJob: Statement<[number, number, number], { job: number | null }>;
  readonly #promote: Statement<[number, number, number]>;
  readonly #due: Statement<[number, number, number, number, number], PendingRow>;
  readonly #mark: Statement<[number, number]>;
  readonly #leftovers: Statement<[number, number, number]>;
  readonly #handBack: Statement<[number, number], { id: number; job: number; kind: RequestKind }>;
  readonly #unmark: Statement<[number]>;
  readonly #anyDue: Statement<[number]>;
  readonly #earliest: Statement<[number], { not_before: number; job: number }>;
  readonly #delayOf: Statement<[number], { delay_ms: number }>;

  constructor(db: Database, hosts: Hosts, jobs: JobRows, settling: Settling) {
    this.#db = db;
    this.#hosts = hosts;
    this.#jobs = jobs;
    this.#settling = settling;
    this.#suspects = new Suspects(db, jobs, settling);
    // The conditions on fence and not_before are those of the partial indexes: see schema.ts.
    this.#nextJob = db.prepare(
      'SELECT min(job) AS job FROM frontier WHERE host = ? AND job > ? AND job <= ? AND fence IS NULL AND not_before = 0',
    );
    this.#promote = db.prepare(`
      UPDATE frontier SET not_before = 0 WHERE id IN (
        SELECT id FROM frontier WHERE host = ? AND fence IS NULL AND not_before > 0 AND not_before <= ? ORDER BY not_before LIMIT ?)`);
    this.#due = db.prepare(`
      SELECT ${pendingColumns} FROM frontier f JOIN ledger l ON l.id = f.id
      WHERE f.host = ? AND f.job = ? AND f.fence IS NULL AND f.not_before = 0 AND f.priority BETWEEN ? AND ?
      ORDER BY f.priority, f.id LIMIT ?`);
    this.#mark = db.prepare('UPDATE frontier SET fence = ? WHERE id = ?');
    this.#leftovers = db.prepare(`
      DELETE FROM frontier WHERE id IN (
        SELECT id FROM frontier WHERE host = ? AND job = ? AND fence IS NULL AND not_before = 0 LIMIT ?)`);
    this.#handBack = db.prepare(
      'SELECT f.id, f.job, l.kind FROM frontier f JOIN ledger l ON l.id = f.id WHERE f.host = ? AND f.fence = ? AND f.fence IS NOT NULL',
    );
    this.#unmark = db.prepare('UPDATE frontier SET fence = NULL WHERE id = ?');
    this.#anyDue = db.prepare('SELECT 1 FROM frontier WHERE host = ? AND fence IS NULL AND not_before = 0 LIMIT 1');
    this.#earliest = db.prepare(
      'SELECT not_before, job FROM frontier WHERE host = ? AND fence IS NULL AND not_before > 0 ORDER BY not_before LIMIT 1',
    );
    this.#delayOf = db.prepare('SELECT delay_ms FROM host WHERE id = ?');
  }

  recover(options: RecoverOptions, now: number): Pick<Life, 'suspects' | 'isAfterDeath'> {
    const { delayMs, onlyJob, hasBrowser = false } = options;
    this.#hasBrowser = hasBrowser;
    this.#onlyJob = onlyJob === undefined ? undefined : (this.#jobs.getById(onlyJob)?.seq ?? noJob);
    const deaths = reclaim(this.#db, {
      jobs: this.#jobs,
      suspects: this.#suspects,
      range: this.#jobRange(),
      delayMs,
      now,
    });
    if (deaths > 0) this.#carefulUntil = now + carefulMs;
    return { suspects: this.#countSuspects(), isAfterDeath: deaths > 0 };
  }

  takeSuspect(aloneDeaths: number, now: number): Suspect | 'later' | 'none' {
    const suspect = this.#suspects.find(this.#jobRange(), aloneDeaths, now);
    const host = suspect && this.#hosts.lease(suspect.host);
    if (!suspect || !host) return this.#countSuspects() > 0 ? 'later' : 'none';
    const job = this.#jobs.get(suspect.job);
    if (!job) throw new Error(`request ${suspect.id} has no job`);
    const isAlone = this.#suspects.mark(suspect);
    const [request] = this.#takeRows({ fence: host.fence }, job, [suspect]);
    if (!request) throw new Error(`request ${suspect.id} was not taken`);
    return { lease: { hostId: host.id, host: host.name, fence: host.fence }, request, isAlone };
  }

  /** `chance`: returns a number from 0 to 1. */
  leaseHosts(
    { most = 1, takes = false, lanesPerOrg = Number.MAX_SAFE_INTEGER }: LeaseOptions,
    now: number,
    chance: () => number,
  ): readonly Leased[] {
    const leaseNext = (): HostRow | undefined =>
      this.#hosts.leaseNext({ now, chance: chance(), lanesPerOrg, isUrgentOnly: false });
    return this.#leaseWhile(most, leaseNext, takes, now);
  }

  leaseUrgentHosts(most: number, now: number): readonly Leased[] | 'later' | 'none' {
    const leaseNext = (): HostRow | undefined =>
      this.#hosts.leaseNext({ now, chance: 0, lanesPerOrg: 0, isUrgentOnly: true });
    const leased = this.#leaseWhile(most, leaseNext, true, now);
    return leased.length > 0 ? leased : this.#hosts.isAnyDue(now) ? 'later' : 'none';
  }

  #leaseWhile(most: number, leaseNext: () => HostRow | undefined, takes: boolean, now: number): readonly Leased[] {
    const leased: Leased[] = [];
    while (leased.length < most) {
      const host = leaseNext();
      if (!host) break;
      leased.push(this.#leased(host, takes, now));
    }
    return leased;
  }

  #leased(host: HostRow, takes: boolean, now: number): Leased {
    // The last release set the next turn after this delay.
    const restedMs = host.next_at > 0 ? host.delay_ms : Number.POSITIVE_INFINITY;
    const lease = { hostId: host.id, host: host.name, fence: host.fence, restedMs };
    if (!takes) return { lease, requests: [], mayHaveMore: true };
    const most = requestsOfUse({ delayMs: host.delay_ms, isKnown: host.next_at > 0 }, turnMs);
    const requests = this.take(lease, most, now);
    return { lease, requests, mayHaveMore: requests.length >= Math.min(most, takenWithCare) };
  }

  take(lease: HostLease, max: number, now: number): Request[] {
    const held = this.#hosts.held(lease.hostId, lease.fence);
    if (!held) return [];
    this.#promote.run(lease.hostId, now, promotedPerTake);
    const { jobs, areAll, last } = this.#jobsInTurn(lease.hostId, held.last_job);
    // Many jobs that need a browser must not hide one that does not.
    if (jobs.length === 0 && !areAll && last !== undefined) this.#hosts.setLastJob(lease.hostId, last);
    const room = now < this.#carefulUntil ? Math.min(max, takenWithCare) : max;
    const taken: Request[] = [];
    const lastServed = takeInTurn(jobs, room, (job, most) => {
      const requests = this.#takeOfJob(lease, job, most);
      taken.push(...requests);
      return requests.length;
    });
    if (lastServed !== undefined && lastServed !== held.last_job) this.#hosts.setLastJob(lease.hostId, lastServed);
    return taken;
  }

  settle(lease: HostLease, settlements: readonly Settlement[], now: number): void {
    if (!this.#hosts.held(lease.hostId, lease.fence)) return;
    for (const settlement of settlements) this.#settling.settle(lease, settlement, now);
  }

  giveUp(lease: HostLease, error: CrawlError, notice: Notice, onlyJob?: string): boolean {
    if (!this.#hosts.held(lease.hostId, lease.fence)) return false;
    // First hand back what was taken, so that it counts as queued.
    this.#takeBack(lease);
    const range = this.#jobRange();
    const seq = onlyJob === undefined ? undefined : this.#jobs.getById(onlyJob)?.seq;
    if (onlyJob !== undefined && (seq === undefined || seq < range.first || seq > range.last)) return false;
    const jobs = seq === undefined ? range : { first: seq, last: seq };
    const { requests, mayHaveMore } = runSteps(this.#db, pendingOn(lease.hostId, jobs));
    for (const { id, job } of requests) this.#settling.giveUp(id, job, error, notice);
    return mayHaveMore;
  }

  giveUpForBrowser(error: CrawlError): boolean {
    if (this.#hasBrowser) return false;
    const found = runSteps(this.#db, this.#forBrowser.next(this.#jobRange()));
    if (!found) return false;
    for (const { id, job } of found.requests) this.#settling.giveUp(id, job, error, undefined);
    this.#forBrowser.pass(found);
    return true;
  }

  /** Makes the hosts of a job that was stopped available: meanwhile they had no work. */
  wakeJob(job: JobRow, now: number): void {
    const due = sql`SELECT id FROM host WHERE EXISTS (SELECT 1 FROM frontier WHERE host = host.id AND job = ${job.seq} AND fence IS NULL AND not_before = 0)`;
    for (const [index, { id }] of runSteps(this.#db, all<{ readonly id: number }>(due)).entries()) {
      this.#hosts.wake(id, now, { line: lineOf(job, index === 0), queued: job.queued });
    }
  }

  noteDelay(host: string, delayMs: number): void {
    this.#hosts.setDelay(this.#hosts.idOf(host), Math.ceil(delayMs));
  }

  release(lease: HostLease, options: ReleaseOptions, now: number): void {
    const held = this.#hosts.held(lease.hostId, lease.fence);
    if (!held) return;
    this.#takeBack(lease);
    this.#promote.run(lease.hostId, now, promotedPerTake);
    if (options.notice) this.#tell(lease.hostId, held.last_job, options.notice);
    // Times can have fractions: a Crawl-delay of 1.1 seconds is 1100.0000000000002 ms.
    const nextAt = Math.ceil(Math.max(now, options.notBefore ?? now));
    const due = this.#jobsInTurn(lease.hostId, held.last_job);
    const readyAt = this.#readyAt(lease.hostId, due, nextAt, now);
    failPoint('release.writing');
    const delayMs = Math.ceil(options.delayMs ?? this.#delayOf.get(lease.hostId)?.delay_ms ?? 0);
    this.#hosts.release(lease.hostId, { now, nextAt, delayMs, readyAt, line: this.#nextLine(lease.hostId, due.jobs) });
  }

  /**
   * The jobs that have something due on a host, starting after the job that was served last. Removes queued requests of
   * ended jobs on the way.
   */
  #jobsInTurn(host: number, lastJob: number): DueJobs {
    const jobs: JobRow[] = [];
    let looks = jobsPerTake;
    let leftovers = leftoversPerTake;
    let looked: number | undefined;
    for (const [behind, last] of this.#turns(lastJob)) {
      for (
        let seq = this.#nextJob.get(host, behind, last)?.job;
        typeof seq === 'number';
        seq = this.#nextJob.get(host, seq, last)?.job
      ) {
        if (looks-- === 0) return { jobs, areAll: false, last: looked };
        looked = seq;
        const job = this.#jobs.get(seq);
        if (job && !hasEnded(job.status)) {
          if (job.stopped_at === null && (this.#hasBrowser || job.needs_browser === 0)) jobs.push(job);
        } else if (leftovers > 0) leftovers -= this.#leftovers.run(host, seq, leftovers).changes;
      }
    }
    return { jobs, areAll: leftovers > 0, last: looked };
  }

  /** Ranges of jobs in the order of their turns. The first number is excluded, the second included. */
  #turns(lastJob: number): readonly (readonly [number, number])[] {
    if (this.#onlyJob !== undefined) return [[this.#onlyJob - 1, this.#onlyJob]];
    return [
      [lastJob, Number.MAX_SAFE_INTEGER],
      [0, lastJob],
    ];
  }

  /** Takes requests of a job. Ends the job if its time is up. Without room for pages, it still takes sitemaps. */
  #takeOfJob(lease: HostLease, job: JobRow, max: number): Request[] {
    if (job.ends_by !== null && job.ends_by <= Date.now()) {
      endJob(job, endStatus(job), 'time_limit', Date.now());
      this.#jobs.touch(job);
    }
    // The round before can have ended it.
    if (hasEnded(job.status)) return [];
    const room = roomOf(job, Date.now());
    const rows =
      room > 0
        ? this.#due.all(lease.hostId, job.seq, movedPriority, lastPriority, Math.min(max, room))
        : this.#due.all(lease.hostId, job.seq, controlPriority, controlPriority, max);
    return this.#takeRows(lease, job, rows);
  }

  #takeRows({ fence }: Pick<HostLease, 'fence'>, job: JobRow, rows: readonly PendingRow[]): Request[] {
    for (const { id } of rows) this.#mark.run(fence, id);
    return takeFrom(this.#jobs, job, rows);
  }

  /** Hands back requests that were taken under a lease and not settled. */
  #takeBack(lease: HostLease): void {
    for (const { id, job, kind } of this.#handBack.all(lease.hostId, lease.fence)) {
      this.#unmark.run(id);
      returnToQueue(this.#jobs, this.#jobs.get(job), kind, Date.now());
    }
  }

  /** Adds a notice to the jobs that have something due on a host. */
  #tell(host: number, lastJob: number, notice: Notice): void {
    for (const job of this.#jobsInTurn(host, lastJob).jobs) {
      addNotice(job, { ...notice, at: Date.now() });
      this.#jobs.touch(job);
    }
  }

  #countSuspects(): number {
    return runSteps(this.#db, countSuspects(this.#jobRange()));
  }

  #jobRange(): JobRange {
    return {
      first: this.#onlyJob ?? 0,
      last: this.#onlyJob ?? Number.MAX_SAFE_INTEGER,
      hasBrowser: this.#hasBrowser,
    };
  }

  /** When a lease of the host becomes useful; null if it has nothing pending. */
  #readyAt(host: number, { jobs, areAll }: DueJobs, nextAt: number, now: number): number | null {
    if (
      jobs.some(
        (job) => roomOf(job, Date.now()) > 0 || this.#due.get(host, job.seq, controlPriority, controlPriority, 1),
      )
    )
      return nextAt;
    const isMoreDue =
      jobs.length > 0 || (this.#onlyJob === undefined && !areAll && this.#anyDue.get(host) !== undefined);
    if (isMoreDue) return Math.max(nextAt, now + limitedRetryMs);
    const earliest = this.#earliest.get(host)?.not_before;
    return earliest === undefined ? null : Math.max(nextAt, earliest);
  }

  /** The line of the job with the fewest queued URLs, of those that wait for the host. */
  #nextLine(host: number, due: readonly JobRow[]): LineOfJob | undefined {
    const smallest = due.reduce<JobRow | undefined>(
      (one, job) => (one && one.queued <= job.queued ? one : job),
      undefined,
    );
    const postponed = smallest ? undefined : this.#earliest.get(host);
    const job = smallest ?? (postponed && this.#jobs.get(postponed.job));
    return job && lineOf(job);
  }
}
