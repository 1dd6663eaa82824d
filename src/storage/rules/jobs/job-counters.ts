import { hasEnded, type JobStatus } from '../../../core/job.ts';
import type { JobCounters, JobSample } from '../../../core/ports/crawl-status.ts';
import { sayings } from './sayings.ts';

/** The counters of a job's row. */
export interface CounterRow {
  readonly seq: number;
  readonly id: string;
  readonly org: string;
  readonly status: JobStatus;
  readonly queued: number;
  readonly in_flight: number;
  readonly scraped: number;
  readonly discarded: number;
  readonly failed: number;
  readonly outside: number;
  readonly control: number;
  readonly reasons: string;
}

/** What {@link sampleOf} reads. */
export interface SampleRow {
  readonly id: string;
  readonly status: JobStatus;
  readonly queued: number;
  readonly in_flight: number;
  readonly scraped: number;
  readonly discarded: number;
  readonly failed: number;
  readonly outside: number;
  readonly fetched_bytes: number;
  readonly notices: string;
}

export const sampleColumns =
  'id, status, queued, in_flight, scraped, discarded, failed, outside, fetched_bytes, notices';

export function sampleOf(row: SampleRow): JobSample {
  const { id, status, queued, in_flight: inFlight, scraped, discarded, failed, outside, fetched_bytes: bytes } = row;
  const progress = { queued, inFlight, scraped, discarded, failed, outside };
  const ended = hasEnded(status);
  return { id, hasEnded: ended, findings: ended ? sayings(row).findings.map(({ code }) => code) : [], progress, bytes };
}

export const counterColumns =
  'seq, id, org, status, queued, in_flight, scraped, discarded, failed, outside, control, reasons';

export function countersOf(row: CounterRow): JobCounters {
  const { id, org, queued, in_flight: inFlight, scraped, discarded, failed, outside, control } = row;
  const reasons = Object.values(JSON.parse(row.reasons) as Record<string, number>);
  return {
    id,
    org,
    progress: { queued, inFlight, scraped, discarded, failed, outside },
    control,
    reasons: reasons.reduce((sum, urls) => sum + urls, 0),
  };
}
