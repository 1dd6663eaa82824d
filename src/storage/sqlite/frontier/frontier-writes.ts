import type { Database } from '../file/database.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
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
import type { CrawlError, Request } from '../../../core/request.ts';
import { requestsOfUse, turnMs } from '../../../core/turn.ts';
import type { LeaseWish } from './host-lines.ts';
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
import { countSuspects, ForBrowser, type JobRange, pendingOn, type SuspectRow } from '../../shared/frontier-rows.ts';
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
  constructor(db: Database, hosts: Hosts, jobs: JobRows, settling: Settling) {
    this.#db = db;
    this.#hosts = hosts;
    this.#jobs = jobs;
    this.#settling = settling;
    this.#suspects = new Suspects(db, jobs, settling);
  }

  recover(options: Omit<RecoverOptions, 'openPages'>): Pick<Life, 'suspects' | 'isAfterDeath'> {
    const { delayMs, onlyJob, hasBrowser = false } = options;
    const now = monotonicNow();
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

  takeSuspect(aloneDeaths: number): Suspect | 'later' | 'none' {
    const suspect = this.#suspects.find(this.#jobRange(), aloneDeaths, monotonicNow());
    const host = suspect && this.#hosts.lease(suspect.host);
    if (!suspect || !host) return this.#countSuspects() > 0 ? 'later' : 'none';
    const job = this.#jobs.get(suspect.job);
    if (!job) throw new Error(`request ${suspect.id} has no job`);
    const isAlone = this.#suspects.mark(suspect);
    const [request] = this.#takeRows({ fence: host.fence }, job, [suspect]);
    if (!request) throw new Error(`request ${suspect.id} was not taken`);
    return { lease: { hostId: host.id, host: host.name, fence: host.fence }, request, isAlone };
  }

  leaseHosts({ most = 1, takes = false, lanesPerOrg = Number.MAX_SAFE_INTEGER }: LeaseOptions = {}): readonly Leased[] {
    return this.#lease(most, takes, { lanesPerOrg, isUrgentOnly: false });
  }

  leaseUrgentHosts(most: number): readonly Leased[] | 'later' | 'none' {
    const leased = this.#lease(most, true, { lanesPerOrg: 0, isUrgentOnly: true });
    return leased.length > 0 ? leased : this.#hosts.isAnyDue(monotonicNow()) ? 'later' : 'none';
  }

  #lease(most: number, takes: boolean, wish: Pick<LeaseWish, 'lanesPerOrg' | 'isUrgentOnly'>): readonly Leased[] {
    const now = monotonicNow();
    const leased: Leased[] = [];
    while (leased.length < most) {
      const host = this.#hosts.leaseNext({ ...wish, now, chance: Math.random() });
      if (!host) break;
      leased.push(this.#leased(host, takes, now));
    }
    return leased;
  }

  #leased(host: HostRow, takes: boolean, now: number): Leased {
    // The last release set the next turn after this delay.
    const restedMs = host.next_at > 0 ? host.delay_ms : Number.POSITIVE_INFINITY;
    const lease = { hostId: host.id, host: host.name, fence: host.fence, restedMs, mustRest: host.next_at > now };
    if (!takes) return { lease, requests: [], mayHaveMore: true };
    const most = requestsOfUse({ delayMs: host.delay_ms, isKnown: host.next_at > 0 }, turnMs);
    const requests = this.#take(lease, most, now);
    return { lease, requests, mayHaveMore: requests.length >= Math.min(most, takenWithCare) };
  }

  take(lease: HostLease, max: number): Request[] {
    return this.#take(lease, max, monotonicNow());
  }

  #take(lease: HostLease, max: number, now: number): Request[] {
    const held = this.#hosts.held(lease.hostId, lease.fence);
    if (!held) return [];
    this.#db.run(promote, lease.hostId, now, promotedPerTake);
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

  settle(lease: HostLease, settlements: readonly Settlement[]): void {
    if (!this.#hosts.held(lease.hostId, lease.fence)) return;
    const now = monotonicNow();
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
      this.#hosts.wake(id, now, job, lineOf(job, index === 0));
    }
  }

  noteDelay(host: string, delayMs: number): void {
    this.#hosts.setDelay(this.#hosts.idOf(host), Math.ceil(delayMs));
  }

  release(lease: HostLease, options: ReleaseOptions = {}): void {
    const held = this.#hosts.held(lease.hostId, lease.fence);
    if (!held) return;
    const now = monotonicNow();
    this.#takeBack(lease);
    this.#db.run(promote, lease.hostId, now, promotedPerTake);
    if (options.notice) this.#tell(lease.hostId, held.last_job, options.notice);
    // Times can have fractions: a Crawl-delay of 1.1 seconds is 1100.0000000000002 ms.
    const nextAt = Math.ceil(Math.max(now, held.next_at, options.notBefore ?? now));
    const due = this.#jobsInTurn(lease.hostId, held.last_job);
    const readyAt = this.#readyAt(lease.hostId, due, nextAt, now);
    failPoint('release.writing');
    const delayMs = Math.ceil(options.delayMs ?? held.delay_ms);
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
      for (let seq = this.#jobAfter(behind, host, last); seq !== null; seq = this.#jobAfter(seq, host, last)) {
        if (looks-- === 0) return { jobs, areAll: false, last: looked };
        looked = seq;
        const job = this.#jobs.get(seq);
        if (job && !hasEnded(job.status)) {
          if (job.stopped_at === null && (this.#hasBrowser || job.needs_browser === 0)) jobs.push(job);
        } else if (leftovers > 0) leftovers -= this.#db.run(removeLeftovers, host, seq, leftovers).changes;
      }
    }
    return { jobs, areAll: leftovers > 0, last: looked };
  }

  #jobAfter(behind: number, host: number, last: number): number | null {
    return this.#db.get<{ readonly job: number | null }>(nextJob, host, behind, last)?.job ?? null;
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
    const [from, to] = room > 0 ? [movedPriority, lastPriority] : [controlPriority, controlPriority];
    const most = room > 0 ? Math.min(max, room) : max;
    const rows = this.#db.all<PendingRow>(findDue, lease.hostId, job.seq, from, to, most);
    return this.#takeRows(lease, job, rows);
  }

  #takeRows({ fence }: Pick<HostLease, 'fence'>, job: JobRow, rows: readonly PendingRow[]): Request[] {
    for (const { id } of rows) this.#db.run('UPDATE frontier SET fence = ? WHERE id = ?', fence, id);
    return takeFrom(this.#jobs, job, rows);
  }

  /** Hands back requests that were taken under a lease and not settled. */
  #takeBack(lease: HostLease): void {
    const taken = this.#db.all<Pick<SuspectRow, 'id' | 'job' | 'kind'>>(findTaken, lease.hostId, lease.fence);
    for (const { id, job, kind } of taken) {
      this.#db.run('UPDATE frontier SET fence = NULL WHERE id = ?', id);
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
    const hasControl = (job: number): boolean =>
      this.#db.get(findDue, host, job, controlPriority, controlPriority, 1) !== undefined;
    if (jobs.some((job) => roomOf(job, Date.now()) > 0 || hasControl(job.seq))) return nextAt;
    const isMoreDue =
      jobs.length > 0 || (this.#onlyJob === undefined && !areAll && this.#db.get(findAnyDue, host) !== undefined);
    if (isMoreDue) return Math.max(nextAt, now + limitedRetryMs);
    const earliest = this.#db.get<Postponed>(findPostponed, host)?.not_before;
    return earliest === undefined ? null : Math.max(nextAt, earliest);
  }

  /** The line of the job with the fewest queued URLs, of those that wait for the host. */
  #nextLine(host: number, due: readonly JobRow[]): LineOfJob | undefined {
    const smallest = due.reduce<JobRow | undefined>(
      (one, job) => (one && one.queued <= job.queued ? one : job),
      undefined,
    );
    const postponed = smallest ? undefined : this.#db.get<Postponed>(findPostponed, host);
    const job = smallest ?? (postponed && this.#jobs.get(postponed.job));
    return job && lineOf(job);
  }
}

interface Postponed {
  readonly not_before: number;
  readonly job: number;
}

// The conditions on fence and not_before are those of the partial indexes: see schema.ts.
const nextJob =
  'SELECT min(job) AS job FROM frontier WHERE host = ? AND job > ? AND job <= ? AND fence IS NULL AND not_before = 0';
const promote = `UPDATE frontier SET not_before = 0 WHERE id IN (
  SELECT id FROM frontier WHERE host = ? AND fence IS NULL AND not_before > 0 AND not_before <= ? ORDER BY not_before LIMIT ?)`;
const findDue = `SELECT ${pendingColumns} FROM frontier f JOIN ledger l ON l.id = f.id
  WHERE f.host = ? AND f.job = ? AND f.fence IS NULL AND f.not_before = 0 AND f.priority BETWEEN ? AND ? ORDER BY f.priority, f.id LIMIT ?`;
const removeLeftovers = `DELETE FROM frontier WHERE id IN (
  SELECT id FROM frontier WHERE host = ? AND job = ? AND fence IS NULL AND not_before = 0 LIMIT ?)`;
const findTaken = `SELECT f.id, f.job, l.kind FROM frontier f JOIN ledger l ON l.id = f.id
  WHERE f.host = ? AND f.fence = ? AND f.fence IS NOT NULL`;
const findAnyDue = 'SELECT 1 FROM frontier WHERE host = ? AND fence IS NULL AND not_before = 0 LIMIT 1';
const findPostponed =
  'SELECT not_before, job FROM frontier WHERE host = ? AND fence IS NULL AND not_before > 0 ORDER BY not_before LIMIT 1';
