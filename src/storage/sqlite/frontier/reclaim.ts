import type { Database } from '../file/database.ts';
import { followClockBack } from './clock-set-back.ts';
import type { JobRows } from '../jobs/job-rows.ts';
import type { JobRange } from '../../shared/frontier-rows.ts';
import type { Suspects } from './suspects.ts';

export interface Reclaiming {
  readonly jobs: JobRows;
  readonly suspects: Suspects;
  /** The jobs to work on. Requests that other jobs had taken also go back. */
  readonly range: JobRange;
  /** Every host with work is left alone for this long, or for its own longer delay. */
  readonly delayMs: number;
  readonly now: number;
}

/**
 * Hands back the requests and leases of an earlier process. Returns how many requests it had taken when it died. Runs
 * inside a transaction of the writer, before any other operation of the frontier.
 */
export function reclaim(db: Database, { jobs, suspects, range, delayMs, now }: Reclaiming): number {
  followClockBack(db, now);
  // The statements below change job rows in the database, not in memory.
  jobs.save();
  const deaths = suspects.countDeaths();
  jobs.save();
  db.exec(`
    UPDATE frontier SET fence = NULL WHERE fence IS NOT NULL;
    UPDATE job SET queued = queued + in_flight, in_flight = 0 WHERE in_flight > 0;`);
  // A leased host can just have received a request, even if no request of it is left.
  const rested = 'max(next_at, @now + max(delay_ms, @delayMs))';
  db.run(`UPDATE host SET next_at = ${rested} WHERE leased = 1`, { now, delayMs });
  db.exec('UPDATE host SET leased = 0, in_line = 0, ready_at = NULL WHERE leased = 1 OR ready_at IS NOT NULL');
  const makeReady = `
    UPDATE host SET next_at = ${rested}, ready_at = ${rested}
    WHERE EXISTS (SELECT 1 FROM frontier WHERE host = host.id AND fence IS NULL AND not_before = 0 AND job BETWEEN @first AND @last)
      OR EXISTS (SELECT 1 FROM frontier WHERE host = host.id AND fence IS NULL AND not_before > 0)`;
  db.run(makeReady, { now, delayMs, first: range.first, last: range.last });
  return deaths;
}
