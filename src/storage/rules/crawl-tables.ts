import type { PageRecord } from '../../core/page.ts';
import type { Discard, Finding, RequestKind } from '../../core/request.ts';
import type { JobRow } from './job-row.ts';

/** URLs of a job that are kept, where nothing else is set; a URL found beyond them is counted, not crawled. */
export const usualJobUrlsMax = 1_000_000;

/** The rows of jobs that a transaction holds. Nobody else changes them, or anything else of these jobs, until its end. */
export interface JobTable {
  get(seq: number): JobRow | undefined;
  /** To be called by whoever changes a row: it is written before the commit. */
  touch(row: JobRow): void;
}

/**
 * The tables as far as the outcome of a request, or a new URL, concerns them. What to do is decided once for all stores
 * (`settling.ts`, `ledger.ts`); how a table is read and written differs. SQLite asks at each call; PostgreSQL reads beforehand
 * all that may be asked for, and writes in the end.
 */
export interface CrawlTables {
  /** URLs that the ledger keeps of one job at most. */
  readonly jobUrlsMax: number;
  /** For what a person is shown. */
  timeOfDay(): number;
  /** Of a request that is in the frontier. */
  entry(id: number): EntryRow | undefined;
  /** Takes a request out of the frontier. False where it was not taken under this lease. */
  endTaken(id: number, lease: Held): boolean;
  /** Puts a request back, not to be taken before a time. False where it was not taken under this lease. */
  postponeTaken(id: number, lease: Held, notBefore: number): boolean;
  /** Puts a request back to wait for a host. False where it was not taken under this lease. */
  moveTaken(id: number, lease: Held, place: Place): boolean;
  /** Takes a request out of the frontier that nobody works on. */
  removePending(id: number): void;
  /** Notes in the ledger what came of an attempt after which there will be another. */
  noteAttempt(entry: EntryRow, failure: Ending): void;
  /** `attempts`: made at last, 0 or 1. */
  endEntry(entry: EntryRow, ending: Ending, attempts: 0 | 1): void;

  /** The URL of the job's page that has the key. */
  pageWith(job: number, key: string): string | undefined;
  addPageKey(job: number, key: string, entry: EntryRow): void;
  addPage(job: number, number: number, page: PageRecord): void;
  /** False where it had ended already. */
  addEndedTemplate(job: number, template: string): boolean;

  known(job: number, key: string): KnownUrl | undefined;
  /** Puts a URL into the ledger, and into the frontier where it is to be crawled. False where the job has it already. */
  addUrl(url: NewUrl): boolean;
  /** A URL that waits was found at a better place, and takes its turn earlier. */
  bringNearer(job: number, key: string, finding: Finding): void;
  /** A URL that was discarded is queued after all. */
  reopen(job: number, key: string, url: Pick<NewUrl, 'depth' | 'selfFed' | 'foundOn' | 'host'>): void;
  setLastmod(job: number, key: string, lastmod: string): void;
  /** The hosts of URLs that were queued since the last call, all of one job, have work from `at` on. */
  wakeHosts(job: JobRow, at: number): void;
  /** The job that this one repeats, the one that that one repeats, and so on. */
  earlierJobs(job: JobRow): readonly number[];
}

export interface Held {
  readonly hostId: number;
  readonly fence: number;
}

/** Where a request waits. */
export interface Place {
  /** That of the request. */
  readonly job: JobRow;
  /** `name:port`. */
  readonly host: string;
  /** See `Request.chain`. */
  readonly chain: string | null;
  readonly priority: number;
  /** 0 where it can be taken at once. */
  readonly notBefore: number;
  /** The host has work from then on. */
  readonly wakeAt: number;
}

/** What the ledger has of a request. */
export interface EntryRow {
  readonly id: number;
  readonly job: number;
  readonly key: string;
  readonly kind: RequestKind;
  readonly url: string;
  readonly depth: number;
}

/** How a ledger entry ends. */
export interface Ending {
  readonly state: 'queued' | 'scraped' | 'discarded' | 'failed';
  readonly reason?: string;
  readonly detail?: string | undefined;
  readonly page?: number;
  readonly statusCode?: number | undefined;
}

export interface KnownUrl {
  readonly state: string;
  readonly reason: string | null;
  /** See `findingRank`. */
  readonly rank: number;
  readonly attempts: number;
}

export interface NewUrl extends Finding {
  readonly job: number;
  readonly key: string;
  readonly kind: RequestKind;
  readonly url: string;
  /** The ledger entry of the page on which it was found. */
  readonly foundOn: number | null;
  readonly discard?: Discard | undefined;
  readonly lastmod?: string | undefined;
  /** `name:port`. */
  readonly host: string;
}

/** Pages whose redirects are being followed first, then sitemaps, then pages, shallow before deep. */
export const movedPriority = -2;
export const controlPriority = -1;
export const lastPriority = 2 ** 31 - 1;

export function priorityOf({ kind, depth }: Pick<NewUrl, 'kind' | 'depth'>): number {
  return kind === 'page' ? depth : controlPriority;
}
