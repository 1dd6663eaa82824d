// Waits for the page of a job of one URL, and cancels the job when nobody waits any more.
import { untilSomething } from './follow-job.ts';
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { JobStore, PageStore } from '../core/ports/stores.ts';
import { type PageJson, parsePage } from '../page/decode.ts';
import { changeJob } from './change-job.ts';
import { getJob } from './get-job.ts';
import { ledgerError, type ScrapeError, timeoutError, unreachableError, unreachableNotice } from './scrape-error.ts';

export interface AwaitParts {
  readonly jobs: JobStore;
  readonly pages: PageStore;
  /** Starts crawling the job, if no process crawls the store yet. */
  readonly begin?: (jobId: string) => Promise<void>;
}

export interface AwaitedJob {
  readonly org: string;
  readonly id: string;
  /** Dedupe key of its URL. */
  readonly key: string;
  readonly timeoutSeconds: number;
}

export type Awaited = { readonly job: Job } & (
  | { readonly page: PageJson; readonly error?: undefined }
  | { readonly error: ScrapeError }
);

/**
 * Returns the page of a job, or why there is none. Undefined if the signal fired first. In that case, and on timeout, it
 * cancels the job.
 */
export async function awaitPage(
  parts: AwaitParts,
  { org, id, key, timeoutSeconds }: AwaitedJob,
  signal: AbortSignal,
): Promise<Awaited | undefined> {
  await parts.begin?.(id);
  const job = await untilSomething(
    { ...parts, jobId: id, waitMs: timeoutSeconds * 1000, signal },
    () => getJob(parts.jobs, org, id),
    (found) => unreachableNotice(found) !== undefined,
  );
  if (hasEnded(job.status) && job.progress.scraped > 0) return { job, page: await pageOf(parts, job) };
  // Read before the job is cancelled, because cancelling overwrites the reason of its URL.
  const entry = await parts.jobs.findUrl(id, key);
  // The page can arrive just before its job is cancelled.
  const ended = hasEnded(job.status) ? job : await changeJob(parts.jobs, 'cancel', org, id);
  if (ended.progress.scraped > 0) return { job: ended, page: await pageOf(parts, ended) };
  if (ended.status !== 'cancelled') return { job: ended, error: ledgerError(entry) };
  if (signal.aborted) return undefined;
  return { job: ended, error: unreachableError(ended) ?? timeoutError(entry, timeoutSeconds) };
}

async function pageOf({ pages }: AwaitParts, job: Job): Promise<PageJson> {
  const query = { org: job.org, jobId: job.id, after: 0, limit: 1, withText: true, bytesMax: 1 };
  const slice = await pages.read(query);
  const page = slice?.pages[0];
  if (slice?.damagedPage !== undefined)
    throw new UserError('page_damaged', 'The page is damaged: the stored bytes have changed. Scrape it again.', [], {
      page: 1,
    });
  if (!page) throw new Error(`job ${job.id} has a page, but it cannot be read`);
  return parsePage(page);
}
