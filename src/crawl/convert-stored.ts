// Reads the raw bodies of a job's pages and converts them, some at a time.
import type { JobSpec } from '../core/job.ts';
import type { FoundSlices, PageBlobs } from '../core/ports/blobs.ts';
import { erasedUrl } from '../core/ports/erasures.ts';
import type { ExtractedPage } from '../core/ports/reextractions.ts';
import type { JobStore, PageStore } from '../core/ports/stores.ts';
import { ownedCopy } from '../core/bytes/owned-bytes.ts';
import { freeBytes } from '../core/process/free-bytes.ts';
import type { RawPage } from '../core/raw-page.ts';
import { pageMetaRow, type PageJson } from '../page/decode.ts';
import { isErasedSlice, SegmentReader } from '../page/raw-segments.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import type { ConvertedPage, Converter } from './convert/converter.ts';
import { toPageRecord } from './convert/page-record.ts';
import type { JobBrief } from './job/job-cache.ts';

/** Pages that are read and committed together, and their unpacked bytes. */
const [batchPages, batchBytesMax] = [64, 4 * 2 ** 20];
/** The first batch of a job: a process that dies soon after each start must make progress. */
const firstBatchPages = 8;

export interface StoredPageParts {
  readonly blobs: PageBlobs;
  readonly pages: PageStore;
  readonly jobs: JobStore;
  readonly converter: Pick<Converter, 'convertPage'>;
}

export interface StoredPages extends StoredPageParts {
  readonly org: string;
  /** The job with the raw bodies. */
  readonly of: string;
  /** Pages that are wanted. */
  readonly total: number;
  readonly brief: JobBrief;
  readonly spec: JobSpec;
}

/** Pages `after` + 1 to `last`. */
export interface Batch {
  readonly after: number;
  readonly last: number;
  readonly pages: Promise<readonly ExtractedPage[]>;
}

/** Resolves once the pages are read and their conversion has begun. */
export async function beginBatch(context: StoredPages, after: number): Promise<Batch> {
  const { blobs, org, of, total } = context;
  const limit = Math.min(batchAfter(after), total - after);
  const found = await blobs.readRaw({ org, jobId: of, after, limit, bytesMax: batchBytesMax });
  // If the other job was deleted, nothing is left to read: then it is said of each page.
  const upTo = found?.upTo ?? after + limit;
  const last = Math.max(after + 1, Math.min(upTo, after + limit));
  const numbers = Array.from({ length: last - after }, (_, index) => after + index + 1);
  const pages = Promise.all(converted(context, found, numbers));
  // It is awaited after the batch before it, which can fail first.
  pages.catch(() => {});
  return { after, last, pages };
}

/** With as many pages as the job has: 8, 8, 16, 32, 64. */
function batchAfter(done: number): number {
  return Math.min(batchPages, Math.max(firstBatchPages, done));
}

function converted(
  context: StoredPages,
  found: FoundSlices | undefined,
  numbers: readonly number[],
): readonly Promise<ExtractedPage>[] {
  const reader = new SegmentReader(found?.segments ?? new Map());
  const slices = new Map(found?.slices.map((slice) => [slice.page, slice]));
  return numbers.map(async (page) => {
    const slice = slices.get(page);
    const raw = slice && (await reader.read(slice));
    return raw
      ? extracted(context, raw)
      : emptyPage(context, await urlOf(context, page), slice && isErasedSlice(slice) ? erased : lost);
  });
}

const lost = 'The raw body is missing or damaged.';
const erased = 'The page was erased.';

/** Converts a page of what its site sent. */
export async function convertRaw(
  converter: StoredPageParts['converter'],
  job: JobBrief,
  { head, received, rendered }: RawPage,
): Promise<ConvertedPage> {
  const body = ownedCopy(rendered ?? received);
  const converted = await converter.convertPage({
    job,
    requestUrl: head.url,
    fetchedUrl: head.fetchedUrl,
    depth: head.depth,
    statusCode: head.statusCode,
    headers: rendered ? { ...head.read, refresh: '' } : head.read,
    body,
    isRendered: rendered !== undefined,
    isUnverified: head.isUnverified === true,
    ...(head.file !== undefined && { file: head.file }),
  });
  freeBytes(body);
  return converted;
}

async function extracted(context: StoredPages, raw: RawPage): Promise<ExtractedPage> {
  const { head } = raw;
  const converted = await convertRaw(context.converter, context.brief, raw);
  const of = { url: head.url, key: dedupeKey(new URL(head.url)), depth: head.depth };
  if (converted.kind === 'page')
    return { ...of, page: converted.page, ...(converted.remarks && { remarks: converted.remarks }) };
  const why = converted.kind === 'error' ? converted.error.message : 'The body is no page any more.';
  return emptyPage(context, of, why);
}

type Place = Pick<ExtractedPage, 'url' | 'key' | 'depth'>;

/** Keeps the number of a page that cannot be converted. */
function emptyPage({ spec }: StoredPages, { url, key, depth }: Place, problem: string): ExtractedPage {
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
async function urlOf({ pages, jobs, org, of }: StoredPages, page: number): Promise<Place> {
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
