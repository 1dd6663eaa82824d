import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/stores.ts';
import { getJob, jobNotFound } from './get-job.ts';

/** Stops a job. What was committed stays readable. Repeatable; a job that has ended stays as it is. */
export async function cancelJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs.cancel(org, id);
  if (!job) throw jobNotFound();
  return job;
}

/** Stops a job and deletes its results; the job itself can still be looked at. Repeatable. */
export async function deleteJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs.delete(org, id);
  if (!job) throw jobNotFound();
  return job;
}
