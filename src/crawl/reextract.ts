// Makes the pages of jobs from the raw bodies of other jobs: no request, no lane, no pace. Pages are converted side by
// side and committed in order, so each keeps its number. A crash continues after the last commit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobSpec } from '../core/job.ts';
import type { FoundSlices, PageBlobs } from '../core/ports/blobs.ts';
import { erasedUrl } from '../core/ports/erasures.ts';
import type { Frontier } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { ExtractedPage, ReextractionJob, Reextractions } from '../core/ports/reextractions.ts';
import type { JobStore, PageStore } from '../core/ports/stores.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import { ownedCopy } from '../core/bytes/owned-bytes.ts';
import type { RawPage } from '../core/raw-page.ts';
import { pageMetaRow, type PageJson } from '../page/decode.ts';
import { isErasedSlice, SegmentReader } from '../page/raw-segments.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import type { Converter } from './convert/converter.ts';
import { toPageRecord } from './convert/page-record.ts';
import { briefOf, type JobBrief } from './job/job-cache.ts';

/** How often to look for jobs. */
const lookMs = 500;
/** Pages that are read and committed together, and their unpacked bytes. */
const [batchPages, batchBytesMax] = [64, 4 * 2 ** 20];
/** The first batch of a job: a process that dies soon after each start must make progress. */
const firstBatchPages = 8;
/** Batches of one job before it is another org's turn, or another job's. */
const batchesPerTurn = 8;
/** How long a job is left alone that another process works on. */
const leftAloneMs = 60_000;
/** How long a job rests that could not be continued. */
const troubleMs = 5_000;

export interface ReextractParts {
  readonly reextractions: Reextractions;
  readonly blobs: PageBlobs;
  readonly pages: PageStore;
  readonly jobs: JobStore;
  readonly frontier: Pick<Frontier, 'crawlJob'>;
  readonly converter: Pick<Converter, 'convertPage'>;
  readonly log: Log;
  /** Works on this job only. */
  readonly onlyJob?: string | undefined;
}

/** Works until `stop`. Never rejects: a failure of the store is logged, and the job continued later. */
export async function reextractJobs(parts: ReextractParts, stop: AbortSignal): Promise<void> {
  const turns: Turns = { restUntil: new Map(), ofOrg: new Map() };
  const { restUntil } = turns;
  while (!stop.aborted) {
    const job = await nextOf(parts, turns).catch(() => undefined);
    if (!job) {
      await sleep(lookMs, undefined, { signal: stop }).catch(() => {});
      continue;
    }
    try {
      const isOurs = await reextract(parts, job, stop);
      restUntil.set(job.id, monotonicNow() + (isOurs ? 0 : leftAloneMs));
    } catch (error) {
      restUntil.set(job.id, monotonicNow() + troubleMs);
      if (!stop.aborted)
        parts.log.error('a job could not be converted again, and is tried later', { job: job.id, error });
    }
  }
}

interface Turns {
  /** By job: when it may have its next turn, which is the end of its last one. */
  readonly restUntil: Map<string, number>;
  /** By org: when its last turn began. */
  readonly ofOrg: Map<string, number>;
}

/** The org that has waited longest, and of its jobs the one that has. */
async function nextOf(
  { reextractions, onlyJob }: ReextractParts,
  { restUntil, ofOrg }: Turns,
): Promise<ReextractionJob | undefined> {
  const due = await reextractions.due();
  forgetOthers(restUntil, new Set(due.map(({ id }) => id)));
  forgetOthers(ofOrg, new Set(due.map(({ org }) => org)));
  const now = monotonicNow();
  const rest = ({ id }: ReextractionJob): number => restUntil.get(id) ?? 0;
  const [next] = due
    .filter((job) => (onlyJob === undefined || job.id === onlyJob) && rest(job) <= now)
    .toSorted((one, other) => (ofOrg.get(one.org) ?? 0) - (ofOrg.get(other.org) ?? 0) || rest(one) - rest(other));
  if (next) ofOrg.set(next.org, now);
  return next;
}

function forgetOthers(map: Map<string, unknown>, names: ReadonlySet<string>): void {
  for (const name of map.keys()) if (!names.has(name)) map.delete(name);
}

/** Has one turn. Returns false if another process works on the job, or it was cancelled or stopped meanwhile. */
async function reextract(parts: ReextractParts, { id, org }: ReextractionJob, stop: AbortSignal): Promise<boolean> {
  const { reextractions, blobs, jobs, frontier } = parts;
  const [job, crawlJob] = [await jobs.get(org, id), await frontier.crawlJob(id)];
  const source = job?.spec.reextract;
  if (!job || !crawlJob || !source) return false;
  const total = source.page === undefined ? ((await jobs.get(org, source.of))?.progress.scraped ?? 0) : 1;
  /** Of the source, before the first page of this job. */
  const offset = source.page === undefined ? 0 : source.page - 1;
  const context = { ...parts, org, of: source.of, brief: briefOf(crawlJob, 0), spec: job.spec };
  let done = job.progress.scraped;
  if (total === 0 || done >= total) return reextractions.commit(id, done, [], true);
  const read = (after: number): Promise<FoundSlices | undefined> =>
    blobs.readRaw({
      org,
      jobId: source.of,
      after: offset + after,
      limit: Math.min(batchAfter(after), total - after),
      bytesMax: batchBytesMax,
    });
  let reading = read(done);
  for (let batches = 1; done < total; batches++) {
    stop.throwIfAborted();
    const found = await reading;
    // If the other job was deleted, nothing is left to read: then it is said of each page.
    const upTo = found ? found.upTo - offset : total;
    const last = Math.max(done + 1, Math.min(upTo, total, done + batchAfter(done)));
    const isTurnOver = batches === batchesPerTurn;
    if (last < total && !isTurnOver) {
      reading = read(last);
      // It is awaited after the commit, which can fail first.
      reading.catch(() => {});
    }
    const numbers = Array.from({ length: last - done }, (_, index) => offset + done + index + 1);
    const reader = new SegmentReader(found?.segments ?? new Map());
    const slices = new Map(found?.slices.map((slice) => [slice.page, slice]));
    const pages = await Promise.all(
      numbers.map(async (page) => {
        const slice = slices.get(page);
        const raw = slice && (await reader.read(slice));
        return raw
          ? extracted(context, raw)
          : emptyPage(context, await urlOf(context, page), slice && isErasedSlice(slice) ? erased : lost);
      }),
    );
    stop.throwIfAborted();
    if (!(await reextractions.commit(id, done, pages, last === total))) return false;
    if (isTurnOver) return true;
    done = last;
  }
  return true;
}

/** With as many pages as the job has: 8, 8, 16, 32, 64. */
function batchAfter(done: number): number {
  return Math.min(batchPages, Math.max(firstBatchPages, done));
}

interface Context extends ReextractParts {
  readonly org: string;
  /** The job with the raw bodies. */
  readonly of: string;
  readonly brief: JobBrief;
  readonly spec: JobSpec;
}

const lost = 'The raw body is missing or damaged.';
const erased = 'The page was erased.';

async function extracted(context: Context, raw: RawPage): Promise<ExtractedPage> {
  const { head, received, rendered } = raw;
  const converted = await context.converter.convertPage({
    job: context.brief,
    requestUrl: head.url,
    fetchedUrl: head.fetchedUrl,
    depth: head.depth,
    statusCode: head.statusCode,
    headers: rendered ? { ...head.read, refresh: '' } : head.read,
    body: ownedCopy(rendered ?? received),
    isRendered: rendered !== undefined,
    isUnverified: head.isUnverified === true,
    ...(head.file !== undefined && { file: head.file }),
  });
  const of = { url: head.url, key: dedupeKey(new URL(head.url)), depth: head.depth };
  if (converted.kind === 'page')
    return { ...of, page: converted.page, ...(converted.remarks && { remarks: converted.remarks }) };
  const why = converted.kind === 'error' ? converted.error.message : 'The body is no page any more.';
  return emptyPage(context, of, why);
}

type Place = Pick<ExtractedPage, 'url' | 'key' | 'depth'>;

/** Keeps the number of a page that cannot be converted. */
function emptyPage({ spec }: Context, { url, key, depth }: Place, problem: string): ExtractedPage {
  const page = toPageRecord({
    url,
    fetchedUrl: url,
    fetchedKey: key,
    metadata: { title: '', description: '' },
    text: '',
    statusCode: 0,
    shape: spec,
  });
  return { url, key, depth, page, problem };
}

/** From the metadata of the page, or else from the ledger. */
async function urlOf({ pages, jobs, org, of }: Context, page: number): Promise<Place> {
  const slice = await pages.read({ org, jobId: of, after: page - 1, limit: 1, withText: false, bytesMax: 1 });
  const [stored] = slice?.pages ?? [];
  if (stored?.page === page) {
    const { url } = (JSON.parse(pageMetaRow(stored)) as Pick<PageJson, 'meta'>).meta;
    slice?.release();
    return { url, key: keyOf(url, page), depth: 0 };
  }
  slice?.release();
  for (let after = 0; ;) {
    const { entries } = await jobs.listUrls(of, { after, limit: 1_000, status: 'scraped' });
    const entry = entries.find((one) => one.page === page);
    if (entry) return { url: entry.url, key: keyOf(entry.url, page), depth: entry.depth };
    const last = entries.at(-1);
    // The other job was deleted, and its rows are gone.
    if (!last) return { url: `urn:page:${page}`, key: `urn:page:${page}`, depth: 0 };
    after = last.entry;
  }
}

/** Erased pages have no URL of their own. */
function keyOf(url: string, page: number): string {
  return url === erasedUrl ? `erased ${page}` : dedupeKey(new URL(url));
}
