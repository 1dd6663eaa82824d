import { defined } from '../core/defined.ts';
import { UserError } from '../core/errors.ts';
import { hasEnded, type JobStatus } from '../core/job.ts';
import type { JobStore, LedgerEntry, LedgerKind, LedgerStatus } from '../core/ports/stores.ts';
import type { CursorList, Cursors } from './cursor.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import { getJob } from './get-job.ts';
import type { PageQuery } from './list-page.ts';

export interface UrlList {
  readonly status: JobStatus;
  readonly urls: readonly LedgerEntry[];
  /** Absent when nothing remains. A running job can discover more URLs later. */
  readonly cursor?: string;
}

export interface UrlQuery extends PageQuery {
  readonly status?: LedgerStatus | undefined;
  readonly reason?: string | undefined;
  readonly kind: LedgerKind;
  /** Part of the URL. */
  readonly q?: string | undefined;
  /** URL of the page on which the URLs were found first, in any spelling with the same dedupe key. */
  readonly foundOn?: string | undefined;
  /**
   * How long to wait after a cursor if a running job has nothing new yet, so that a loop that follows a job does not
   * spin.
   */
  readonly waitMs: number;
}

/** Some URLs of a ledger. */
export interface UrlSlice {
  readonly status: JobStatus;
  readonly urls: readonly LedgerEntry[];
  /** The last entry returned, or the requested position if there is none. */
  readonly position: number;
  /** More URLs remain, or can still come. */
  readonly more: boolean;
}

interface Parts {
  readonly jobs: JobStore;
  readonly cursors: Cursors;
}

/** How long one wait for further URLs of a running job lasts, in a stream. */
const followWaitMs = 60_000;

/** Lists the URL ledger of a job, in the order of discovery: every URL with its outcome and the reason. */
export async function listUrls(
  parts: Parts,
  org: string,
  jobId: string,
  query: UrlQuery,
  signal: AbortSignal,
): Promise<UrlList> {
  const list = cursorList(jobId, query);
  const after = query.cursor === undefined ? 0 : Number(parts.cursors.read(list, query.cursor));
  const waitMs = query.cursor === undefined ? 0 : query.waitMs;
  const { status, urls, position, more } = await readUrls(parts.jobs, org, jobId, { ...query, after, waitMs }, signal);
  return more ? { status, urls, cursor: parts.cursors.write(list, position) } : { status, urls };
}

/** The same, slice by slice, until the job has ended. Ends early when the signal fires. */
export async function* followUrls(
  parts: Parts,
  org: string,
  jobId: string,
  query: Omit<UrlQuery, 'waitMs'>,
  signal: AbortSignal,
): AsyncGenerator<UrlSlice> {
  let after = query.cursor === undefined ? 0 : Number(parts.cursors.read(cursorList(jobId, query), query.cursor));
  for (let waitMs = 0; !signal.aborted; waitMs = followWaitMs) {
    const slice = await readUrls(parts.jobs, org, jobId, { ...query, after, waitMs }, signal);
    after = slice.position;
    yield slice;
    if (!slice.more) return;
  }
}

function cursorList(jobId: string, { status, reason, kind, q, foundOn }: Omit<UrlQuery, 'waitMs'>): CursorList {
  return { kind: 'urls', jobId, filter: JSON.stringify([status, reason, kind, q, foundOn]) };
}

function keyOf(url: string): string {
  const parsed = parseGivenUrl(url);
  if ('problem' in parsed) throw new UserError('invalid_parameter', `\`found_on\`: ${parsed.problem}`);
  return dedupeKey(parsed.url);
}

async function readUrls(
  jobs: JobStore,
  org: string,
  jobId: string,
  { after, limit, kind, status: state, reason, q, foundOn, waitMs }: UrlQuery & { readonly after: number },
  signal: AbortSignal,
): Promise<UrlSlice> {
  const deadline = performance.now() + waitMs;
  const finder = foundOn === undefined ? undefined : keyOf(foundOn);
  for (;;) {
    const { status, areResultsGone } = await getJob(jobs, org, jobId);
    if (areResultsGone) throw dataExpired();
    const { entries: found, searchedTo } = await jobs.listUrls(
      jobId,
      defined({ after, limit: limit + 1, kind, status: state, reason, q, foundOn: finder }),
    );
    const remainingMs = deadline - performance.now();
    if (found.length === 0 && searchedTo === undefined && !hasEnded(status) && remainingMs > 0 && !signal.aborted) {
      await jobs.waitForChange(jobId, remainingMs, signal);
      continue;
    }
    const urls = found.slice(0, limit);
    return {
      status,
      urls,
      position: searchedTo ?? urls.at(-1)?.entry ?? after,
      more: found.length > limit || searchedTo !== undefined || !hasEnded(status),
    };
  }
}

export function dataExpired(): UserError {
  return new UserError(
    'job_data_expired',
    'The results of this job were deleted or have expired (`output_expiry`). Crawl again to get them.',
  );
}
