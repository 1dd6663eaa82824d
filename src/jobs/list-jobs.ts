import { type Job, type JobKind, jobKinds, type JobStatus } from '../core/job.ts';
import type { JobCounts, JobFilter, JobStore } from '../core/ports/stores.ts';
import type { Cursors } from './cursor.ts';

export interface JobList extends JobCounts {
  readonly jobs: readonly Job[];
  /** Absent when nothing remains. */
  readonly cursor?: string;
}

/** `all`: every kind. */
export const listedKinds = [...jobKinds, 'all'] as const;

export interface JobListQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly status?: JobStatus;
  /** Part of a start URL. */
  readonly q?: string;
  /** @default every kind but `scrape`: a scrape returned its page already */
  readonly kind?: (typeof listedKinds)[number];
}

/** Lists jobs of an org, newest first, and counts those that match whatever their status. */
export async function listJobs(
  parts: { readonly jobs: JobStore; readonly cursors: Cursors },
  org: string,
  query: JobListQuery,
): Promise<JobList> {
  const { limit, status, q, kind } = query;
  const filter: JobFilter = { kinds: kindsOf(kind), ...(q !== undefined && { q }) };
  const list = { kind: 'jobs', org, filter: nameOf(query) } as const;
  const after = query.cursor === undefined ? undefined : parts.cursors.read(list, query.cursor);
  const [{ jobs, next }, counts] = await Promise.all([
    parts.jobs.list(org, {
      ...filter,
      limit,
      ...(after !== undefined && { after }),
      ...(status !== undefined && { status }),
    }),
    parts.jobs.count(org, filter),
  ]);
  return { jobs, ...counts, ...(next !== undefined && { cursor: parts.cursors.write(list, next) }) };
}

function kindsOf(kind: JobListQuery['kind']): readonly JobKind[] {
  if (kind === undefined) return jobKinds.filter((one) => one !== 'scrape');
  return kind === 'all' ? jobKinds : [kind];
}

/** A cursor is valid for one filter. */
function nameOf({ status, q, kind }: JobListQuery): string {
  return JSON.stringify([status, kind, q]);
}
