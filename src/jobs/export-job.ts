import { UserError } from '../core/errors.ts';
import { hasEnded, type Job } from '../core/job.ts';
import { getKept } from './get-job.ts';
import { pageDamaged, readResults, type Results, type ResultsParts } from './read-results.ts';

export interface ExportQuery {
  /** Export what a job that has not ended has so far. */
  readonly isPartial: boolean;
  /** Export the pages after this one; 0 means all. */
  readonly after: number;
  /** Continue after a damaged page; the slice before it says so. Otherwise it is an error. */
  readonly skipsDamaged: boolean;
  /** A slice ends, never before one page, once its texts exceed this size. */
  readonly bytesMax: number;
}

export interface Export {
  readonly job: Job;
  /** Number of pages that are committed now. The export covers these, and none that are committed later. */
  readonly total: number;
  /** The pages with their texts, slice by slice. Rejects when the signal fires: an export is never cut silently. */
  readonly slices: AsyncGenerator<Results>;
}

/** Opens the pages of a job for an export. Throws if there is no such job, it has not ended, or its results are gone. */
export async function exportJob(
  parts: ResultsParts,
  org: string,
  jobId: string,
  query: ExportQuery,
  signal: AbortSignal,
): Promise<Export> {
  const job = await getKept(parts.jobs, org, jobId);
  if (!hasEnded(job.status) && !query.isPartial)
    throw new UserError(
      'job_not_ended',
      'The job has not ended. Wait for its end, or export the pages that it has so far with `partial=true`.',
    );
  const total = job.progress.scraped;
  return { job, total, slices: slicesOf(parts, job, { ...query, total }, signal) };
}

async function* slicesOf(
  parts: ResultsParts,
  { org, id }: Job,
  { total, skipsDamaged, bytesMax, ...query }: ExportQuery & { readonly total: number },
  signal: AbortSignal,
): AsyncGenerator<Results> {
  let { after } = query;
  while (after < total) {
    if (signal.aborted) throw new UserError('unavailable', 'The export was stopped before its end.');
    const limit = Math.min(400, total - after);
    const read = { after, limit, withText: true, bytesMax, waitMs: 0 };
    const { damagedPage, ...slice } = await readResults(parts, org, id, read, signal);
    after = slice.position;
    // A damaged page that a snapshot shows beyond the last requested one is not part of this export.
    const isOurs = damagedPage !== undefined && damagedPage <= total;
    if (isOurs && skipsDamaged) {
      after = damagedPage;
      yield { ...slice, damagedPage };
      continue;
    }
    if (slice.pages.length === 0 && !isOurs)
      throw new Error(`job ${id} has no page after ${after}, but should have ${total}`);
    // A consumer that releases a slice empties it.
    if (slice.pages.length > 0) yield slice;
    if (isOurs) throw pageDamaged(parts.cursors, id, damagedPage);
  }
}
