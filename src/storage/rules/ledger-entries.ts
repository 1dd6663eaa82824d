import type { LedgerEntry, LedgerStatus } from '../../core/stores.ts';
import type { JobRow } from './job-row.ts';

/** One row of the ledger, as it is read. */
export interface LedgerRow {
  readonly id: number;
  readonly url: string;
  readonly state: LedgerStatus;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly depth: number;
  readonly attempts: number;
  readonly status_code: number | null;
  readonly page: number | null;
  readonly found_on: string | null;
  readonly lastmod: string | null;
}

export function entryOf(row: LedgerRow): LedgerEntry {
  return {
    entry: row.id,
    url: row.url,
    status: row.state,
    reason: row.reason,
    detail: row.detail,
    depth: row.depth,
    attempts: row.attempts,
    statusCode: row.status_code,
    page: row.page,
    foundOn: row.found_on,
    lastmod: row.lastmod,
  };
}

/** URLs of one status. */
export function countOf(job: JobRow, status: LedgerStatus): number {
  return status === 'inFlight' ? job.in_flight : job[status];
}
