// How requests of the frontier are taken, and go back: the same in every store.
import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded } from '../../../core/job.ts';
import type { Request, RequestKind } from '../../../core/request.ts';
import { type BaselineRow, earlierColumns, earlierOf } from '../jobs/baseline-rows.ts';
import { endIfDone } from '../jobs/job-end.ts';
import type { JobRow } from '../jobs/job-row.ts';
import type { JobTable } from './crawl-tables.ts';
import { urgentPlaces } from './lease-turns.ts';

/** A row `f` of the frontier with its entry `l` in the ledger. */
export interface PendingRow extends BaselineRow {
  readonly id: number;
  readonly url: string;
  readonly kind: RequestKind;
  readonly depth: number;
  readonly self_fed: 0 | 1;
  readonly by_script: 0 | 1;
  readonly attempts: number;
  readonly chain: string | null;
  readonly lastmod: string | null;
}

export const pendingColumns = `f.id, f.chain, l.url, l.kind, l.depth, l.self_fed, l.by_script, l.attempts, ${earlierColumns}`;

/** Counts requests of a job as taken. The store marks them. */
export function takeFrom(jobs: JobTable, job: JobRow, rows: readonly PendingRow[]): Request[] {
  if (rows.length === 0) return [];
  const isUrgent = urgentPlaces(job);
  const pages = rows.filter(({ kind }) => kind === 'page').length;
  job.queued -= pages;
  job.in_flight += pages;
  failPoint('take.writing');
  if (job.status === 'starting') job.status = 'running';
  jobs.touch(job);
  return rows.map((row, place) => ({
    id: row.id,
    jobId: job.id,
    jobVersion: job.version,
    kind: row.kind,
    url: row.url,
    depth: row.depth,
    selfFed: row.self_fed === 1,
    byScript: row.by_script === 1,
    attempts: row.attempts,
    org: job.org,
    isUrgent: isUrgent(place),
    isOnlyOne: job.queued === 0,
    ...(row.chain !== null && { chain: row.chain }),
    ...(job.since !== null && earlierOf(row)),
  }));
}

/** Counts a request that was taken and not settled as queued again. Without `now`, the job ends later if it must. */
export function returnToQueue(jobs: JobTable, job: JobRow | undefined, kind: RequestKind, now?: number): void {
  if (!job || hasEnded(job.status) || kind !== 'page') return;
  job.in_flight--;
  job.queued++;
  jobs.touch(job);
  if (now !== undefined) endIfDone(job, now);
}
