import type { Job, JobStatus } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import type { Cursors } from './cursor.ts';

export interface JobList {
  readonly jobs: readonly Job[];
  /** Absent when nothing remains. */
  readonly cursor?: string;
}

/** Lists jobs of an org, newest first. */
export async function listJobs(
  parts: { readonly jobs: JobStore; readonly cursors: Cursors },
  org: string,
  query: { readonly limit: number; readonly cursor?: string; readonly status?: JobStatus },
): Promise<JobList> {
  const list = { kind: 'jobs', org, filter: query.status ?? '' } as const;
  const after = query.cursor === undefined ? undefined : parts.cursors.read(list, query.cursor);
  // One row more than requested shows if anything remains.
  const found = await parts.jobs.list(org, {
    limit: query.limit + 1,
    ...(after !== undefined && { after }),
    ...(query.status !== undefined && { status: query.status }),
  });
  const jobs = found.slice(0, query.limit);
  const last = jobs.at(-1);
  return found.length > query.limit && last ? { jobs, cursor: parts.cursors.write(list, last.id) } : { jobs };
}
