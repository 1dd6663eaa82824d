// One page now: a job of one URL, on the path of every other, answered when it has ended.
import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import type { PageMetadata } from '../core/page.ts';
import type { LedgerEntry, PageStore } from '../core/stores.ts';
import { asJobFields, jobInput, scrapeInput } from '../options/inputs.ts';
import { parsePage } from '../page/decode.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { cancelJob } from './cancel-job.ts';
import { type CreateJobParts, type JobOwner, storeJob } from './create-job.ts';
import { meaningOf } from '../core/reasons.ts';
import { getJob } from './get-job.ts';
import { parseInput } from './parse-input.ts';

/** The answer holds the page, so the job is kept only for whoever wants to see why it failed. */
const outputExpirySeconds = 3_600;

export interface ScrapeParts extends CreateJobParts {
  readonly pages: PageStore;
  /** Begins to crawl the job, where nothing crawls the store yet. */
  readonly begin?: (jobId: string) => Promise<void>;
}

/** What became of the page. That it could not be had is an ordinary answer. */
export type ScrapeAnswer =
  | {
      readonly status: 'scraped';
      readonly url: string;
      readonly text: string;
      readonly meta: PageMetadata & { readonly fetchedUrl: string };
      readonly jobId: string;
    }
  | { readonly status: 'failed'; readonly url: string; readonly error: ScrapeError; readonly jobId: string };

export interface ScrapeError {
  /** As in the URL ledger, `timeout` where the time was up, `host_unreachable` where the host was not asked for the page. */
  readonly reason: string;
  readonly detail: string;
  /** What the site answered, where it did. */
  readonly statusCode?: number;
}

/**
 * Fetches and converts one page. Validates like {@link createJob}, and throws a `UserError` as that does.
 *
 * Answers undefined when the signal fired first: nobody waits for the page any more. Then, and when the time is up, the
 * job is cancelled.
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
    ...asJobFields(given),
    urls: [url],
    output_expiry: outputExpirySeconds,
    page_limit: 1,
    // Whoever names a file wants it.
    include_linked_files: true,
    max_depth: 0,
    // With this depth no sitemap is read, and in this mode no link: a page of a thousand links leaves no trace of them.
    force_crawling_mode: 'sitemap',
  });
  const deadline = performance.now() + timeout * 1000;
  const { id } = await storeJob(parts, caller, input, { urlField: () => 'url', isInteractive: true });
  await parts.begin?.(id);
  const job = await untilDecided(parts, caller.org, id, deadline, signal);
  // Once the job is cancelled its URLs say no more than that.
  const [start = url] = job.spec.urls;
  const entry = await parts.jobs.findUrl(id, dedupeKey(new URL(start)));
  // The page may have come in just before its job was cancelled.
  const ended = hasEnded(job.status) ? job : await cancelJob(parts.jobs, caller.org, id);
  if (ended.progress.scraped > 0) return scraped(parts, ended);
  if (ended.status !== 'cancelled') return failed(ended, ledgerError(entry));
  if (signal.aborted) return undefined;
  return failed(ended, unreachableError(ended) ?? timeoutError(entry, timeout));
}

/** The job when it has ended, when its host turned out to be unreachable, or when nobody waits any longer. */
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
  const { meta, text } = parsePage(page);
  const { url, fetchedUrl } = meta;
  return { status: 'scraped', url, text, meta: { ...meta.meta, fetchedUrl }, jobId: job.id };
}

function failed({ id, spec }: Job, error: ScrapeError): ScrapeAnswer {
  return { status: 'failed', url: spec.urls[0] ?? '', error, jobId: id };
}

function ledgerError(entry: LedgerEntry | undefined): ScrapeError {
  const { reason, statusCode } = { reason: 'unknown', statusCode: null, ...entry };
  return {
    reason: reason ?? 'unknown',
    detail: entry === undefined ? 'Nothing is known of it.' : why(entry),
    ...(statusCode !== null && { statusCode }),
  };
}

/** What failed says it in a sentence; what was discarded has one for all, and what makes it checkable. */
function why({ status, reason, detail }: LedgerEntry): string {
  const meaning = meaningOf(reason ?? '');
  if (detail === null) return meaning;
  return status === 'discarded' ? `${meaning} (${detail})` : detail;
}

/** A URL that waits for its next attempt says why the last one failed. */
function timeoutError(entry: LedgerEntry | undefined, timeoutSeconds: number): ScrapeError {
  const last = entry === undefined || entry.reason === null ? '' : ` The last attempt failed: ${why(entry)}`;
  return {
    reason: 'timeout',
    detail: `The page was not there within ${timeoutSeconds} s.${last}`,
    ...(typeof entry?.statusCode === 'number' && { statusCode: entry.statusCode }),
  };
}

function unreachableError(job: Job): ScrapeError | undefined {
  const notice = unreachableNotice(job);
  return notice && { reason: 'host_unreachable', detail: notice.message };
}

/** The host is tried again later and later; who waits for one page is better told now. */
function unreachableNotice({ notices }: Job): Job['notices'][number] | undefined {
  return notices.find(({ code }) => code === 'host_unreachable' || code === 'network_down');
}
