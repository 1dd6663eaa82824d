import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { getJob, jobNotFound } from './get-job.ts';

/** Stops a job. Committed pages stay readable. Idempotent; a job that has ended stays unchanged. */
export async function cancelJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs.cancel(org, id);
  if (!job) throw jobNotFound();
  return job;
}

/** Stops a job and deletes its results; the job itself stays readable. Idempotent. */
export async function deleteJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs.delete(org, id);
  if (!job) throw jobNotFound();
  return job;
}
