import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { getJob, jobNotFound } from './get-job.ts';

/**
 * `cancel`: ends the job; committed pages stay readable. `delete`: also removes its results; the job itself stays readable.
 * `stop`: until `resume`, only the requests in flight are finished. Each is idempotent.
 */
type Verb = 'cancel' | 'delete' | 'stop' | 'resume';

/** Returns the job as it then is. Throws a `UserError` if there is none. */
export async function changeJob(jobs: JobStore, verb: Verb, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs[verb](org, id);
  if (!job) throw jobNotFound();
  return job;
}
