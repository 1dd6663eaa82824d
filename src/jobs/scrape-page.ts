// Scrapes one page now: a job of one URL, processed like any other. The response comes when the job has ended.
import type { Job } from '../core/job.ts';
import type { PageFormats, PageMetadata } from '../core/page.ts';
import { asJobFields, jobInput, scrapeInput } from '../options/inputs.ts';
import type { PageJson } from '../page/decode.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { type AwaitParts, awaitPage } from './await-page.ts';
import { type CreateJobParts, type JobOwner, storeJob } from './create-job.ts';
import { parseInput } from './parse-input.ts';
import { screenshotPath } from './read-screenshot.ts';
import type { ScrapeError } from './scrape-error.ts';

/** The response contains the page, so the job is kept only to show why it failed. */
const outputExpirySeconds = 3_600;

export type ScrapeParts = CreateJobParts & AwaitParts;

/** The outcome of the page. A failure is an ordinary result. */
export type ScrapeResponse =
  | {
      readonly status: 'scraped';
      readonly url: string;
      readonly text: string;
      /** Structured data, if `extract` asks for it. */
      readonly extracted?: PageJson['extracted'];
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
): Promise<ScrapeResponse | undefined> {
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
  const { error_pages } = given;
  const { id, spec } = await storeJob(
    parts,
    caller,
    { ...input, error_pages },
    { urlField: () => 'url', isInteractive: true, kind: 'scrape' },
  );
  const [start = url] = spec.urls;
  const asked = { org: caller.org, id, key: dedupeKey(new URL(start)), timeoutSeconds: timeout };
  const awaited = await awaitPage(parts, asked, signal);
  if (!awaited) return undefined;
  return awaited.error === undefined ? scraped(awaited.job, awaited.page) : failed(awaited.job, awaited.error);
}

function scraped(job: Job, { meta, text, extracted, formats }: PageJson): ScrapeResponse {
  const { url, fetchedUrl } = meta;
  const hasScreenshot = job.spec.screenshot !== null && !job.notices.some(({ code }) => code === 'no_screenshot');
  return {
    status: 'scraped',
    url,
    text,
    ...(extracted !== undefined && { extracted }),
    ...(formats && { formats }),
    meta: { ...meta.meta, fetchedUrl },
    jobId: job.id,
    ...(hasScreenshot && { screenshot: screenshotPath(job.id, 1) }),
  };
}

function failed({ id, spec }: Job, error: ScrapeError): ScrapeResponse {
  return { status: 'failed', url: spec.urls[0] ?? '', error, jobId: id };
}
