import { hasEnded, type JobStatus } from '../../../core/job.ts';
import type { JobCounters, JobSample } from '../../../core/ports/crawl-status.ts';
import { type ProgressRow, progressOf } from './requested-now.ts';
import { sayings } from './sayings.ts';

/** The counters of a job's row. */
export interface CounterRow extends ProgressRow {
  readonly seq: number;
  readonly id: string;
  readonly org: string;
  readonly status: JobStatus;
  readonly control: number;
  readonly reasons: string;
}

/** What {@link sampleOf} reads. */
export interface SampleRow extends ProgressRow {
  readonly id: string;
  readonly status: JobStatus;
  readonly fetched_bytes: number;
  readonly notices: string;
}

export const sampleColumns =
  'id, status, queued, in_flight, scraped, discarded, failed, outside, fetched_bytes, notices';

export function sampleOf(row: SampleRow, open: number | undefined): JobSample {
  const { id, status, fetched_bytes: bytes } = row;
  const progress = progressOf(row, open);
  const ended = hasEnded(status);
  return { id, hasEnded: ended, findings: ended ? sayings(row).findings.map(({ code }) => code) : [], progress, bytes };
}

export const counterColumns =
  'seq, id, org, status, queued, in_flight, scraped, discarded, failed, outside, control, reasons';

/** For the watchdog: all that is taken is in flight. */
export function countersOf(row: CounterRow): JobCounters {
  const { id, org, control } = row;
  const reasons = Object.values(JSON.parse(row.reasons) as Record<string, number>);
  return {
    id,
    org,
    progress: progressOf(row, undefined),
    control,
    reasons: reasons.reduce((sum, urls) => sum + urls, 0),
  };
}
