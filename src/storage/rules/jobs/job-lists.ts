// Which jobs of an org a list shows.
import { type JobStatus, jobStatuses } from '../../../core/job.ts';
import { type JobCounts, type JobQuery, jobsCountedMax, jobsSearchedMax } from '../../../core/ports/stores.ts';

/** Jobs that one list reads: one more than requested shows if anything remains. */
export function jobsRead({ limit, q, searchedMax = jobsSearchedMax }: JobQuery): number {
  return q === undefined ? limit + 1 : searchedMax;
}

/**
 * The jobs to return, and where to continue. `read`: the ids of all jobs that were looked at; `matching`: those that
 * match, one more than `limit` at most.
 */
export function sliceOfJobs<Row extends { readonly id: string }>(
  query: JobQuery,
  read: readonly { readonly id: string }[],
  matching: readonly Row[],
): { readonly rows: readonly Row[]; readonly next?: string } {
  const rows = matching.slice(0, query.limit);
  const last = matching.length > query.limit ? rows.at(-1) : undefined;
  const next = last ?? (read.length === jobsRead(query) ? read.at(-1) : undefined);
  return next ? { rows, next: next.id } : { rows };
}

export function countsOf(
  rows: readonly { readonly status: JobStatus; readonly jobs: number }[],
  isCut: boolean,
): JobCounts {
  const none = Object.fromEntries(jobStatuses.map((status) => [status, 0])) as Record<JobStatus, number>;
  return { counts: { ...none, ...Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs])) }, isCut };
}

/** True if some status and kind can have more jobs than were counted. */
export function mayBeCut(rows: readonly { readonly jobs: number }[]): boolean {
  return rows.some(({ jobs }) => jobs >= jobsCountedMax);
}

/**
 * A pattern of LIKE, with a backslash as escape character, that finds `q` anywhere in a URL. What a URL contains only
 * percent-encoded is encoded.
 */
export function likePattern(q: string): string {
  const encoded = q.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent);
  return `%${encoded.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
