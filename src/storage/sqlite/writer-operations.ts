import type { Database } from './database.ts';
import { monotonicNow } from '../../core/monotonic-time.ts';
import type { HostLease, Notice, ReleaseOptions, Settlement, Suspect } from '../../core/frontier.ts';
import { hasEnded } from '../../core/job.ts';
import type { CrawlError, Request } from '../../core/request.ts';
import type { NewJob, RetryJob, RetryRefusal, Token } from '../../core/stores.ts';
import type { Delivery, DeliveryResult, DueDelivery, Outbox, WebhookKeys } from '../../core/webhook.ts';
import { FrontierWrites } from './frontier-writes.ts';
import { Hosts } from './hosts.ts';
import { JobRows } from './job-rows.ts';
import { JobWrites } from './job-writes.ts';
import { announce } from '../rules/job-events.ts';
import type { JobRow } from '../rules/job-row.ts';
import { Ledger } from '../rules/ledger.ts';
import { SeenUrls } from '../rules/seen-urls.ts';
import { EventWrites } from './event-writes.ts';
import { OutboxWrites } from './outbox-writes.ts';
import { Settling } from '../rules/settling.ts';
import { SqliteTables } from './sqlite-tables.ts';
import { sweepStep } from './sweeping.ts';
import { addToken, revokeToken } from './tokens.ts';
import { rotateWebhookKey, webhookKeys } from './webhook-keys.ts';

/** Everything that writes, by name: the language between the store and its writer thread. */
export interface WriterOperations {
  recover(options: { readonly delayMs: number; readonly onlyJob?: string }): { readonly suspects: number };
  leaseHost(): HostLease | undefined;
  take(lease: HostLease, max: number): Request[];
  takeSuspect(aloneDeaths: number): Suspect | 'later' | 'none';
  settle(lease: HostLease, settlements: readonly Settlement[]): void;
  release(lease: HostLease, options: ReleaseOptions): void;
  giveUp(lease: HostLease, error: CrawlError, notice: Notice): boolean;
  noteDelay(host: string, delayMs: number): void;
  createJob(job: NewJob): JobRow | 'conflict' | 'too_many';
  retryJob(org: string, id: string, retry: RetryJob): JobRow | RetryRefusal;
  cancelJob(org: string, id: string, now: number): JobRow | undefined;
  deleteJob(org: string, id: string, now: number): JobRow | undefined;
  addToken(token: Token, hash: string): void;
  revokeToken(id: string, now: number): boolean;
  sweep(now: number): boolean;
  claimDeliveries(query: Parameters<Outbox['claim']>[0]): DueDelivery[];
  settleDelivery(id: number, result: DeliveryResult): void;
  replayDelivery(jobId: string, id: number): Delivery | undefined;
  webhookKeys(org: string): WebhookKeys;
  rotateWebhookKey(org: string): WebhookKeys;
  ping(): void;
}

export interface Changed {
  /** Ids. */
  readonly jobs: readonly string[];
  /** A host may have become due. */
  readonly haveWork: boolean;
  /** An event was stored that is to be sent. */
  readonly haveEvents: boolean;
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
  const tables = new SqliteTables(db, hosts);
  const seen = new SeenUrls();
  const ledger = new Ledger(tables, seen);
  const events = new EventWrites(db);
  const jobs = new JobRows(db, (row) => {
    announce(row, events, Date.now());
    if (hasEnded(row.status)) seen.forgetJob(row.seq);
  });
  const outbox = new OutboxWrites(db, jobs);
  const jobWrites = new JobWrites(db, jobs, ledger);
  const frontier = new FrontierWrites(db, hosts, jobs, new Settling(tables, jobs, ledger));
  const touch = db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('ping', x'00')");
  return {
    operations: {
      recover: (options) => {
        outbox.recover(Date.now());
        return frontier.recover(options, monotonicNow());
      },
      leaseHost: () => frontier.leaseHost(monotonicNow()),
      take: (lease, max) => frontier.take(lease, max, monotonicNow()),
      takeSuspect: (aloneDeaths) => frontier.takeSuspect(aloneDeaths, monotonicNow()),
      settle: (lease, settlements) => frontier.settle(lease, settlements, monotonicNow()),
      release: (lease, options) => frontier.release(lease, options, monotonicNow()),
      giveUp: (lease, error, notice) => frontier.giveUp(lease, error, notice),
      noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
      createJob: (job) => jobWrites.create(job),
      retryJob: (org, id, retry) => jobWrites.retry(org, id, retry),
      cancelJob: (org, id, now) => jobWrites.cancel(org, id, now),
      deleteJob: (org, id, now) => jobWrites.delete(org, id, now),
      addToken: (token, hash) => addToken(db, token, hash),
      revokeToken: (id, now) => revokeToken(db, id, now),
      sweep: (now) => jobWrites.endOverdue(now) || sweepStep(db, now),
      claimDeliveries: (query) => outbox.claim(query, Date.now()),
      settleDelivery: (id, result) => outbox.settle(id, result, Date.now()),
      replayDelivery: (jobId, id) => outbox.replay(jobId, id, Date.now()),
      webhookKeys: (org) => webhookKeys(db, org, Date.now()),
      rotateWebhookKey: (org) => rotateWebhookKey(db, org, Date.now()),
      ping: () => void touch.run(),
    },
    flush: () => ({ jobs: jobs.flush(), haveWork: hosts.takeHaveWork(), haveEvents: events.takeHaveEvents() }),
    forget: () => {
      jobs.forget();
      hosts.forget();
      tables.forget();
      seen.forget();
    },
  };
}
