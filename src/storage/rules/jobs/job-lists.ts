// Which jobs of an org a list shows, in SQL that both stores understand. Every list is a union over the statuses and
// kinds, each read in order from one index. So its cost does not grow with the number of jobs that it does not show.
import { type JobKind, jobKinds, type JobStatus, jobStatuses } from '../../../core/job.ts';
import {
  type JobCounts,
  type JobFilter,
  type JobQuery,
  jobsCountedMax,
  jobsSearchedMax,
} from '../../../core/ports/stores.ts';

/** Placeholders of the values, as a store writes them. */
export interface ListValues {
  readonly org: string;
  readonly after: string;
  readonly max: string;
}

/** Ids and statuses of the `max` newest jobs after `after`. */
export function newestSql({ status, kinds }: Pick<JobQuery, 'status' | 'kinds'>, values: ListValues): string {
  return `${unionOf(status, kinds, values)} ORDER BY id LIMIT ${values.max}`;
}

/** The number of jobs per status, of the `max` newest of each status and kind. */
export function countSql({ kinds }: JobFilter, values: ListValues): string {
  return `SELECT status, count(*) AS jobs FROM (${unionOf(undefined, kinds, values)}) newest GROUP BY status`;
}

function unionOf(status: JobStatus | undefined, kinds: readonly JobKind[] = jobKinds, values: ListValues): string {
  const { org, after, max } = values;
  // mutant new-job-unlisted, promise 6: `jobStatuses` -> `jobStatuses.slice(1)`; sqlite-store "lists jobs newest first"
  // mutant any-org-lists-jobs, security: `org = ${org}` -> `(org = ${org} OR TRUE)`; sqlite-store "another org's job"
  return (status === undefined ? jobStatuses : [status])
    .flatMap((one) => kinds.map((kind) => [one, kind] as const))
    .map(
      ([one, kind]) =>
        `SELECT id, status FROM (SELECT id, status FROM job WHERE org = ${org} AND status = '${one}' AND kind = '${kind}' AND id > ${after} ORDER BY id LIMIT ${max}) ${one}_${kind}`,
    )
    .join(' UNION ALL ');
}

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
