import type { Job, JobNotice, JobSpec, JobStatus, RequestHeaders } from './job.ts';
import type { Link } from './request.ts';
import type { StoredPage } from './page.ts';
import type { Permission } from './permissions.ts';
import type { Frontier } from './frontier.ts';
import type { Standing } from './standing.ts';
import type { Outbox } from './webhook.ts';
import type { WorkQueue } from './work.ts';

/** One store: every port on the same database. A backend is finished when it passes `test/storage/store-contract.ts`. */
export interface Store {
  readonly frontier: Frontier;
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly tokens: TokenStore;
  readonly work: WorkQueue;
  /** The events for webhooks in {@link work}. */
  readonly outbox: Outbox;
  readonly standing: Standing;
  /** 32 random bytes, made with the database and kept with it. Signs cursors. */
  readonly secret: Uint8Array;
  /**
   * Removes one small step of what nobody can read any more. `now`: @default the clock of the store, which on PostgreSQL is that of
   * the database. A clock that is a day off is believed after an hour only, since what is removed does not come back.
   */
  sweep(now?: number): Promise<Swept>;
  /** Rejects when the database cannot be written. */
  ping(): Promise<void>;
  /**
   * Notes where this process listens, if it does, for `keptMs` from now on, and returns where all processes of the database do whose
   * time is not over.
   */
  noteListener(own: Listener | undefined, keptMs: number): Promise<readonly Listener[]>;
  /** Whether a process that crawls on this store now has a browser, as it said when its life began. */
  hasBrowser(): Promise<boolean>;
  /** How those of this process to its database are used now, where it has any. */
  connections?(): StoreConnections;
  /**
   * Fires, with an `ExitError`, when the store cannot go on. A fault that may pass (a full or read-only disk, a lock that
   * another process holds) is none: meanwhile the writes of the engine wait, and those of clients are rejected.
   */
  readonly failed: AbortSignal;
  /** Writes that wait for a fault to pass are rejected from now on. What they were about is done at the next start. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface Listener {
  /** Its host name: a loopback address is meant on this machine only. */
  readonly machine: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

export interface Swept {
  /** Something is left to remove. */
  readonly more: boolean;
  /** Set while results that have expired by the clock are kept, since the clock is this far ahead of what it showed last. */
  readonly clockAheadMs?: number;
}

export interface StoreConnections {
  readonly open: number;
  /** Of the open ones, those that nobody uses. */
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
  /** As many as may be open. */
  readonly max: number;
}

export interface NewJob {
  readonly id: string;
  readonly org: string;
  readonly spec: JobSpec;
  readonly createdAt: number;
  /** The start URLs, already judged like any link. */
  readonly startLinks: readonly Link[];
  /** The origins whose sitemaps are to be read; empty when none are. */
  readonly origins: readonly Link[];
  readonly scopeHosts: readonly string[];
  readonly notices: Job['notices'];
  readonly headers: RequestHeaders;
  readonly webhookUrl?: string;
  /** Somebody waits for its page. @default false */
  readonly isInteractive?: boolean;
  /** Jobs of the org that may be unfinished, with this one. @default any number */
  readonly unfinishedMax?: number;
  readonly idempotency?: Idempotency;
}

/** What a client calls a request that it may send again. An org has its keys for itself, for creating and retrying together. */
export interface Idempotency {
  readonly key: string;
  /** Of all that the request asks for. */
  readonly bodyHash: string;
}

export interface RetryJob {
  /** Of the new job. */
  readonly id: string;
  /** That of the ended job. */
  readonly spec: JobSpec;
  readonly createdAt: number;
  readonly headers: RequestHeaders;
  readonly webhookUrl?: string;
  /** As in {@link NewJob}. */
  readonly unfinishedMax?: number;
  readonly idempotency?: Idempotency;
}

/**
 * No such job; it has not ended; its ledger is gone; none of its URLs failed; the org has too many jobs that are unfinished; the
 * idempotency key was used for another request.
 */
export type RetryRefusal = 'unknown' | 'running' | 'expired' | 'nothing_failed' | 'too_many' | 'conflict';

export interface JobStore {
  /**
   * Stores a job with its start URLs in one transaction; when this resolves it is on disk. With an idempotency key that
   * the org used within 24 hours, answers the earlier job, or `conflict` when the body was another. `too_many`: the org has
   * `unfinishedMax` jobs that have not ended, so this one was not stored.
   */
  create(job: NewJob): Promise<Job | 'conflict' | 'too_many'>;

  /**
   * Stores a job that crawls what failed in an ended one: with its options, and its failed URLs to begin with. URLs that
   * the ended job, or one that it is itself a retry of, has in its ledger otherwise are discarded (`crawled_before`).
   * Idempotency keys are as in {@link create}: the earlier job is answered whatever has become of the ended one since.
   */
  retry(org: string, id: string, retry: RetryJob): Promise<Job | RetryRefusal>;

  get(org: string, id: string): Promise<Job | undefined>;

  /** Jobs of an org that have not ended. */
  countUnfinished(org: string): Promise<number>;

  /** Jobs of an org, newest first, behind `after`. */
  list(
    org: string,
    query: { readonly after?: string; readonly limit: number; readonly status?: JobStatus },
  ): Promise<readonly Job[]>;

  /**
   * Ends a job that has not ended. Repeatable. What is left of its URLs counts as discarded, `cancelled`. `now`: @default the clock
   * of the store, as in {@link Store.sweep}.
   */
  cancel(org: string, id: string, now?: number): Promise<Job | undefined>;

  /** Cancels, and makes the results unreadable from now on, for good. Repeatable. */
  delete(org: string, id: string, now?: number): Promise<Job | undefined>;

  /** The URL ledger in the order of discovery, after entry `after`. */
  listUrls(jobId: string, query: LedgerQuery): Promise<readonly LedgerEntry[]>;

  /** The ledger entry of the URL with this dedupe key, as a page or else as a sitemap; undefined where the job never discovered it. */
  findUrl(jobId: string, key: string): Promise<LedgerEntry | undefined>;

  /** Adds a notice to a job, also to one that has ended, unless it has one with this code. Nothing where there is no such job. */
  addNotice(id: string, notice: JobNotice): Promise<void>;

  /** Resolves when something of the job may have changed, or after `maxMs`. A hint: read again and see. */
  waitForChange(jobId: string, maxMs: number, signal: AbortSignal): Promise<void>;
}

export const ledgerStatuses = ['queued', 'inFlight', 'scraped', 'discarded', 'failed'] as const;
export type LedgerStatus = (typeof ledgerStatuses)[number];

/** What is listed of a job: its pages, or its sitemaps. */
export const ledgerKinds = ['page', 'sitemap'] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

export interface LedgerQuery {
  readonly after: number;
  readonly limit: number;
  readonly status?: LedgerStatus;
  readonly reason?: string;
  /** @default page */
  readonly kind?: LedgerKind;
}

/** One discovered URL of a job, with what became of it. */
export interface LedgerEntry {
  /** Position in the ledger, rising. */
  readonly entry: number;
  readonly url: string;
  readonly kind: LedgerKind;
  readonly status: LedgerStatus;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly depth: number;
  readonly attempts: number;
  readonly statusCode: number | null;
  /** Number of the page it became. */
  readonly page: number | null;
  /** The URL of the page on which it was found first; null for start URLs and sitemaps. */
  readonly foundOn: string | null;
  /** When the page was last changed, as a sitemap says it. */
  readonly lastmod: string | null;
}

export interface PageStore {
  /**
   * Pages behind `after`, in order, without gaps, together with the state of the job: both from one snapshot.
   * Reads one page further than it returns, so `more` is exact. Ends early, never before one page, once the inflated
   * texts pass `bytesMax`; without texts, once the metadata does. Ends before a page that is not what was stored.
   */
  read(query: {
    readonly org: string;
    readonly jobId: string;
    readonly after: number;
    readonly limit: number;
    readonly withText: boolean;
    /** Without texts: metadata packed, where all of the slice is stored so; an earlier version stored it plain. @default false: plain */
    readonly packed?: boolean;
    /** Without texts: of the metadata of each page only these fields, unpacked. @default all */
    readonly fields?: readonly string[];
    readonly bytesMax: number;
  }): Promise<PageSlice | undefined>;
}

export interface PageSlice {
  readonly status: JobStatus;
  /** See {@link Job.areResultsGone}. */
  readonly areResultsGone: boolean;
  readonly pages: readonly StoredPage[];
  /** More pages are committed behind the last of these. */
  readonly more: boolean;
  /** The number of the page behind the last of these, where it is missing or is not what was stored. No part of it is here. */
  readonly damagedPage?: number;
  /** Pages of the job committed in all. */
  readonly total: number;
  /** Gives back the memory of these pages, which nobody may read from then on. Where it is not called, that is left to V8. */
  readonly release: () => void;
}

export interface Token {
  /** Short public name, for listing and revoking. */
  readonly id: string;
  readonly org: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** Not valid from here on; null where it does not expire. */
  readonly expiresAt: number | null;
}

export interface TokenStore {
  /** `hash` is the SHA-256 of the token in hexadecimal: the token itself is never stored. */
  add(token: Token, hash: string): Promise<void>;
  /** A token that was revoked is found, with `revokedAt` set. */
  find(hash: string): Promise<Token | undefined>;
  list(): Promise<readonly Token[]>;
  /** False when there is no such token. */
  revoke(id: string, now: number): Promise<boolean>;
}
