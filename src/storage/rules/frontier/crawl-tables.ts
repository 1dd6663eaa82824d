import type { BaselinePage, Doubt } from '../../../core/baseline.ts';
import type { PageRecord } from '../../../core/page.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { Discard, Finding, RequestKind } from '../../../core/request.ts';
import type { StoredChange } from '../jobs/baseline-rows.ts';
import type { JobRow } from '../jobs/job-row.ts';

/** URLs that the ledger keeps per job by default. A URL found beyond this limit is counted, not crawled. */
export const usualJobUrlsMax = 1_000_000;

/** The job rows of a transaction. It holds them to its end, or the store checks then that its decisions still apply. */
export interface JobTable {
  get(seq: number): JobRow | undefined;
  /** Call after changing a row: the store writes it before the commit. */
  touch(row: JobRow): void;
}

/**
 * The tables that the outcome of a request, or a new URL, concerns. The rules are the same for all stores
 * (`settling.ts`, `ledger.ts`); reading and writing a table differs. SQLite reads at each call. PostgreSQL reads
 * everything that can be needed beforehand, and writes at the end.
 */
export interface CrawlTables {
  /** URLs that the ledger keeps per job at most. */
  readonly jobUrlsMax: number;
  /** Time of day, for times that people see. */
  timeOfDay(): number;
  /** The ledger entry of a request in the frontier. */
  entry(id: number): EntryRow | undefined;
  /** Takes a request out of the frontier. False if it was not taken under this lease. */
  endTaken(id: number, lease: Held): boolean;
  /** Puts a request back, not to be taken before a time. False if it was not taken under this lease. */
  postponeTaken(id: number, lease: Held, notBefore: number): boolean;
  /** Puts a request back to wait for a host. False if it was not taken under this lease. */
  moveTaken(id: number, lease: Held, place: Place): boolean;
  /** Removes a request that nobody works on from the frontier. */
  removePending(id: number): void;
  /** Or that of an attempt, with the state `queued`. `attempts`: how many it adds, 0 or 1. */
  endEntry(entry: Pick<EntryRow, 'id' | 'job' | 'key'>, ending: Ending, attempts: 0 | 1): void;

  /** The job's page with this key. */
  pageWith(job: number, key: string): KnownPage | undefined;
  addPageKey(job: number, key: string, entry: EntryRow): void;
  /** Only if the page with this key is that of the entry. */
  removePageKey(job: number, key: string, entry: EntryRow): void;
  addPage(job: number, number: number, page: PageRecord): void;
  /** The ledger entry of a page that was made of a raw body. */
  addExtracted(job: number, number: number, page: ExtractedPage): void;
  /** False if it had already ended. */
  addEndedTemplate(job: number, template: string): boolean;

  known(job: number, key: string): KnownUrl | undefined;
  /** The page that the job has delivered of a URL. */
  delivered(job: number, key: string): (Pick<PageRecord, 'hash'> & Pick<BaselinePage, 'traits'>) | undefined;
  /** What another job, that of `since`, knows of the page of a URL. */
  baselineOf(job: number, key: string): BaselinePage | undefined;
  /** Adds a URL to the ledger, and to the frontier if it is to be crawled. False if the job already has it. */
  addUrl(url: NewUrl): boolean;
  /** A queued URL was found at a better place, or by a plain link: moves its turn forward. */
  bringNearer(job: number, key: string, finding: Finding): void;
  /** Queues a URL that was outside the job, or discarded. */
  reopen(job: number, key: string, url: Pick<NewUrl, 'depth' | 'selfFed' | 'byScript' | 'foundOn' | 'host'>): void;
  setLastmod(job: number, key: string, lastmod: string): void;
  /** Gives work from `at` on to the hosts of the URLs queued since the last call. All of them belong to one job. */
  wakeHosts(job: JobRow, at: number): void;
  /** The job that this one retries, the job that that one retries, and so on. */
  earlierJobs(job: JobRow): readonly number[];
}

export interface Held {
  readonly hostId: number;
  readonly fence: number;
}

export interface KnownPage {
  /** Number and key of its ledger entry. */
  readonly id: number;
  readonly key: string;
  readonly url: string;
  /** It is a page of the earlier job, and this one has not asked for it yet. */
  readonly isAwaited: boolean;
}

/** Where a request waits. */
export interface Place {
  /** The job of the request. */
  readonly job: JobRow;
  /** `name:port`. */
  readonly host: string;
  /** See `Request.chain`. */
  readonly chain: string | null;
  readonly priority: number;
  /** 0 if it can be taken at once. */
  readonly notBefore: number;
  /** When the host has work. */
  readonly wakeAt: number;
}

/** The ledger's data for a request. */
export interface EntryRow {
  readonly id: number;
  readonly job: number;
  readonly key: string;
  readonly kind: RequestKind;
  readonly url: string;
  readonly depth: number;
  /** The ledger entry of the page that linked to it; null of start URLs, and of those of sitemaps and of the earlier job. */
  readonly foundOn: number | null;
  /** What the job of `since` knew of its page. */
  readonly earlier: BaselinePage | null;
  /** As a sitemap has it. */
  readonly lastmod: string | null;
}

/** How a ledger entry ends. */
export interface Ending {
  readonly state: 'queued' | 'scraped' | 'discarded' | 'failed' | 'outside';
  readonly reason?: string;
  readonly detail?: string | undefined;
  readonly page?: number;
  readonly statusCode?: number | undefined;
  /** The page that it became. */
  readonly version?: Pick<BaselinePage, 'hash' | 'copyKey' | 'validator' | 'traits'>;
  readonly change?: StoredChange | undefined;
  readonly doubt?: Doubt;
  /** Of a page that has changed: what has, if not its bytes. */
  readonly cause?: 'options' | 'program' | undefined;
  /** Its number among the changes of the job. */
  readonly changeNumber?: number;
}

export interface KnownUrl {
  readonly state: string;
  readonly reason: string | null;
  readonly detail: string | null;
  /** See `findingRank`. */
  readonly rank: number;
  readonly byScript: boolean;
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
  readonly earlier?: BaselinePage | undefined;
  /** `name:port`. */
  readonly host: string;
}

/** Order of requests: pages with an unfinished redirect chain, then sitemaps, then pages, shallow before deep. */
export const movedPriority = -2;
export const controlPriority = -1;
export const lastPriority = 2 ** 31 - 1;

export function priorityOf({ kind, depth }: Pick<NewUrl, 'kind' | 'depth'>): number {
  return kind === 'page' ? depth : controlPriority;
}
