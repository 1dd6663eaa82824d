import { UserError } from '../core/errors.ts';
import { emptySeries, readSeries, type SeriesStep, stepsSince, withPoint } from '../core/job-series.ts';
import { hasEnded } from '../core/job.ts';
import type { JobStore } from '../core/ports/stores.ts';
import { getKept } from './get-job.ts';

export interface JobStats {
  /** Milliseconds of a step. */
  readonly stepMs: number;
  /** Steps in which something changed, oldest first. The last one of a running job ends now. */
  readonly steps: readonly SeriesStep[];
}

/**
 * How a job went, in steps after `since` (milliseconds since the epoch). Processes that crawl store what they note every
 * few seconds; the counters of the job itself are the last point, so the sum of all steps is right whatever they stored.
 */
export async function readStats(jobs: JobStore, org: string, jobId: string, since: number): Promise<JobStats> {
  const job = await getKept(jobs, org, jobId);
  const text = await jobs.readSeries(jobId);
  const stored = (text === undefined ? undefined : readSeries(text)) ?? emptySeries;
  const { status, progress, fetchedBytes: bytes, finishedAt } = job;
  const at = hasEnded(status) ? (finishedAt ?? 0) : Date.now();
  return stepsSince(withPoint(stored, { at, ...progress, bytes }), since);
}

/** The time of a `since` parameter. */
export function sinceOf(given: string | undefined): number {
  if (given === undefined) return 0;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UserError('invalid_parameter', '`since`: Give milliseconds since the epoch, in digits.');
}
