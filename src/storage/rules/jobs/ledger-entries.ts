import { hasEnded } from '../../../core/job.ts';
import {
  type LedgerEntry,
  type LedgerKind,
  type LedgerQuery,
  type LedgerSlice,
  type LedgerStatus,
  urlsSearchedMax,
} from '../../../core/ports/stores.ts';
import type { JobRow } from './job-row.ts';

/** One row of the ledger, as it is read. */
export interface LedgerRow {
  readonly id: number;
  readonly kind: LedgerKind;
  readonly url: string;
  readonly state: LedgerStatus;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly depth: number;
  readonly attempts: number;
  readonly attempted_at: number | null;
  readonly status_code: number | null;
  readonly page: number | null;
  readonly found_on: string | null;
  readonly by_script: 0 | 1;
  readonly lastmod: string | null;
}

export function entryOf(row: LedgerRow): LedgerEntry {
  return {
    entry: row.id,
    url: row.url,
    kind: row.kind,
    status: row.state,
    reason: row.reason,
    detail: row.detail,
    depth: row.depth,
    attempts: row.attempts,
    attemptedAt: row.attempted_at,
    statusCode: row.status_code,
    page: row.page,
    foundOn: row.found_on,
    foundBy: row.by_script === 1 ? 'script' : null,
    lastmod: row.lastmod,
  };
}

/** True if a query compares URLs one by one. */
export function isSearch({ q, foundOn }: LedgerQuery): boolean {
  return q !== undefined || foundOn !== undefined;
}

export function searchedMaxOf({ searchedMax = urlsSearchedMax }: LedgerQuery): number {
  return searchedMax;
}

/** `searchedTo`: the last entry that could be compared, if that is not the last of the ledger. */
export function sliceOf(
  entries: readonly LedgerEntry[],
  { limit }: LedgerQuery,
  searchedTo: number | undefined,
): LedgerSlice {
  return searchedTo === undefined || entries.length === limit ? { entries } : { entries, searchedTo };
}

/** Most entries that a query can return, from the job's row. Without it, a search for nothing scans the ledger. */
export function entriesLeft(job: JobRow, { kind = 'page', status, reason, limit }: LedgerQuery): number {
  if (kind !== 'page') return limit;
  const ofStatus = status === undefined ? limit : countOf(job, status);
  return reason !== undefined && areReasonsCounted(job, status)
    ? Math.min(ofStatus, job.reasons[reason] ?? 0)
    : ofStatus;
}

/** The job counts reasons of URLs that are not pages. A queued URL can have the reason of its last attempt. */
function areReasonsCounted(job: JobRow, status: LedgerStatus | undefined): boolean {
  return (
    status === 'discarded' ||
    status === 'failed' ||
    status === 'outside' ||
    // A page of a re-extraction can have a reason too: `no_raw`.
    (status === undefined && hasEnded(job.status) && job.kind !== 'reextract')
  );
}

/** URLs of one status. */
function countOf(job: JobRow, status: LedgerStatus): number {
  return status === 'inFlight' ? job.in_flight : job[status];
}

/**
 * True if URLs that were left when the job ended have this reason. Their ledger entries do not state it, so the index
 * of reasons does not contain them: finding them needs a scan of the ledger.
 */
export function mayBeLeft(job: JobRow, reason: string): boolean {
  return hasEnded(job.status) && job.end_reason === reason;
}
