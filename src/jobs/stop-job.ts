import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { getJob, jobNotFound } from './get-job.ts';

/** Stops a job until it is resumed: only the requests in flight are finished. Idempotent; an ended job stays unchanged. */
export async function stopJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs.stop(org, id);
  if (!job) throw jobNotFound();
  return job;
}
