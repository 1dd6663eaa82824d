import type { Database } from './database.ts';
import type { HostLease, Notice, ReleaseOptions, Settlement } from '../../core/frontier.ts';
import type { Job } from '../../core/job.ts';
import type { CrawlError, Request } from '../../core/request.ts';
import type { NewJob, Token } from '../../core/stores.ts';
import { FrontierWrites } from './frontier-writes.ts';
import { Hosts } from './hosts.ts';
import { JobRows } from './job-rows.ts';
import { JobWrites } from './job-writes.ts';
import { Ledger } from './ledger.ts';
import { Settling } from './settling.ts';
import { sweepStep } from './sweeping.ts';
import { addToken, revokeToken } from './tokens.ts';

/** Everything that writes, by name: the language between the store and its writer thread. */
export interface WriterOperations {
  recover(options: { readonly delayMs: number; readonly onlyJob?: string }): void;
  leaseHost(): HostLease | undefined;
  take(lease: HostLease, max: number): Request[];
  settle(lease: HostLease, settlements: readonly Settlement[]): void;
  release(lease: HostLease, options: ReleaseOptions): void;
  giveUp(lease: HostLease, error: CrawlError, notice: Notice): boolean;
  noteDelay(host: string, delayMs: number): void;
  createJob(job: NewJob): Job | 'conflict';
  cancelJob(org: string, id: string, now: number): Job | undefined;
  deleteJob(org: string, id: string, now: number): Job | undefined;
  addToken(token: Token, hash: string): void;
  revokeToken(id: string, now: number): boolean;
  sweep(now: number): boolean;
  ping(): void;
}

export interface Changed {
  /** Ids. */
  readonly jobs: readonly string[];
  /** A host may have become due. */
  readonly haveWork: boolean;
}

/** The operations on one database, to be run inside a transaction, and what has to happen around it. */
export interface Writes {
  readonly operations: WriterOperations;
  /** Before the commit: writes what is still in memory; answers what others may be waiting for. */
  flush(): Changed;
  /** After a rollback: forgets what was in memory. */
  forget(): void;
}

export function createWrites(db: Database): Writes {
  const hosts = new Hosts(db);
  const ledger = new Ledger(db, hosts);
  const jobs = new JobRows(db);
  const jobWrites = new JobWrites(db, jobs, ledger);
  const frontier = new FrontierWrites(db, hosts, jobs, new Settling(db, jobs, ledger));
  const touch = db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('ping', x'00')");
  return {
    operations: {
      recover: (options) => frontier.recover(options, Date.now()),
      leaseHost: () => frontier.leaseHost(Date.now()),
      take: (lease, max) => frontier.take(lease, max, Date.now()),
      settle: (lease, settlements) => frontier.settle(lease, settlements, Date.now()),
      release: (lease, options) => frontier.release(lease, options, Date.now()),
      giveUp: (lease, error, notice) => frontier.giveUp(lease, error, notice, Date.now()),
      noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
      createJob: (job) => jobWrites.create(job),
      cancelJob: (org, id, now) => jobWrites.cancel(org, id, now),
      deleteJob: (org, id, now) => jobWrites.delete(org, id, now),
      addToken: (token, hash) => addToken(db, token, hash),
      revokeToken: (id, now) => revokeToken(db, id, now),
      sweep: (now) => sweepStep(db, now),
      ping: () => void touch.run(),
    },
    flush: () => ({ jobs: jobs.flush(), haveWork: hosts.takeHaveWork() }),
    forget: () => {
      jobs.forget();
      hosts.forget();
      ledger.forget();
    },
  };
}
