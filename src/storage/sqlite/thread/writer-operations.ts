import type { Database } from '../file/database.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
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
import { hasEnded, type JobNotice } from '../../../core/job.ts';
import type { CrawlError, Request } from '../../../core/request.ts';
import type { Expiry, ExpiryRefusal, NewJob, RetryJob, RetryRefusal, Swept } from '../../../core/ports/stores.ts';
import type { Erased, Erasure, ErasureRefusal } from '../../../core/ports/erasures.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { SeededUrls } from '../../../core/ports/baselines.ts';
import type { NewRun, RunRefusal } from '../../../core/ports/schedules.ts';
import type { ClaimedWork, WorkResult, WorkStatus } from '../../../core/ports/work.ts';
import { FrontierWrites } from '../frontier/frontier-writes.ts';
import { Hosts } from '../frontier/hosts.ts';
import { erasePage, isErasedMeanwhile } from '../../shared/erasing.ts';
import { JobRows } from '../jobs/job-rows.ts';
import { JobWrites } from '../jobs/job-writes.ts';
import type { Changed } from '../../rules/frontier/changes.ts';
import { announce } from '../../rules/outbox/job-events.ts';
import { usualJobUrlsMax } from '../../rules/frontier/crawl-tables.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { mayRemove } from '../../rules/jobs/change-counts.ts';
import { removeGone } from '../../shared/remove-gone.ts';
import { addSeeds } from '../../rules/frontier/seeding.ts';
import { fillExample, lacksExample } from '../../rules/jobs/conclusion.ts';
import { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { EventWrites } from '../outbox/event-writes.ts';
import { addExtracted } from '../../rules/frontier/reextracting.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import { SqliteTables } from '../frontier/sqlite-tables.ts';
import { Sweeping } from '../jobs/sweeping.ts';
import { runSteps } from '../file/run-steps.ts';
import { type OperationName, operationOf } from '../../shared/shared-ports.ts';
import { feedOf, mayRun, planAhead, ran } from '../../shared/schedules.ts';
import { WorkWrites } from '../outbox/work-writes.ts';

/** Everything that writes, by name: the protocol between the store and its writer thread. */
export interface WriterOperations {
  recover(options: RecoverOptions): Pick<Life, 'suspects' | 'isAfterDeath'>;
  leaseHosts(options: LeaseOptions): readonly Leased[];
  leaseUrgentHosts(most: number): readonly Leased[] | 'later' | 'none';
  take(lease: HostLease, max: number): Request[];
  takeSuspect(aloneDeaths: number): Suspect | 'later' | 'none';
  settle(lease: HostLease, settlements: readonly Settlement[]): void;
  release(lease: HostLease, options: ReleaseOptions): void;
  giveUp(lease: HostLease, error: CrawlError, notice: Notice, onlyJob?: string): boolean;
  giveUpForBrowser(error: CrawlError): boolean;
  noteDelay(host: string, delayMs: number): void;
  noteNetworks(jobId: string, networks: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  createJob(job: NewJob): JobRow | 'conflict' | 'too_many' | 'gone';
  retryJob(org: string, id: string, retry: RetryJob): JobRow | RetryRefusal;
  cancelJob(org: string, id: string, now: number): JobRow | undefined;
  deleteJob(org: string, id: string, now: number): JobRow | undefined;
  retireJob(org: string, id: string, now: number): JobRow | undefined;
  setExpiry(org: string, id: string, expiry: Expiry, now: number): JobRow | ExpiryRefusal | undefined;
  acceptChanges(org: string, id: string): JobRow | 'superseded' | undefined;
  stopJob(org: string, id: string, now: number): JobRow | undefined;
  resumeJob(org: string, id: string): JobRow | undefined;
  addNotice(id: string, notice: JobNotice): void;
  /** Runs an operation that both stores share. */
  shared(name: OperationName, args: readonly unknown[]): unknown;
  addExtracted(jobId: string, after: number, pages: readonly ExtractedPage[], isLast: boolean): boolean;
  erasePage(erasure: Erasure, now: number): Erased | ErasureRefusal | undefined;
  seedJob(jobId: string, urls: SeededUrls): boolean;
  sweep(now: number): Swept;
  claimWork(query: Parameters<WorkWrites['claim']>[0]): ClaimedWork[];
  settleWork(id: number, result: WorkResult, now?: number): WorkStatus | undefined;
  runSchedule(run: NewRun, now: number): JobRow | RunRefusal;
  recoverWork(): void;
  ping(): void;
}

/** The operations on one database, which run inside a transaction, and the hooks around it. */
export interface Writes {
  readonly operations: WriterOperations;
  /** Call before the commit: writes what is still in memory; returns the changes that callers can wait for. */
  flush(): Changed;
  /** Call after a rollback: forgets what was in memory. */
  forget(): void;
}

export function createWrites(db: Database, jobUrlsMax = usualJobUrlsMax): Writes {
  const hosts = new Hosts(db);
  const tables = new SqliteTables(db, hosts, jobUrlsMax);
  const seen = new SeenUrls();
  const ledger = new Ledger(tables, seen);
  const events = new EventWrites(db);
  const jobs = new JobRows(db, (row) => {
    if (mayRemove(row)) runSteps(db, removeGone(row, Date.now()));
    const left = lacksExample(row) ? tables.leftOf(row.seq) : undefined;
    if (left !== undefined) fillExample(row, left);
    announce(row, events, Date.now());
    if (hasEnded(row.status)) seen.forgetJob(row.seq);
  });
  const work = new WorkWrites(db, jobs, () => events.noteDue());
  const jobWrites = new JobWrites(db, jobs, ledger);
  const frontier = new FrontierWrites(db, hosts, jobs, new Settling(tables, jobs, ledger));
  const sweeping = new Sweeping(db);
  const touch = db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('ping', x'00')");
  return {
    operations: {
      recover: (options) => frontier.recover(options, monotonicNow()),
      leaseHosts: (options) => frontier.leaseHosts(options, monotonicNow(), Math.random),
      leaseUrgentHosts: (most) => frontier.leaseUrgentHosts(most, monotonicNow()),
      take: (lease, max) => frontier.take(lease, max, monotonicNow()),
      takeSuspect: (aloneDeaths) => frontier.takeSuspect(aloneDeaths, monotonicNow()),
      settle: (lease, settlements) => frontier.settle(lease, settlements, monotonicNow()),
      release: (lease, options) => frontier.release(lease, options, monotonicNow()),
      giveUp: (lease, error, notice, onlyJob) => frontier.giveUp(lease, error, notice, onlyJob),
      giveUpForBrowser: (error) => frontier.giveUpForBrowser(error),
      noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
      noteNetworks: (jobId, networks) => jobWrites.noteNetworks(jobId, networks),
      createJob: (job) => jobWrites.create(job),
      retryJob: (org, id, retry) => jobWrites.retry(org, id, retry),
      cancelJob: (org, id, now) => jobWrites.cancel(org, id, now),
      deleteJob: (org, id, now) => jobWrites.delete(org, id, now),
      retireJob: (org, id, now) => jobWrites.retire(org, id, now),
      setExpiry: (org, id, expiry, now) => jobWrites.setExpiry(org, id, expiry, now),
      acceptChanges: (org, id) => jobWrites.acceptChanges(org, id),
      stopJob: (org, id, now) => jobWrites.stop(org, id, now),
      resumeJob: (org, id) => jobWrites.resume(org, id, (row) => frontier.wakeJob(row, monotonicNow())),
      addNotice: (id, notice) => jobWrites.addNotice(id, notice),
      shared: (name, args) => {
        // Its statements read job rows in the database.
        jobs.save();
        const operation = operationOf(name);
        if (operation.addsWork === true) events.noteDue();
        return runSteps(db, operation.steps(...args));
      },
      addExtracted: (jobId, after, pages, isLast) => {
        const job = jobs.getById(jobId);
        if (job === undefined || runSteps(db, isErasedMeanwhile(job, after, pages))) return false;
        const isAdded = addExtracted(tables, job, after, { pages, isLast });
        if (isAdded) jobs.touch(job);
        return isAdded;
      },
      erasePage: (erasure, now) => {
        // It reads and changes job rows in the database.
        jobs.save();
        // What is removed is overwritten: SQLite would leave it in free pages of the file.
        db.pragma('secure_delete = ON');
        try {
          return runSteps(db, erasePage(erasure, now));
        } finally {
          db.pragma('secure_delete = FAST');
        }
      },
      seedJob: (jobId, urls) => {
        const job = jobs.getById(jobId);
        const isAdded = job !== undefined && addSeeds(ledger, job, urls, { dueAt: monotonicNow(), now: Date.now() });
        if (isAdded) jobs.touch(job);
        return isAdded;
      },
      sweep: (now) => {
        hosts.removeIdle(monotonicNow());
        runSteps(db, planAhead(now));
        if (jobWrites.endOverdue(now)) return { more: true };
        // A sweep changes job rows in the database.
        jobs.save();
        return sweeping.step(now);
      },
      claimWork: (query) => work.claim(query),
      settleWork: (id, result, now = Date.now()) => work.settle(id, result, now),
      runSchedule: (run, now) => runSchedule(db, { jobs, jobWrites, events }, run, now),
      recoverWork: () => work.recover(Date.now()),
      ping: () => void touch.run(),
    },
    flush: () => ({ jobs: jobs.flush(), haveWork: hosts.takeHaveWork(), haveEvents: events.takeHaveEvents() }),
    forget: () => {
      events.takeHaveEvents();
      jobs.forget();
      hosts.forget();
      tables.forget();
      seen.forget();
    },
  };
}

/** Creates the job of a schedule, and plans the next run. */
function runSchedule(
  db: Database,
  { jobs, jobWrites, events }: { readonly jobs: JobRows; readonly jobWrites: JobWrites; readonly events: EventWrites },
  { job, work }: NewRun,
  now: number,
): JobRow | RunRefusal {
  // Jobs that ended in this transaction can still be unwritten.
  jobs.save();
  const schedule = runSteps(db, mayRun({ job, ...(work !== undefined && { work }) }));
  if (typeof schedule === 'string') return schedule;
  const made = jobWrites.create(job);
  if (made === 'gone') return made;
  if (typeof made === 'string') throw new Error(`a run of schedule ${schedule.id} was refused: ${made}`);
  failPoint('run.writing');
  made.feed = runSteps(db, feedOf(schedule, made));
  jobs.touch(made);
  runSteps(db, ran(schedule, work, made.id, now));
  events.noteDue();
  return made;
}
