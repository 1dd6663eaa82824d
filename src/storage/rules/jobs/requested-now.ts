// What clients see of requests that are taken: a lane takes dozens at a time, and requests them one by one.
import type { JobProgress } from '../../../core/job.ts';

/** The columns of a job's row that say where its URLs are. */
export interface ProgressRow {
  readonly queued: number;
  readonly in_flight: number;
  readonly scraped: number;
  readonly discarded: number;
  readonly failed: number;
  readonly outside: number;
}

/** `open`: pages of the job that are requested now; undefined if not known. */
export function progressOf(row: ProgressRow, open: number | undefined): JobProgress {
  const { scraped, discarded, failed, outside } = row;
  return { ...waitingAndOpen(row, open), scraped, discarded, failed, outside };
}

/** The sum stays the same. A page that was requested and is not settled yet also waits. */
export function waitingAndOpen(
  { queued, in_flight: taken }: TakenRow,
  open: number | undefined,
): Pick<JobProgress, 'queued' | 'inFlight'> {
  const inFlight = Math.min(taken, open ?? taken);
  return { queued: queued + taken - inFlight, inFlight };
}

/** Pages of a job that are requested now, here and `elsewhere`; undefined if somebody does not count. */
export function openOf(
  openPages: ReadonlyMap<string, number> | undefined,
  jobId: string,
  elsewhere: number | null = 0,
): number | undefined {
  return openPages && elsewhere !== null ? (openPages.get(jobId) ?? 0) + elsewhere : undefined;
}

export function openOfAll(
  openPages: ReadonlyMap<string, number> | undefined,
  elsewhere: number | null,
): number | undefined {
  return openPages && elsewhere !== null
    ? [...openPages.values()].reduce((sum, pages) => sum + pages, elsewhere)
    : undefined;
}

type TakenRow = Pick<ProgressRow, 'queued' | 'in_flight'>;

export function sumOf(rows: readonly TakenRow[]): TakenRow {
  return {
    queued: rows.reduce((sum, row) => sum + row.queued, 0),
    in_flight: rows.reduce((sum, row) => sum + row.in_flight, 0),
  };
}
