// What was left out of a page of a job: from its raw body, or else the page is requested once more. Both by a job of one
// page with the options of the first, for a request also its headers and start URLs. That job is removed when its page
// has been read.
import { fileKindOf } from '../core/bytes/file-kind.ts';
import type { DroppedText } from '../core/dropped-text.ts';
import { UserError } from '../core/errors.ts';
import type { CrawlJob, Job, JobSpec } from '../core/job.ts';
import type { PageBlobs } from '../core/ports/blobs.ts';
import type { NewJob } from '../core/ports/stores.ts';
import { optionsIn } from '../options/job-spec.ts';
import { pageMetaRow, type PageJson } from '../page/decode.ts';
import { judgeStart } from '../url/scope.ts';
import { awaitPage } from './await-page.ts';
import { checkPermissionsOfSpec } from './check-permissions.ts';
import { type JobOwner, tooManyJobs } from './create-job.ts';
import { getJob, jobNotFound, pageNotFound } from './get-job.ts';
import { newJobId } from './job-id.ts';
import { dataExpired } from './list-urls.ts';
import { pageErased, rawOf } from './read-raw.ts';
import { reextractionOf } from './reextract-job.ts';
import type { ScrapeError } from './scrape-error.ts';
import type { ScrapeParts } from './scrape-page.ts';

/** A job that nobody waits for any more keeps its page as long. */
const outputExpirySeconds = 600;
/** As for a scrape. */
const timeoutSeconds = 60;
const fetchesMax = 20;

export interface DroppedParts extends ScrapeParts {
  readonly blobs: PageBlobs;
  /** See `Frontier.crawlJob`. */
  readonly crawlJob: (id: string) => Promise<CrawlJob | undefined>;
}

export interface DroppedAnswer {
  readonly page: number;
  readonly url: string;
  /** In the order of the page. */
  readonly data: readonly DroppedText[];
  /** Words of all of them. */
  readonly words: number;
  /** Absent if the page was read from its raw body. */
  readonly refetchedAt?: number;
  /** The page still has the text that is stored. */
  readonly sameText: boolean;
}

/**
 * Throws a `UserError` if there is no such page, if it is a file, or if it cannot be read again. Returns undefined if
 * the signal fired first.
 */
export async function readDropped(
  parts: DroppedParts,
  caller: JobOwner,
  jobId: string,
  given: string,
  signal: AbortSignal,
): Promise<DroppedAnswer | undefined> {
  const { org } = caller;
  const job = await getJob(parts.jobs, org, jobId);
  checkPermissionsOfSpec(job.spec, caller.permissions);
  const stored = await storedPage(parts, org, jobId, given);
  const { page, url, fetchedUrl, meta } = stored.meta;
  if (typeof meta['erasedAt'] === 'number') throw pageErased(page);
  const { contentType } = meta;
  const kind = fileKindOf(typeof contentType === 'string' ? contentType : '', new URL(fetchedUrl).pathname);
  const isRendered = meta['rendered'] === true;
  if (!isRendered && kind !== undefined && kind !== 'markdown' && meta['extractionMethod'] === undefined)
    throw notHtml(page);
  const hasRaw = job.spec.storeRaw && (await rawOf(parts.blobs, job, page)) !== undefined;
  if (isRendered && !hasRaw && !(await parts.hasBrowser())) throw noBrowser(page);
  // The time to wait for a page would not change it.
  const refusal = hasRaw ? undefined : parts.destinations.refusal(new URL(url));
  if (refusal !== undefined)
    throw new UserError('destination_not_allowed', `\`${url}\`: ${refusal}`, [{ field: 'url', message: refusal }]);
  const crawled = await parts.crawlJob(jobId);
  if (!crawled) throw jobNotFound();
  const { jobsPerOrg } = parts;
  const again: NewJob = {
    ...(hasRaw ? rawJobFor(job, page) : jobFor(crawled, { org, url, isRendered })),
    isInteractive: true,
    ...(jobsPerOrg !== undefined && { unfinishedMax: jobsPerOrg }),
  };
  const made = await parts.jobs.create(again);
  if (typeof made === 'string') throw tooManyJobs(parts.jobsPerOrg ?? 0);
  const asked = { org, id: again.id, key: judgeStart(new URL(url)).key, timeoutSeconds };
  const awaited = await awaitPage(parts, asked, signal);
  if (!awaited) return undefined;
  if (awaited.error !== undefined) throw unreadable(page, awaited.error);
  await parts.jobs.delete(org, again.id);
  const { dropped } = awaited.page.formats ?? {};
  if (dropped === undefined) throw notHtml(page);
  return {
    page,
    url,
    data: dropped,
    words: dropped.reduce((sum, { words }) => sum + words, 0),
    ...(!hasRaw && { refetchedAt: awaited.job.finishedAt ?? Date.now() }),
    sameText: awaited.page.meta.meta['contentHash'] === meta['contentHash'],
  };
}

/** The metadata of a page, by the number of the page in digits. */
async function storedPage(
  { pages }: DroppedParts,
  org: string,
  jobId: string,
  given: string,
): Promise<Pick<PageJson, 'meta'>> {
  const number = /^[1-9]\d{0,7}$/.test(given) ? Number(given) : 0;
  const slice = await pages.read({
    org,
    jobId,
    after: Math.max(number - 1, 0),
    limit: 1,
    withText: false,
    bytesMax: 1,
  });
  if (!slice) throw jobNotFound();
  try {
    if (slice.areResultsGone) throw dataExpired();
    if (slice.damagedPage !== undefined && slice.damagedPage === number)
      throw new UserError('page_damaged', 'The page is damaged: the stored bytes have changed. Crawl it again.', [], {
        page: number,
      });
    const [page] = slice.pages;
    if (page?.page !== number) throw pageNotFound(slice.total);
    return JSON.parse(pageMetaRow(page)) as Pick<PageJson, 'meta'>;
  } finally {
    slice.release();
  }
}

/**
 * The job keeps the start URLs: they decide which sites get the client's headers, and which private networks can be
 * entered. Only the queued URL is another.
 */
function jobFor(
  { id, spec, scopeHosts, headers, networks }: CrawlJob,
  { org, url, isRendered }: { readonly org: string; readonly url: string; readonly isRendered: boolean },
): NewJob {
  const now = Date.now();
  return {
    id: newJobId(now),
    org,
    kind: 'scrape',
    spec: specFor(spec, isRendered),
    createdAt: now,
    pageOf: id,
    startLinks: [judgeStart(new URL(url))],
    origins: [],
    scopeHosts,
    notices: [],
    headers,
    networks,
  };
}

/** Makes the page of its raw body. As the other kind of job, it is in no list of crawls. */
function rawJobFor(job: Job, page: number): NewJob {
  const { id, spec } = job;
  const changed = { listsDropped: true, formats: textsOf(spec), outputExpirySeconds } as const;
  return { ...reextractionOf(job, changed, { of: id, page }), kind: 'scrape' };
}

function textsOf({ formats }: JobSpec): JobSpec['formats'] {
  return formats.filter((format) => format !== 'source' && format !== 'links' && format !== 'images');
}

/** What decides how the page is requested and converted stays; what decides which pages there are does not. */
function specFor(spec: JobSpec, isRendered: boolean): JobSpec {
  return {
    ...optionsIn(spec),
    listsDropped: true,
    formats: textsOf(spec),
    useBrowser: isRendered,
    screenshot: null,
    minLength: 0,
    deliverGlobs: [],
    pageLimit: 1,
    fetchLimit: fetchesMax,
    timeLimitSeconds: 2 * timeoutSeconds,
    outputExpirySeconds,
    maxDepth: 0,
    // As for a scrape: no link of the page enters the ledger.
    forceCrawlingMode: 'sitemap',
  };
}

function notHtml(page: number): UserError {
  return new UserError('page_not_html', `Page ${page} is a file, and not HTML: rules leave nothing out of it.`);
}

function noBrowser(page: number): UserError {
  return new UserError(
    'browser_missing',
    `Page ${page} was rendered, so it must be rendered again, and no crawling process has a browser. \`hayrake doctor\` says why.`,
  );
}

function unreadable(page: number, { reason, detail }: ScrapeError): UserError {
  return new UserError('page_unreadable', `Page ${page} cannot be read again (${reason}): ${detail}`, [], { reason });
}
