// What a job's row says, and what becomes of it: the same in every store.
import type { JobNotice, JobSpec, JobStatus } from '../../core/job.ts';
import { hasEnded } from '../../core/job.ts';

/** One row of `job`. The names are those of the columns. */
export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly org: string;
  status: JobStatus;
  readonly spec: string;
  scope_hosts: string;
  version: number;
  readonly created_at: number;
  finished_at: number | null;
  end_reason: string | null;
  results_gone_at: number | null;
  readonly page_limit: number;
  readonly fetch_limit: number;
  fetches: number;
  queued: number;
  in_flight: number;
  scraped: number;
  discarded: number;
  failed: number;
  control: number;
  sitemaps: number;
  sitemap_pages: number;
  unlisted: number;
  notices: string;
  reasons: Record<string, number>;
  readonly ends_by: number | null;
  readonly retry_of: string | null;
  readonly webhook_url: string | null;
  webhook_state: 'new' | 'started' | 'finished' | 'gone';
  webhook_page: number;
  webhook_open: number;
  webhook_fails: string;
}

/** As it stands in the database. */
export type StoredJobRow = Omit<JobRow, 'reasons'> & { readonly reasons: string };

export function jobRowOf(stored: StoredJobRow): JobRow {
  return { ...stored, reasons: JSON.parse(stored.reasons) as Record<string, number> };
}

/** Pages that may still be taken, with what is in flight: never more than could be delivered and fetched. */
export function roomOf(row: JobRow): number {
  return Math.min(row.page_limit - row.scraped, row.fetch_limit - row.fetches) - row.in_flight;
}

/** Ends a job: what is left of its URLs counts as discarded for `reason`, and stays in the ledger as it is. */
export function endJob(row: JobRow, status: JobStatus, reason: string | null, now: number): void {
  const { outputExpirySeconds } = JSON.parse(row.spec) as JobSpec;
  row.status = status;
  row.end_reason = reason;
  row.finished_at = now;
  row.results_gone_at = now + outputExpirySeconds * 1000;
  const left = row.queued + row.in_flight;
  row.discarded += left;
  if (reason !== null && left > 0) countReason(row, reason, left);
  row.queued = 0;
  row.in_flight = 0;
  row.control = 0;
}

/** Counts URLs that were discarded or failed for a reason. */
export function countReason(row: JobRow, reason: string, urls = 1): void {
  const count = (row.reasons[reason] ?? 0) + urls;
  if (count === 0) delete row.reasons[reason];
  else row.reasons[reason] = count;
}

/** Ends a job that has delivered what it may, or has nothing left to do. */
export function endIfDone(row: JobRow, now: number): void {
  if (hasEnded(row.status)) return;
  if (row.scraped >= row.page_limit) endJob(row, 'succeeded', 'page_limit', now);
  else if (row.fetches >= row.fetch_limit && row.in_flight === 0 && row.queued > 0) {
    endJob(row, endStatus(row), 'fetch_limit', now);
  } else if (row.queued + row.in_flight + row.control === 0) endJob(row, endStatus(row), null, now);
}

export function endStatus(row: JobRow): JobStatus {
  return row.scraped === 0 && row.failed > 0 ? 'failed' : 'succeeded';
}

export function addNotice(row: JobRow, notice: JobNotice): void {
  const notices = JSON.parse(row.notices) as JobNotice[];
  if (notices.length >= 100 || notices.some((other) => other.code === notice.code && other.message === notice.message))
    return;
  row.notices = JSON.stringify([...notices, notice]);
}
