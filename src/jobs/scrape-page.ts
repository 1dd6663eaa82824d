// Scrapes one page now: a job of one URL, processed like any other. The response comes when the job has ended.
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { PageFormats, PageMetadata } from '../core/page.ts';
import type { PageStore } from '../core/ports/stores.ts';
import { asJobFields, jobInput, scrapeInput } from '../options/inputs.ts';
import { parsePage } from '../page/decode.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { cancelJob } from './cancel-job.ts';
import { type CreateJobParts, type JobOwner, storeJob } from './create-job.ts';
import { getJob } from './get-job.ts';
import { parseInput } from './parse-input.ts';
import { screenshotPath } from './read-screenshot.ts';
import { ledgerError, type ScrapeError, timeoutError, unreachableError, unreachableNotice } from './scrape-error.ts';

/** The response contains the page, so the job is kept only to show why it failed. */
const outputExpirySeconds = 3_600;

export interface ScrapeParts extends CreateJobParts {
  readonly pages: PageStore;
  /** Starts crawling the job, if no process crawls the store yet. */
  readonly begin?: (jobId: string) => Promise<void>;
}

/** The outcome of the page. A failure is an ordinary result. */
export type ScrapeAnswer =
  | {
      readonly status: 'scraped';
      readonly url: string;
      readonly text: string;
      /** Further outputs, if `formats` were requested. */
      readonly formats?: PageFormats;
      readonly meta: PageMetadata & { readonly fetchedUrl: string };
      readonly jobId: string;
      /** Path of the picture in the API, if one was requested and taken. */
      readonly screenshot?: string;
    }
  | { readonly status: 'failed'; readonly url: string; readonly error: ScrapeError; readonly jobId: string };

/**
 * Fetches and converts one page. Validates like {@link createJob}, and throws a `UserError` like it.
 *
 * Returns undefined if the signal fired first, because no client waits for the page any more. In that case, and on
 * timeout, it cancels the job.
 */
export async function scrapePage(
  parts: ScrapeParts,
  caller: JobOwner,
  body: unknown,
  signal: AbortSignal,
): Promise<ScrapeAnswer | undefined> {
  const given = parseInput(scrapeInput, 'scrape', body);
  const { url, timeout } = given;
  const input = jobInput.parse({
    ...asJobFields('scrape', given),
    urls: [url],
    output_expiry: outputExpirySeconds,
    page_limit: 1,
    // A client that names a file wants it.
    include_linked_files: true,
    max_depth: 0,
    // With this depth no sitemap is read, and in this mode no link: the ledger stays free of the page's links.
    force_crawling_mode: 'sitemap',
  });
  const deadline = performance.now() + timeout * 1000;
  const { error_pages } = given;
  const { id } = await storeJob(
    parts,
    caller,
    { ...input, error_pages },
    { urlField: () => 'url', isInteractive: true, kind: 'scrape' },
  );
  await parts.begin?.(id);
  const job = await untilDecided(parts, caller.org, id, deadline, signal);
  if (hasEnded(job.status) && job.progress.scraped > 0) return scraped(parts, job);
  // Read before the job is cancelled, because cancelling overwrites the reason of its URL.
  const [start = url] = job.spec.urls;
  const entry = await parts.jobs.findUrl(id, dedupeKey(new URL(start)));
  // The page can arrive just before its job is cancelled.
  const ended = hasEnded(job.status) ? job : await cancelJob(parts.jobs, caller.org, id);
  if (ended.progress.scraped > 0) return scraped(parts, ended);
  if (ended.status !== 'cancelled') return failed(ended, ledgerError(entry));
  if (signal.aborted) return undefined;
  return failed(ended, unreachableError(ended) ?? timeoutError(entry, timeout));
}

/** Waits until the job has ended, its host is unreachable, the time is up, or the signal fires. */
async function untilDecided(
  { jobs }: ScrapeParts,
  org: string,
  id: string,
  deadline: number,
  signal: AbortSignal,
): Promise<Job> {
  for (;;) {
    const job = await getJob(jobs, org, id);
    const remainingMs = deadline - performance.now();
    if (hasEnded(job.status) || unreachableNotice(job) || remainingMs <= 0 || signal.aborted) return job;
    await jobs.waitForChange(id, remainingMs, signal);
  }
}

async function scraped({ pages }: ScrapeParts, job: Job): Promise<ScrapeAnswer> {
  const query = { org: job.org, jobId: job.id, after: 0, limit: 1, withText: true, bytesMax: 1 };
  const slice = await pages.read(query);
  const page = slice?.pages[0];
  if (slice?.damagedPage !== undefined)
    throw new UserError('page_damaged', 'The page is damaged: the stored bytes have changed. Scrape it again.', [], {
      page: 1,
    });
  if (!page) throw new Error(`job ${job.id} has a page, but it cannot be read`);
  const { meta, text, formats } = parsePage(page);
  const { url, fetchedUrl } = meta;
  const hasScreenshot = job.spec.screenshot !== null && !job.notices.some(({ code }) => code === 'no_screenshot');
  return {
    status: 'scraped',
    url,
    text,
    ...(formats && { formats }),
    meta: { ...meta.meta, fetchedUrl },
    jobId: job.id,
    ...(hasScreenshot && { screenshot: screenshotPath(job.id, 1) }),
  };
}

function failed({ id, spec }: Job, error: ScrapeError): ScrapeAnswer {
  return { status: 'failed', url: spec.urls[0] ?? '', error, jobId: id };
}
