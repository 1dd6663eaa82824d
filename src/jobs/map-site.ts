// Maps a site: the URLs that its sitemaps and one page name. A job of one page whose links are listed and not followed, so
// that robots.txt, pace and limits are those of any job. The response comes when it has ended or the time is up.
import { untilSomething } from './follow-job.ts';
import { ledgerSlices } from './list-urls.ts';
import { hasEnded, type Job, type JobFinding } from '../core/job.ts';
import type { JobCode } from '../core/job-codes.ts';
import type { JobStore, LedgerEntry } from '../core/ports/stores.ts';
import { asJobFields, jobInput, mapInput } from '../options/inputs.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { BestOf } from './best-of.ts';
import { changeJob } from './change-job.ts';
import { type CreateJobParts, type JobOwner, storeJob } from './create-job.ts';
import { getJob } from './get-job.ts';
import { parseInput } from './parse-input.ts';
import { ledgerError, type ScrapeError, timeoutError, unreachableError, unreachableNotice } from './scrape-error.ts';

/** The response has the URLs; the job is kept for those beyond `limit`. */
const outputExpirySeconds = 3_600;
/** If the process that waits dies, the job ends by itself this long after its time. */
const graceSeconds = 60;
/** One more than the page, so that its end does not end the job before the sitemaps are read. */
const pagesMax = 2;
/** The reason of everything that a crawl would follow from the page. */
const listed = 'depth';
/** What means that URLs are missing. */
const losses: ReadonlySet<JobCode> = new Set([
  'sitemap_unreadable',
  'url_limit_reached',
  'links_cut',
  'truncated',
  'host_unresponsive',
  'host_unreachable',
  'network_down',
]);

export interface MapParts extends CreateJobParts {
  /** Starts crawling the job, if no process crawls the store yet. */
  readonly begin?: (jobId: string) => Promise<void>;
}

export interface SiteMap {
  /** `failed`: no URL was found, and `error` says why. */
  readonly status: 'mapped' | 'failed';
  readonly url: string;
  readonly jobId: string;
  readonly urls: readonly LedgerEntry[];
  /** Why URLs are missing; absent if none are known to be. */
  readonly truncatedBy?: (typeof truncations)[number];
  /** URLs read from sitemaps. */
  readonly sitemapPageCount: number;
  readonly notices: Job['notices'];
  readonly findings: readonly JobFinding[];
  /** Why the page itself could not be read. */
  readonly error?: ScrapeError;
}

/** `limit` of the request or of bytes; `timeout`; `unread`: part of the site could not be read, as a notice says. */
export const truncations = ['limit', 'timeout', 'unread'] as const;

/**
 * Lists the URLs of a site. Validates like `createJob`, and throws a `UserError` like it. Returns undefined if the signal
 * fired first, because no client waits any more. In that case, and when the time is up, it cancels the job.
 *
 * With `rank`, all URLs are collected, and those that rank highest come first, before `limit` cuts. Equals keep their order.
 */
export async function mapSite(
  parts: MapParts,
  caller: JobOwner,
  body: unknown,
  signal: AbortSignal,
  rank?: (url: string) => number,
): Promise<SiteMap | undefined> {
  const given = parseInput(mapInput, 'map', body);
  const { url, timeout, limit } = given;
  const q = given.q === '' ? undefined : given.q;
  const input = jobInput.parse({
    ...asJobFields('map', given),
    urls: [url],
    output_expiry: outputExpirySeconds,
    time_limit: timeout + graceSeconds,
    page_limit: pagesMax,
    max_depth: 0,
  });
  const { id } = await storeJob(parts, caller, input, { urlField: () => 'url', isInteractive: true, kind: 'map' });
  await parts.begin?.(id);
  // What is filtered or ranked is not known before all is found.
  const isEnough = (job: Job): boolean => q === undefined && !rank && foundBy(job) > limit;
  const job = await untilSomething(
    { ...parts, jobId: id, waitMs: timeout * 1000, signal },
    () => getJob(parts.jobs, caller.org, id),
    (found) => isEnough(found) || unreachableNotice(found) !== undefined,
  );
  const [start = url] = job.spec.urls;
  // Read before the job is cancelled, because cancelling overwrites the reason of its URL.
  const entry = await parts.jobs.findUrl(id, dedupeKey(new URL(start)));
  const ended = hasEnded(job.status) ? job : await changeJob(parts.jobs, 'cancel', caller.org, id);
  if (signal.aborted) return undefined;
  const { urls, more } = await readMap(parts.jobs, id, {
    best: new BestOf(limit, rank),
    ...(q !== undefined && { q }),
  });
  const truncatedBy = more || isEnough(ended) ? 'limit' : truncationOf(job, ended);
  const error =
    entry?.status === 'scraped'
      ? undefined
      : hasEnded(job.status)
        ? ledgerError(entry)
        : (unreachableError(job) ?? timeoutError(entry, timeout));
  return {
    status: error && foundBy(ended) === 0 ? 'failed' : 'mapped',
    url: start,
    jobId: id,
    urls,
    ...(truncatedBy !== undefined && { truncatedBy }),
    sitemapPageCount: ended.sitemapPageCount,
    notices: ended.notices,
    findings: ended.findings.filter(({ code }) => code !== 'no_pages'),
    ...(error && { error }),
  };
}

/** URLs that the map lists: the page, and what it and the sitemaps name. */
function foundBy({ progress, reasons }: Job): number {
  return progress.scraped + (reasons[listed] ?? 0);
}

function truncationOf(job: Job, ended: Job): SiteMap['truncatedBy'] {
  if ([...ended.notices, ...ended.findings].some(({ code }) => losses.has(code))) return 'unread';
  return hasEnded(job.status) ? undefined : 'timeout';
}

/** The page first, then the others in the order of discovery, unless they are ranked. */
async function readMap(
  jobs: JobStore,
  id: string,
  { best, q }: { readonly best: BestOf<LedgerEntry>; readonly q?: string },
): Promise<{ readonly urls: readonly LedgerEntry[]; readonly more: boolean }> {
  const search = q === undefined ? {} : { q };
  const { entries: pages } = await jobs.listUrls(id, { after: 0, limit: 1, status: 'scraped', ...search });
  for (const page of pages) best.add(page);
  for await (const entries of ledgerSlices(jobs, id, { reason: listed, ...search })) {
    for (const entry of entries) best.add(entry);
    if (best.isComplete) break;
  }
  return { urls: best.found, more: best.wasCut };
}
