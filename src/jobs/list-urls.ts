import { UserError } from '../core/errors.ts';
import { hasEnded, type JobStatus } from '../core/job.ts';
import type { JobStore, LedgerEntry, LedgerStatus } from '../core/stores.ts';
import type { Cursors } from './cursor.ts';
import { getJob } from './get-job.ts';

export interface UrlList {
  readonly status: JobStatus;
  readonly urls: readonly LedgerEntry[];
  /** Absent when nothing remains. A running job may discover more URLs later. */
  readonly cursor?: string;
}

export interface UrlQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly status?: LedgerStatus;
  readonly reason?: string;
  /** How long to wait behind a cursor when a running job has nothing new yet: a loop that follows a job does not spin. */
  readonly waitMs: number;
}

/** The URL ledger of a job, in the order of discovery: every URL, what became of it, and why. */
export async function listUrls(
  parts: { readonly jobs: JobStore; readonly cursors: Cursors },
  org: string,
  jobId: string,
  query: UrlQuery,
  signal: AbortSignal,
): Promise<UrlList> {
  const list = { kind: 'urls', jobId, filter: `${query.status ?? ''} ${query.reason ?? ''}` } as const;
  const after = query.cursor === undefined ? 0 : Number(parts.cursors.read(list, query.cursor));
  const deadline = performance.now() + (query.cursor === undefined ? 0 : query.waitMs);
  for (;;) {
    const { status, resultsGoneAt } = await getJob(parts.jobs, org, jobId);
    if (resultsGoneAt !== null && resultsGoneAt <= Date.now()) throw dataExpired();
    const found = await parts.jobs.listUrls(jobId, {
      after,
      limit: query.limit + 1,
      ...(query.status !== undefined && { status: query.status }),
      ...(query.reason !== undefined && { reason: query.reason }),
    });
    const remainingMs = deadline - performance.now();
    if (found.length === 0 && !hasEnded(status) && remainingMs > 0 && !signal.aborted) {
      await parts.jobs.waitForChange(jobId, remainingMs, signal);
      continue;
    }
    const urls = found.slice(0, query.limit);
    const position = urls.at(-1)?.entry ?? after;
    const more = found.length > query.limit || !hasEnded(status);
    return more ? { status, urls, cursor: parts.cursors.write(list, position) } : { status, urls };
  }
}

export function dataExpired(): UserError {
  return new UserError(
    'job_data_expired',
    'The results of this job were deleted, or their time (`output_expiry`) is up. Crawl again to have them.',
  );
}
