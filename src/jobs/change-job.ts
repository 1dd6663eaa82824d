// Verbs that change a job and return it as it then is. All can be repeated, and throw a `UserError` if there is no such job.
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { dataExpired, getJob, jobNotFound } from './get-job.ts';

/**
 * `cancel`: ends the job; committed pages stay readable. `delete`: also removes its results; the job itself stays readable.
 * `stop`: until `resume`, only the requests in flight are finished.
 */
type Verb = 'cancel' | 'delete' | 'stop' | 'resume';

export async function changeJob(jobs: JobStore, verb: Verb, org: string, id: string): Promise<Job> {
  await getJob(jobs, org, id);
  const job = await jobs[verb](org, id);
  if (!job) throw jobNotFound();
  return job;
}

/**
 * Changes how long the results of an ended job are kept. Throws a `UserError` if the job has not ended, if its
 * results are gone, or if the time lies in the past and the client has not confirmed that.
 */
export async function setExpiry(
  jobs: JobStore,
  org: string,
  id: string,
  seconds: number | null,
  isConfirmed: boolean,
): Promise<Job> {
  await getJob(jobs, org, id);
  const changed = await jobs.setExpiry(org, id, { seconds, isConfirmed });
  switch (changed) {
    case undefined:
      throw jobNotFound();
    case 'running':
      throw new UserError('job_not_ended', 'The job has not ended. Wait for its end, then set `output_expiry` again.');
    case 'gone':
      throw dataExpired();
    case 'unconfirmed':
      throw new UserError(
        'confirmation_required',
        'With this `output_expiry` the results would be gone at once, since the job ended longer ago. Give more seconds, or add `?confirm=true` to remove them.',
      );
    default:
      return changed;
  }
}

/** Takes what a job doubts: removes the pages that are gone. Throws a `UserError` if the job has not ended. */
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
