import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { dataExpired, getJob, jobNotFound } from './get-job.ts';

/** Takes what a job doubts: removes the pages that are gone. Repeatable. Throws a `UserError` if the job has not ended. */
export async function acceptChanges(jobs: JobStore, org: string, id: string): Promise<Job> {
  const job = await getJob(jobs, org, id);
  if (!hasEnded(job.status))
    throw new UserError('job_not_ended', 'The job has not ended. Pages are removed at its end.');
  if (job.areResultsGone) throw dataExpired();
  const accepted = await jobs.acceptChanges(org, id);
  if (!accepted) throw jobNotFound();
  if (accepted === 'superseded')
    throw new UserError(
      'run_superseded',
      'The schedule has a later run, which decides what is removed. Accept the changes of that one.',
    );
  return accepted;
}
