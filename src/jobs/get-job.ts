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

/** The same for a job whose results are there. */
export async function getKept(jobs: JobStore, org: string, id: string): Promise<Job> {
  return kept(await getJob(jobs, org, id));
}

/** What a store found of a job. Throws a `UserError` if that is nothing, or no longer there. */
export function kept<Found extends { readonly areResultsGone: boolean }>(found: Found | undefined): Found {
  if (!found) throw jobNotFound();
  if (found.areResultsGone) throw dataExpired();
  return found;
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

export function dataExpired(): UserError {
  return new UserError(
    'job_data_expired',
    'The results of this job were deleted or have expired (`output_expiry`). Crawl again to get them.',
  );
}
