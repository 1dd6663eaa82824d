import type { Job, JobKind, JobNotice, JobSpec, JobStatus, RequestHeaders } from '../job.ts';
import type { PlacedScreenshot, Screenshot, StoredPage } from '../page.ts';
import type { JobChanges } from './changes.ts';
import type { Baselines } from './baselines.ts';
import type { PageBlobs } from './blobs.ts';
import type { Erasures } from './erasures.ts';
import type { ObjectStoreProblem, SegmentObjects } from './object-store.ts';
import type { Frontier } from './frontier.ts';
import type { CrawlStatus } from './crawl-status.ts';
import type { Lessons } from './lessons.ts';
import type { Reextractions } from './reextractions.ts';
import type { Idempotency, NewJob } from './new-job.ts';
import type { ScheduleStore } from './schedules.ts';
import type { PageSearch } from './search.ts';
import type { Token } from '../token.ts';
import type { Outbox } from '../webhook.ts';
import type { WorkQueue } from './work.ts';

export type { Idempotency, NewJob, Token };

/** One store: every port on the same database. A backend is finished when it passes `test/storage/store-contract.ts`. */
export interface Store {
  readonly frontier: Frontier;
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly blobs: PageBlobs;
  readonly erasures: Erasures;
  readonly objects: SegmentObjects;
  readonly reextractions: Reextractions;
  readonly baselines: Baselines;
  readonly schedules: ScheduleStore;
  readonly lessons: Lessons;
  readonly changes: JobChanges;
  readonly search: PageSearch;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly work: WorkQueue;
  /** The webhook events in {@link work}. */
  readonly outbox: Outbox;
  readonly crawlStatus: CrawlStatus;
  /** 32 random bytes, created with the database and kept with it. Signs cursors. */
  readonly secret: Uint8Array;
  /**
   * Removes one small step of data that nobody can read any more. `now`: @default the clock of the store, which on
   * PostgreSQL is that of the database. A clock that jumps ahead by more than a day is trusted only after an hour,
   * because removed data does not come back.
   */
  sweep(now?: number): Promise<Swept>;
  /** Rejects when the database cannot be written. */
  ping(): Promise<void>;
  /** Why object storage cannot be used. Absent if the database has everything. */
  objectsProblem?(): Promise<ObjectStoreProblem | undefined>;
  /**
   * Notes where this process listens, if it does, for the next `keptMs`. Returns the unexpired listeners of all
   * processes on the database.
   */
  noteListener(own: Listener | undefined, keptMs: number): Promise<readonly Listener[]>;
  /** Returns true if a process that crawls on this store has a browser, as it reported when its life began. */
  hasBrowser(): Promise<boolean>;
  /** This process's use of its connection pool, if it has one. */
  connections?(): StoreConnections;
  /**
   * Fires, with an `ExitError`, when the store cannot continue. It does not fire for a fault that can pass (a full or
   * read-only disk, a lock held by another process): meanwhile the engine's writes wait, and those of clients are
   * rejected.
   */
  readonly failed: AbortSignal;
  /** From now on, rejects writes that wait for a fault to pass. Their work is redone at the next start. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface Listener {
  /** Host name of the machine: a loopback address is valid on that machine only. */
  readonly machine: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

export interface Swept {
  /** Something is left to remove. */
  readonly more: boolean;
  /** Set while expired results are kept because the clock is this far ahead of its last trusted reading. */
  readonly clockAheadMs?: number;
}

export interface StoreConnections {
  readonly open: number;
  /** Open connections not in use. */
  readonly idle: number;
  /** Callers waiting for a connection. */
  readonly waiting: number;
  /** Limit of open connections. */
  readonly max: number;
}

export interface RetryJob {
  /** Id of the new job. */
  readonly id: string;
  /** Spec of the ended job. */
  readonly spec: JobSpec;
  readonly createdAt: number;
  readonly headers: RequestHeaders;
  readonly webhookUrl?: string;
  /** As in {@link NewJob}. */
  readonly unfinishedMax?: number;
  readonly idempotency?: Idempotency;
}

/**
 * In order: there is no such job; it has not ended; its ledger is gone; none of its URLs failed; the org has too many
 * unfinished jobs; the idempotency key was used for another request.
 */
export type RetryRefusal = 'unknown' | 'running' | 'expired' | 'nothing_failed' | 'too_many' | 'conflict';

/** How long the results of an ended job are kept. */
export interface Expiry {
  /** From the job's end; null: until they are deleted. */
  readonly seconds: number | null;
  /** The results may be gone at once, since the time lies in the past. */
  readonly isConfirmed: boolean;
}

/** `running`: the job has not ended. `gone`: nothing is left to keep. `unconfirmed`: the time lies in the past. */
export type ExpiryRefusal = 'running' | 'gone' | 'unconfirmed';

export interface JobStore {
  /**
   * Stores a job with its start URLs in one transaction; when this resolves, it is on disk. With an idempotency key
   * that the org used within 24 hours, returns the earlier job, or `conflict` if the body was different. `too_many`:
   * the org already has `unfinishedMax` unfinished jobs, so this one was not stored. `gone`: the results of the job that
   * `since` names are gone.
   */
  create(job: NewJob): Promise<Job | 'conflict' | 'too_many' | 'gone'>;

  /**
   * Stores a job that crawls the failed URLs of an ended job, with its options. URLs that are in the ledger of the
   * ended job, or of a job that it retries in turn, in any other state are discarded (`crawled_before`). Idempotency
   * keys work as in {@link create}: the earlier job is returned, whatever has happened to the ended one since.
   */
  retry(org: string, id: string, retry: RetryJob): Promise<Job | RetryRefusal>;

  get(org: string, id: string): Promise<Job | undefined>;

  /** Jobs of an org that have not ended. */
  countUnfinished(org: string): Promise<number>;

  /** Lists jobs of an org, newest first. */
  list(org: string, query: JobQuery): Promise<JobSlice>;

  /** Counts the newest jobs of an org that match: see {@link JobCounts}. */
  count(org: string, filter: JobFilter): Promise<JobCounts>;

  /**
   * Ends a job that has not ended. Idempotent. Its remaining URLs count as discarded, `cancelled`. `now`: @default the
   * clock of the store, as in {@link Store.sweep}.
   */
  cancel(org: string, id: string, now?: number): Promise<Job | undefined>;

  /** Cancels the job and makes its results unreadable for good. Idempotent. */
  delete(org: string, id: string, now?: number): Promise<Job | undefined>;

  /** The same for an ended run that its schedule does not keep: the feed of the schedule still has its changes. */
  retire(org: string, id: string, now?: number): Promise<Job | undefined>;

  /**
   * Changes how long the results of an ended job are kept, counted from its end. Repeatable. Undefined if there is no such
   * job. `now`: @default the clock of the store.
   */
  setExpiry(org: string, id: string, expiry: Expiry, now?: number): Promise<Job | ExpiryRefusal | undefined>;

  /**
   * Stops a job that has not ended: from now on nobody takes its requests. Requests in flight are finished. Idempotent.
   * `now`: @default the clock of the store.
   */
  stop(org: string, id: string, now?: number): Promise<Job | undefined>;

  /** Makes the requests of a stopped job available again. Idempotent; does nothing to a job that is not stopped. */
  resume(org: string, id: string): Promise<Job | undefined>;

  /**
   * Removes the pages that an ended job found gone, and lets the next one take what else it doubts. Repeatable. Undefined if the org has no such job. `superseded`:
   * its schedule has a later run, which decides it.
   */
  acceptChanges(org: string, id: string): Promise<Job | 'superseded' | undefined>;

  /** Lists the stopped jobs, newest first, {@link stoppedListedMax} at most. @default of all orgs */
  listStopped(org?: string): Promise<readonly Job[]>;

  /** The URL ledger in the order of discovery, after entry `after`. */
  listUrls(jobId: string, query: LedgerQuery): Promise<LedgerSlice>;

  /**
   * Counts the pages of the ledger by the segments of their URLs. Reads all of them that begin with the prefix: a second
   * for a million. Undefined if there is no such job.
   */
  countTree(jobId: string, query: TreeQuery): Promise<TreeCounts | undefined>;

  /**
   * Returns the ledger entry of the URL with this dedupe key, as a page or else as a sitemap; undefined if the job
   * never discovered it.
   */
  findUrl(jobId: string, key: string): Promise<LedgerEntry | undefined>;

  /** Lists hosts with requests of the org's unfinished jobs that are not stopped, in the order in which the store learnt of them. */
  hosts(org: string, query: HostQuery): Promise<HostSlice>;

  /** How the job went, as the crawling processes last noted it; undefined if they noted nothing. */
  readSeries(jobId: string): Promise<string | undefined>;

  /** Replaces what is noted. Kept as long as the results of the job. Does nothing if those are gone. */
  writeSeries(jobId: string, series: string): Promise<void>;

  /**
   * Adds a notice to a job, even after its end, unless it has one with this code. Does nothing if there is no such job.
   */
  addNotice(id: string, notice: JobNotice): Promise<void>;

  /** Resolves when something of the job might have changed, or after `maxMs`. A hint: read again to find out. */
  waitForChange(jobId: string, maxMs: number, signal: AbortSignal): Promise<void>;
}

export interface JobFilter {
  /** @default every kind */
  readonly kinds?: readonly JobKind[];
  /** Part of a start URL. ASCII letters match in upper and lower case. */
  readonly q?: string;
  /** With `q`: jobs that this read compares at most. @default 1,000 */
  readonly searchedMax?: number;
}

export interface JobQuery extends JobFilter {
  /** The id of a job. */
  readonly after?: string;
  readonly limit: number;
  readonly status?: JobStatus;
}

export interface JobSlice {
  readonly jobs: readonly Job[];
  /**
   * Where to continue; absent if nothing remains. With `q`, one read looks at `searchedMax` jobs, so it can
   * return fewer than `limit` although more remain.
   */
  readonly next?: string;
}

/** Jobs by status. */
export interface JobCounts {
  readonly counts: Readonly<Record<JobStatus, number>>;
  /**
   * There are more jobs than were counted: the newest {@link jobsCountedMax} per status and kind, with `q` the newest
   * {@link jobsSearchedMax} of all.
   */
  readonly isCut: boolean;
}

/** Stopped jobs that one read lists. */
export const stoppedListedMax = 1_000;
/** Jobs that one read compares with `q`. */
export const jobsSearchedMax = 1_000;
/** Jobs per status and kind that are counted. */
export const jobsCountedMax = 10_000;

export const ledgerStatuses = ['queued', 'inFlight', 'scraped', 'discarded', 'failed', 'outside'] as const;
export type LedgerStatus = (typeof ledgerStatuses)[number];

/** Ledger lists of a job: its pages, or its sitemaps. */
export const ledgerKinds = ['page', 'sitemap'] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

export interface LedgerQuery {
  readonly after: number;
  readonly limit: number;
  readonly status?: LedgerStatus;
  readonly reason?: string;
  /** @default page */
  readonly kind?: LedgerKind;
  /** Part of the URL. ASCII letters match in upper and lower case. */
  readonly q?: string;
  /** Dedupe key of the page on which the URL was found first. */
  readonly foundOn?: string;
  /** With `q` or `foundOn`: URLs that this read compares at most. @default 200,000: a tenth of a second */
  readonly searchedMax?: number;
}

export const urlsSearchedMax = 200_000;

export interface LedgerSlice {
  readonly entries: readonly LedgerEntry[];
  /** Set if the read ended because it compared `searchedMax` URLs: it continues after this entry. */
  readonly searchedTo?: number;
}

export interface HostQuery {
  /** As {@link HostSlice.next}. */
  readonly after: number;
  readonly limit: number;
  /** Part of the host. */
  readonly q?: string;
  /** Only hosts of this job. */
  readonly jobId?: string;
}

export interface HostSlice {
  readonly hosts: readonly WaitingHost[];
  /** Where to continue; absent if nothing remains. One read looks at a bounded number of hosts, so it can return fewer than `limit`. */
  readonly next?: number;
}

export interface WaitingHost {
  /** `name:port`. */
  readonly host: string;
  /** Ids of the jobs with requests of the host, {@link jobsOfHostMax} at most. */
  readonly jobs: readonly string[];
  /** A lane of some process works on it. */
  readonly isLeased: boolean;
  /** Time between two requests that robots.txt or the operator wants. */
  readonly delayMs: number;
  /** Milliseconds until a lease is useful; 0 if it is. */
  readonly waitMs: number;
}

export const jobsOfHostMax = 10;
/** Pairs of a host and an unfinished job of the org that one read looks at. */
export const hostPairsMax = 40_000;

export interface TreeQuery {
  /** Beginning of the URLs, up to a slash. @default all URLs; their first segment is then their origin */
  readonly prefix?: string;
  /** Segments after the prefix that make a group. */
  readonly depth: number;
}

/** URLs by state. */
export interface StateCounts {
  /** In flight too. */
  readonly queued: number;
  readonly scraped: number;
  readonly discarded: number;
  readonly failed: number;
  readonly outside: number;
}

/** URLs with the same first segments. The last segment of a path that ends with a slash is empty. */
export interface TreeGroup extends StateCounts {
  readonly path: readonly string[];
}

export interface TreeCounts {
  /** The largest, {@link treeGroupsMax} at most. */
  readonly groups: readonly TreeGroup[];
  /** The URLs in other groups. */
  readonly others: StateCounts;
}

export const treeGroupsMax = 5_000;

/** One discovered URL of a job, with its outcome. */
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
  /** When the last attempt ended; null if there was none. */
  readonly attemptedAt: number | null;
  readonly statusCode: number | null;
  /** Number of the page that the URL became. */
  readonly page: number | null;
  /** The URL of the page where it was found first; null for start URLs and sitemaps. */
  readonly foundOn: string | null;
  /** Only scripts made links to it; null for all others. */
  readonly foundBy: 'script' | null;
  /** When the page was last changed, according to a sitemap. */
  readonly lastmod: string | null;
}

export interface PageStore {
  /**
   * Returns the pages after `after`, in order, without gaps, and the state of the job, both from one snapshot. Reads
   * one page more than it returns, so `more` is exact. Ends early, but never before one page, once the inflated texts
   * exceed `bytesMax`; without texts, once the metadata does. Ends before a page that differs from what was stored.
   */
  read(query: {
    readonly org: string;
    readonly jobId: string;
    readonly after: number;
    readonly limit: number;
    readonly withText: boolean;
    /** Without texts: only these metadata fields of each page. @default all */
    readonly fields?: readonly string[];
    readonly bytesMax: number;
  }): Promise<PageSlice | undefined>;

  /** Returns the screenshot of a page, with the state of its job. Undefined if the org has no such job. */
  screenshot(query: ScreenshotQuery): Promise<FoundScreenshot | undefined>;
}

export interface ScreenshotQuery {
  readonly org: string;
  readonly jobId: string;
  /** From 1. */
  readonly page: number;
}

export interface FoundScreenshot {
  /** See {@link Job.areResultsGone}. */
  readonly areResultsGone: boolean;
  /** Absent if there is none; `damaged` if it differs from what was stored. */
  readonly screenshot?: Screenshot | 'damaged';
  /** Where its bytes are, if `screenshot` is absent because they are in an object. */
  readonly placed?: PlacedScreenshot;
}

export interface PageSlice {
  readonly status: JobStatus;
  /** See {@link Job.areResultsGone}. */
  readonly areResultsGone: boolean;
  readonly pages: readonly StoredPage[];
  /** More pages are committed after the last of these. */
  readonly more: boolean;
  /**
   * Number of the page after the last of these, if it is missing or differs from what was stored. This slice has no
   * part of it.
   */
  readonly damagedPage?: number;
  /** Number of committed pages of the job. */
  readonly total: number;
  /** How often a page of the job was erased: the only way in which committed pages change. */
  readonly erasures: number;
  /** Frees the memory of these pages; do not read them afterwards. Without this call V8 collects them. */
  readonly release: () => void;
}

export interface TokenStore {
  /**
   * `hash` is the SHA-256 of the token in hexadecimal: the token itself is never stored. Returns false, and stores
   * nothing, if the org has `max` valid tokens. `max`: @default no limit
   */
  add(token: Token, hash: string, max?: number): Promise<boolean>;
  /** Also returns revoked tokens, with `revokedAt` set. */
  find(hash: string): Promise<Token | undefined>;
  /** The same by its public name. */
  get(id: string): Promise<Token | undefined>;
  list(): Promise<readonly Token[]>;
  /** Tokens of an org, or of all, the newest first, after the one at `before`. */
  page(query: TokenQuery): Promise<readonly Token[]>;
  /** Also pauses the schedules that it wrote. Returns false if there is no such token, or, with an org, if it is of another one. */
  revoke(id: string, now: number, org?: string): Promise<boolean>;
}

export interface TokenQuery {
  /** @default all */
  readonly org?: string;
  /** @default from the newest */
  readonly before?: Pick<Token, 'createdAt' | 'id'>;
  readonly limit: number;
}

/** A browser that is signed in to the dashboard, or a login code, which signs in one browser. */
export interface Session {
  readonly kind: 'code' | 'browser';
  /** Id of the token whose org and permissions it has. */
  readonly token: string;
  readonly createdAt: number;
  /** Time from which it is invalid. */
  readonly expiresAt: number;
}

export interface SessionStore {
  /**
   * Stores a session under the SHA-256 of its secret in hexadecimal: the secret itself is never stored. Removes those
   * that expired before it was created, and the oldest of its kind and token, so that at most `max` remain.
   */
  add(session: Session, hash: string, max: number): Promise<void>;
  /**
   * Returns the session of a browser, also an expired one, and its token, also a revoked one. `token` is undefined if
   * the store has no token with this id.
   */
  find(hash: string): Promise<{ readonly session: Session; readonly token: Token | undefined } | undefined>;
  /** Removes a login code and returns it, also an expired one. If several callers have one code, only one gets it. */
  takeCode(hash: string): Promise<Session | undefined>;
  /** Moves the expiry of a browser's session. Does nothing if there is no such session. */
  extend(hash: string, expiresAt: number): Promise<void>;
  /** Ends a browser's session. Idempotent. */
  remove(hash: string): Promise<void>;
}
