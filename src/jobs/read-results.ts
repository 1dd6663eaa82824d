import { slicesFrom, untilSomething } from './follow-job.ts';
import { hasEnded } from '../core/job.ts';
import { UserError } from '../core/errors.ts';
import type { JobStatus } from '../core/job.ts';
import type { StoredPage } from '../core/page.ts';
import type { JobStore, PageSlice, PageStore } from '../core/ports/stores.ts';
import type { Cursors } from './cursor.ts';
import { isJobId } from './job-id.ts';
import { kept } from './get-job.ts';

/** A response ends, never before one page, once its texts exceed this size. */
export const responseBytesMax = 16 * 2 ** 20;

export interface ResultsParts {
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly cursors: Cursors;
}

export interface ResultsQuery {
  readonly limit: number;
  readonly withText: boolean;
  /** See {@link PageStore.read}. */
  readonly fields?: readonly string[] | undefined;
  /** Return pages after this one; 0 means from the start. */
  readonly after: number;
  /** How long to wait for a first page if a running job has nothing new yet. */
  readonly waitMs: number;
  /** A slice ends, never before one page, once its texts exceed this size. @default {@link responseBytesMax} */
  readonly bytesMax?: number;
}

export interface Results {
  readonly status: JobStatus;
  readonly pages: readonly StoredPage[];
  /** Number of committed pages. */
  readonly total: number;
  /** See {@link PageSlice.erasures}. */
  readonly erasures: number;
  /** The last page returned, or the requested position if there is none: reading continues here. */
  readonly position: number;
  /** More pages remain, or can still come. */
  readonly more: boolean;
  /** See {@link PageSlice.damagedPage}. A reader that continues at {@link position} gets it again; {@link followResults} continues after it. */
  readonly damagedPage?: number;
  /** See {@link PageSlice.release}. */
  readonly release: () => void;
}

export function positionOf(cursors: Cursors, jobId: string, cursor: string): number {
  return Number(cursors.read({ kind: 'pages', jobId }, cursor));
}

export function cursorAt(cursors: Cursors, jobId: string, position: number): string {
  return cursors.write({ kind: 'pages', jobId }, position);
}

/**
 * Returns the pages of a job after a position, in order. Never skips or repeats a page, whatever is committed
 * meanwhile: pages and status come from one snapshot, and numbers become visible in order.
 */
export async function readResults(
  parts: ResultsParts,
  org: string,
  jobId: string,
  query: ResultsQuery,
  signal: AbortSignal,
): Promise<Results> {
  const slice = await untilSomething(
    { ...parts, jobId, waitMs: query.waitMs, signal },
    () => readSlice(parts.pages, org, jobId, query),
    ({ pages, damagedPage }) => pages.length > 0 || damagedPage !== undefined,
  );
  return toResults(slice, query.after);
}

export interface FollowQuery extends Omit<ResultsQuery, 'waitMs'> {
  /**
   * How long one wait for further pages of a running job lasts; without new pages it yields an empty slice. @default
   * 60,000
   */
  readonly lookMs?: number;
}

/**
 * Yields all pages after a position except the damaged ones, slice by slice, until the job has ended. Ends early when
 * the signal fires.
 */
export async function* followResults(
  parts: ResultsParts,
  org: string,
  jobId: string,
  { lookMs, ...query }: FollowQuery,
  signal: AbortSignal,
): AsyncGenerator<Results> {
  yield* slicesFrom(
    query.after,
    (after, waitMs) => readResults(parts, org, jobId, { ...query, after, waitMs }, signal),
    ({ damagedPage, position }) => damagedPage ?? position,
    { lookMs, signal },
  );
}

/** The error for a request that begins at a damaged page. */
export function pageDamaged(cursors: Cursors, jobId: string, page: number): UserError {
  return new UserError(
    'page_damaged',
    `Page ${page} is damaged: the stored bytes have changed. Continue after it with the \`cursor\` of this response. To get the page, crawl it again.`,
    [],
    { page, cursor: cursorAt(cursors, jobId, page) },
  );
}

async function readSlice(pages: PageStore, org: string, jobId: string, query: ResultsQuery): Promise<PageSlice> {
  const { after, limit, withText, fields, bytesMax = responseBytesMax } = query;
  const page = { org, jobId, after, limit, withText, bytesMax, ...(fields && { fields }) };
  return kept(isJobId(jobId) ? await pages.read(page) : undefined);
}

function toResults(slice: PageSlice, after: number): Results {
  const { status, pages, total, erasures, release, damagedPage } = slice;
  const more = slice.more || !hasEnded(status);
  return {
    status,
    pages,
    total,
    erasures,
    position: pages.at(-1)?.page ?? after,
    more,
    release,
    ...(damagedPage !== undefined && { damagedPage }),
  };
}
