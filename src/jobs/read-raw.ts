// Pages as their sites sent them, of jobs with `store_raw`.
import { ledgerSlices } from './list-urls.ts';
import { UserError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { PageBlobs } from '../core/ports/blobs.ts';
import type { JobStore, LedgerEntry } from '../core/ports/stores.ts';
import type { RawPage } from '../core/raw-page.ts';
import { isErasedSlice, SegmentReader } from '../page/raw-segments.ts';
import { dataExpired, getKept, kept, pageNotFound } from './get-job.ts';

export interface RawParts {
  readonly jobs: JobStore;
  readonly blobs: PageBlobs;
}

export interface NumberedRaw {
  readonly page: number;
  /** Undefined if it differs from what was stored. */
  readonly raw: RawPage | undefined;
}

/** Unpacked bytes that one read returns, and pages that it looks at. */
const [readBytesMax, readPagesMax] = [4 * 2 ** 20, 200];

/** Returns the raw page with this number, in digits. Throws a `UserError` if there is none. */
export async function readRaw({ jobs, blobs }: RawParts, org: string, id: string, given: string): Promise<RawPage> {
  const job = await getKept(jobs, org, id);
  const page = /^[1-9]\d{0,7}$/.test(given) ? Number(given) : 0;
  refuseWithoutRaw(job);
  if (page === 0 || page > job.progress.scraped) throw pageNotFound(job.progress.scraped);
  const raw = await rawOf(blobs, { org, id }, page);
  if (raw === 'erased') throw pageErased(page);
  if (!raw) throw damaged(page);
  return raw;
}

export function pageErased(page: number): UserError {
  return new UserError('page_erased', `Page ${page} was erased: nothing of it is left.`);
}

/** The raw page with this number; undefined if it is lost or damaged. `erased`: on purpose. */
export async function rawOf(
  blobs: PageBlobs,
  { org, id }: Pick<Job, 'org' | 'id'>,
  page: number,
): Promise<RawPage | 'erased' | undefined> {
  const query = { org, jobId: id, after: page - 1, limit: 1, bytesMax: readBytesMax };
  const { segments, slices } = kept(await blobs.readRaw(query));
  const [slice] = slices;
  if (slice && isErasedSlice(slice)) return 'erased';
  return slice && new SegmentReader(segments).read(slice);
}

/** All raw pages up to `total`, in order, a few megabytes at a time. Rejects when the signal fires. */
export async function* rawPagesOf(
  blobs: PageBlobs,
  { org, id }: Pick<Job, 'org' | 'id'>,
  { after, total }: { readonly after: number; readonly total: number },
  signal: AbortSignal,
): AsyncGenerator<readonly NumberedRaw[]> {
  for (let last = after; last < total;) {
    if (signal.aborted) throw new UserError('unavailable', 'The pages were not read to their end.');
    const limit = Math.min(readPagesMax, total - last);
    const found = kept(await blobs.readRaw({ org, jobId: id, after: last, limit, bytesMax: readBytesMax }));
    const reader = new SegmentReader(found.segments);
    const byPage = new Map(found.slices.map((slice) => [slice.page, slice]));
    const pages: NumberedRaw[] = [];
    for (let page = last + 1; page <= Math.min(found.upTo, total); page++) {
      const slice = byPage.get(page);
      // What was erased is in no archive.
      if (slice && isErasedSlice(slice)) continue;
      pages.push({ page, raw: slice && (await reader.read(slice)) });
    }
    if (found.upTo <= last) throw new Error(`job ${id} has no page after ${last}, but should have ${total}`);
    last = found.upTo;
    yield pages;
  }
}

/** Opens the archive of a job that was checked. Throws a `UserError` if it keeps no raw bodies. */
export function archiveOf(
  { jobs, blobs }: RawParts,
  job: Job,
  total: number,
  signal: AbortSignal,
): {
  readonly pages: AsyncGenerator<{ readonly page: number; readonly raw: RawPage }>;
  readonly entries: AsyncGenerator<LedgerEntry>;
} {
  refuseWithoutRaw(job);
  return {
    pages: wholePages(rawPagesOf(blobs, job, { after: 0, total }, signal)),
    entries: entriesOf(jobs, job, total, signal),
  };
}

async function* wholePages(
  slices: AsyncIterable<readonly NumberedRaw[]>,
): AsyncGenerator<{ readonly page: number; readonly raw: RawPage }> {
  for await (const pages of slices)
    for (const { page, raw } of pages) {
      if (!raw) throw damaged(page);
      yield { page, raw };
    }
}

/** The pages of the ledger that were asked for, or were to be; no page that was committed after the first `total`. */
async function* entriesOf(
  jobs: JobStore,
  { org, id }: Job,
  total: number,
  signal: AbortSignal,
): AsyncGenerator<LedgerEntry> {
  for await (const entries of ledgerSlices(jobs, id)) {
    if (signal.aborted) throw new UserError('unavailable', 'The export was stopped before its end.');
    // After a deletion fewer are left, which would look like the end.
    if ((await jobs.get(org, id))?.areResultsGone !== false) throw dataExpired();
    for (const entry of entries) {
      const { status, page } = entry;
      if (page !== null && page > total) continue;
      if (status === 'scraped' || status === 'discarded' || status === 'failed') yield entry;
    }
  }
}

/** Throws unless the pages of the job have raw bodies. */
export function refuseWithoutRaw({ spec }: Job): void {
  if (spec.storeRaw) return;
  throw new UserError(
    'no_raw',
    'The job keeps no raw bodies. Crawl again with `store_raw: true`: what a site sent cannot be had afterwards.',
  );
}

function damaged(page: number): UserError {
  return new UserError('page_damaged', `The raw body of page ${page} is damaged: the stored bytes have changed.`, [], {
    page,
  });
}
