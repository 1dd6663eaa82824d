// What commands ask of hayrake, wherever the jobs are: in a data directory or database (`store-verbs.ts`), or in a running
// service (`service-verbs.ts`).
import type { StorageProblem } from '../../core/errors.ts';
import type { Job, JobSpec, JobStatus } from '../../core/job.ts';
import type { Screenshot } from '../../core/page.ts';
import type { PageChange } from '../../core/ports/changes.ts';
import type { SearchHit } from '../../core/ports/search.ts';
import type { Erased } from '../../core/ports/erasures.ts';
import type { LedgerEntry } from '../../core/ports/stores.ts';
import type { Hunk } from '../../diff/text-diff.ts';
import type { PageJson } from '../../page/decode.ts';

/** What commands show of a job. */
export type ShownJob = Pick<
  Job,
  | 'id'
  | 'status'
  | 'createdAt'
  | 'stoppedAt'
  | 'resultsGoneAt'
  | 'areResultsGone'
  | 'progress'
  | 'reasons'
  | 'notices'
  | 'findings'
  | 'complete'
  | 'sitemapPageCount'
> & { readonly spec: Pick<JobSpec, 'urls' | 'outputFormat' | 'scope' | 'pageLimit' | 'screenshot'> };

/** A host that a job has requests for. */
export interface HostOfJob {
  readonly host: string;
  /** Between two requests. */
  readonly delayMs: number;
  /** No request before this time, in milliseconds since the epoch. */
  readonly backOffUntil?: number | undefined;
}

/** A page as it is read. */
export interface ReadPage {
  readonly number: number;
  /** One row of the API as JSON, without line break. */
  line(): string;
  /** Only for pages that were read with their text. */
  json(): PageJson;
}

export interface ReadOptions {
  /** @default true */
  readonly withText?: boolean;
  /** To the end of the job while it runs. @default false: what it has so far */
  readonly follow?: boolean;
  /** Called with the number of each page that cannot be read. */
  readonly onDamaged: (page: number) => void;
  readonly signal?: AbortSignal;
}

export interface Found {
  readonly hits: readonly SearchHit[];
  readonly pages: number;
  readonly indexedPages: number;
  readonly damagedPages: number;
  /** There are more hits. */
  readonly isMore: boolean;
}

/** Every method rejects with a `UserError` or an `ExitError`. */
export interface Verbs {
  /** Where the jobs are, in words, such as a directory. */
  readonly place: string;
  /** A process works on the jobs now. */
  isCrawled(): boolean;
  getJob(id: string): Promise<ShownJob>;
  /** Those that a job waits for, twenty at most. */
  hostsOf(id: string): Promise<readonly HostOfJob[]>;
  /** Why nothing can be written, so that the crawl waits; undefined if that is not known. */
  storageProblem(): Promise<StorageProblem | undefined>;
  /** Newest first. */
  listJobs(status: JobStatus | undefined): AsyncIterable<ShownJob>;
  cancelJob(id: string): Promise<ShownJob>;
  deleteJob(id: string): Promise<ShownJob>;
  resumeJob(id: string): Promise<ShownJob>;
  /** Forgets a page, in all jobs that share its raw body. */
  erasePage(id: string, page: number, withUrl: boolean): Promise<Pick<Erased, 'jobs'>>;
  /** URLs of an ended job that did not become pages, the failed ones first: a thousand of each kind at most. */
  listMissing(id: string): Promise<readonly Missing[]>;
  /** The URL as the job has it, and what happened to it in sentences. */
  explainUrl(id: string, url: string): Promise<ExplainedUrl>;
  /** What a job found changed so far, or what all runs of a schedule did: without what is unchanged. */
  readChanges(of: ChangesOf): AsyncIterable<ShownChange>;
  /** How the text of a page differs from its earlier one. */
  readDiff(of: ChangesOf, url: string): Promise<ShownDiff>;
  /** A job of this id, else a schedule. */
  changesOf(id: string): Promise<ChangesOf>;
  /** Pages in order, each once. */
  readPages(id: string, options: ReadOptions): AsyncIterable<ReadPage>;
  /** Undefined if the page has no picture. */
  readScreenshot(id: string, page: number): Promise<Screenshot | undefined>;
  /** Searches what is indexed after at most some seconds of waiting. */
  searchPages(id: string, text: string, limit: number): Promise<Found>;
  /** A link to the job in the dashboard. */
  linkTo(id: string): Promise<string>;
  close(): Promise<void>;
}

/** A job or a schedule, and its first URL. */
export interface ChangesOf {
  readonly kind: 'job' | 'schedule';
  readonly id: string;
  readonly firstUrl: string | undefined;
  /** Compared with earlier pages: a schedule, or a job with `since`. */
  readonly isCompared: boolean;
}

export type ShownChange = Pick<PageChange, 'change' | 'url' | 'page' | 'reason'> & {
  readonly job: string;
  readonly runAt: number;
};

/** What {@link Verbs.readChanges} lists of a job. */
export const shownKinds = ['added', 'changed', 'removed', 'unknown'] as const;

export interface ShownDiff {
  readonly job: string;
  readonly runAt: number;
  readonly url: string;
  readonly truncated: boolean;
  readonly title?: string | undefined;
  readonly previousTitle?: string | undefined;
  readonly hunks: readonly Hunk[];
}

export interface ExplainedUrl {
  readonly url: string;
  readonly sentences: readonly string[];
  /** The number of its page, if it has one. */
  readonly page: number | undefined;
}

export type Missing = Pick<LedgerEntry, 'url' | 'status' | 'reason' | 'detail' | 'depth'>;

/** Entries that {@link Verbs.listMissing} reads of each kind. */
export const missingMax = 1_000;
