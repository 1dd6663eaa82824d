// The row of a job and the rules that change it: the same in every store.
import { publicWeb } from '../../../core/ports/fetcher.ts';
import type { JobKind, JobNotice, JobStatus } from '../../../core/job.ts';
import { hasEnded } from '../../../core/job.ts';
import type { Expiry, ExpiryRefusal } from '../../../core/ports/stores.ts';
import { countNotice } from './sayings.ts';

/** One row of `job`. The names are those of the columns. */
export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly org: string;
  readonly kind: JobKind;
  status: JobStatus;
  readonly spec: string;
  readonly scope_hosts: string;
  /** JSON of {@link CrawlJob.movedStarts}. */
  moved_starts: string;
  /** JSON of {@link CrawlJob.networks}. */
  networks: string;
  version: number;
  readonly created_at: number;
  finished_at: number | null;
  /** Nobody takes requests of the job; null if it is not stopped, or has ended. */
  stopped_at: number | null;
  end_reason: string | null;
  /** Seconds for which results are kept after the end; null: until they are deleted. Can change after the end. */
  output_expiry: number | null;
  results_gone_at: number | null;
  /** The results were deleted, or their removal has begun: they are gone for ever, whatever the clock says. */
  swept: 0 | 1;
  /** How often a page was erased. */
  readonly erasures: number;
  /** Decides when the job's hosts are leased: see `lease-turns.ts`. */
  readonly rank: number;
  /** Only a process with a browser takes its requests. */
  readonly needs_browser: 0 | 1;
  readonly page_limit: number;
  readonly fetch_limit: number;
  fetches: number;
  fetched_bytes: number;
  queued: number;
  in_flight: number;
  scraped: number;
  discarded: number;
  failed: number;
  /** Never to be fetched, which was decided without a request. */
  outside: number;
  control: number;
  sitemaps: number;
  sitemap_pages: number;
  unlisted: number;
  notices: string;
  reasons: Record<string, number>;
  /** See `tally.ts`. */
  tally: Record<string, number>;
  /** See `tally.ts`. */
  examples: Record<string, string>;
  readonly ends_by: number | null;
  readonly retry_of: string | null;
  /** All jobs that are made from each other have the same: the id of their schedule, or of the first of them. */
  readonly family: string;
  /** Number of the job that `since` names. */
  readonly since: number | null;
  /** The last entry of its ledger that this job has; null if it has all, and without `since`. */
  seeded: number | null;
  /** With `deliver: changed`. */
  readonly only_changed: 0 | 1;
  /** JSON: see `change-counts.ts`. */
  changes: string;
  /** JSON: see `revisits.ts`. Null if every page is asked for. */
  revisits: string | null;
  /** The schedule whose run it is. */
  readonly schedule: string | null;
  /** See `runFeed`. */
  feed: number;
  /** 1 if the work that follows the end of a run is stored. */
  schedule_told: number;
  readonly webhook_url: string | null;
  webhook_state: 'new' | 'started' | 'finished' | 'gone';
  webhook_page: number;
  webhook_open: number;
  webhook_fails: string;
}

/** As stored in the database. */
export type StoredJobRow = Omit<JobRow, 'reasons' | 'tally' | 'examples'> & {
  readonly reasons: string;
  readonly tally: string;
  readonly examples: string;
};

export function jobRowOf(stored: StoredJobRow): JobRow {
  return {
    ...stored,
    reasons: JSON.parse(stored.reasons) as Record<string, number>,
    tally: JSON.parse(stored.tally) as Record<string, number>,
    examples: JSON.parse(stored.examples) as Record<string, string>,
  };
}

/** True if nobody can read the results any more. Only this decides it by `results_gone_at`; SQL has the same rule. */
export function areResultsGone(
  { swept, results_gone_at: goneAt }: Pick<JobRow, 'swept' | 'results_gone_at'>,
  now: number,
): boolean {
  return swept === 1 || (goneAt !== null && goneAt <= now);
}

/** Changes how long the results of an ended job are kept. Returns why not, and then changes nothing. */
export function setExpiry(row: JobRow, { seconds, isConfirmed }: Expiry, now: number): ExpiryRefusal | undefined {
  if (!hasEnded(row.status)) return 'running';
  if (areResultsGone(row, now)) return 'gone';
  const goneAt = expiryOf({ ...row, output_expiry: seconds });
  if (goneAt !== null && goneAt <= now && !isConfirmed) return 'unconfirmed';
  row.output_expiry = seconds;
  row.results_gone_at = goneAt;
  return undefined;
}

/** When the results of an ended job expire. */
export function expiryOf({ finished_at: finishedAt, output_expiry: seconds }: JobRow): number | null {
  return finishedAt === null || seconds === null ? null : finishedAt + seconds * 1000;
}

/** Stops a job that has not ended. Repeatable: the first time counts. */
export function stopJob(row: JobRow, now: number): void {
  if (!hasEnded(row.status)) row.stopped_at ??= now;
}

/** Notes the networks of hosts, and returns all that apply. A host once seen on the public web stays there. */
export function noteNetworks(row: JobRow, noted: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const known = Object.entries(JSON.parse(row.networks) as Record<string, string>);
  const networks = {
    ...Object.fromEntries(known),
    ...noted,
    ...Object.fromEntries(known.filter(([, name]) => name === publicWeb)),
  };
  row.networks = JSON.stringify(networks);
  return networks;
}

/**
 * Pages that can still be taken, given what is in flight. Never more than can still be delivered and fetched. None while
 * sitemaps are read that say which pages need no request.
 */
export function roomOf(row: JobRow, now: number): number {
  if (row.revisits !== null && row.control > 0 && now < row.created_at + sitemapsFirstMs) return 0;
  return Math.min(row.page_limit - row.scraped, row.fetch_limit - row.fetches) - row.in_flight;
}

/** For so long after the creation of a job its pages wait for its sitemaps: some sitemaps are tried for hours. */
export const sitemapsFirstMs = 10 * 60_000;

/** Counts URLs that were discarded, failed or never to be fetched for a reason. */
export function countReason(row: JobRow, reason: string, urls = 1): void {
  const count = (row.reasons[reason] ?? 0) + urls;
  if (count === 0) delete row.reasons[reason];
  else row.reasons[reason] = count;
}

/** Adds a notice unless the job has one with this code. Returns true if it was added. */
export function addFirstNotice(row: JobRow, notice: JobNotice): boolean {
  if ((JSON.parse(row.notices) as JobNotice[]).some(({ code }) => code === notice.code)) return false;
  addNotice(row, notice);
  return true;
}

/** Adds a notice with a message of its own, or one more case to it. */
export function countCase(row: JobRow, notice: JobNotice): void {
  const notices = JSON.parse(row.notices) as JobNotice[];
  const at = notices.findIndex(({ code, message }) => code === notice.code && message === notice.message);
  const known = notices[at];
  if (known) row.notices = JSON.stringify(notices.with(at, { ...known, count: (known.count ?? 1) + 1 }));
  else addNotice(row, { ...notice, count: 1 });
}

/** Notices per job. Counted notices are added even beyond this limit. */
const noticesMax = 100;

export function addNotice(row: JobRow, notice: JobNotice): void {
  const notices = JSON.parse(row.notices) as JobNotice[];
  if (notices.some((other) => other.code === notice.code && other.message === notice.message)) return;
  if (notices.length < noticesMax) row.notices = JSON.stringify([...notices, notice]);
  else countNotice(row, 'notices_cut', notice.message, notice.at);
}
