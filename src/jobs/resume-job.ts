import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { getJob, jobNotFound } from './get-job.ts';

/** Continues a crawl that was stopped. Idempotent; a job that is not stopped stays unchanged. */
export async function resumeJob(jobs: JobStore, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs.resume(org, id);
  if (!job) throw jobNotFound();
  return job;
}
