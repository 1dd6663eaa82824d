import { UserError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { dataExpired, getJob, jobNotFound } from './get-job.ts';

/**
 * Changes how long the results of an ended job are kept. Repeatable. Throws a `UserError` if the job has not ended, if its
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
