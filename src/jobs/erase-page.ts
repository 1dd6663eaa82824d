import { UserError } from '../core/errors.ts';
import type { Erased, Erasures } from '../core/ports/erasures.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { dataExpired, getJob, jobNotFound, pageNotFound } from './get-job.ts';

export interface EraseParts {
  readonly jobs: JobStore;
  readonly erasures: Erasures;
}

/**
 * Forgets a page, by its number in digits. Repeatable. Throws a `UserError` if there is no such page, or if its URL is to be
 * forgotten before the end of the job, which would find it again.
 */
export async function erasePage(
  { jobs, erasures }: EraseParts,
  org: string,
  id: string,
  given: string,
  withUrl: boolean,
): Promise<Erased> {
  const job = await getJob(jobs, org, id);
  const page = /^[1-9]\d{0,7}$/.test(given) ? Number(given) : 0;
  const erased = page === 0 ? 'no_page' : await erasures.erase({ org, jobId: job.id, page, withUrl });
  switch (erased) {
    case undefined:
      throw jobNotFound();
    case 'gone':
      throw dataExpired();
    case 'no_page':
      throw pageNotFound(job.progress.scraped);
    case 'running':
      throw new UserError(
        'job_not_ended',
        'A job with this page has not ended, and would find the URL again. Erase the page without its URL now, or wait for the end.',
      );
    default:
      return erased;
  }
}
