import { grouped } from '../core/grouped.ts';
import { UserError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { isJobId } from './job-id.ts';

/** Returns one job of the org. Unknown, malformed and other orgs' ids get the same error. */
export async function getJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  const job = isJobId(id) ? await jobs.get(org, id) : undefined;
  if (!job) throw jobNotFound();
  return job;
}

export function jobNotFound(): UserError {
  return new UserError('job_not_found', 'There is no job with this id. GET /crawler/jobs lists those of your org.');
}

/** `count`: the pages that the job has. */
export function pageNotFound(count: number): UserError {
  return new UserError(
    'page_not_found',
    `The job has no page with this number. It has ${grouped(count)}, numbered from 1.`,
  );
}
