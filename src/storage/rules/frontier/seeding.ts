// The URLs of the job that `since` names: the same in every store.
import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded } from '../../../core/job.ts';
import type { SeededUrls } from '../../../core/ports/baselines.ts';
import { endIfDone } from '../jobs/job-end.ts';
import type { JobRow } from '../jobs/job-row.ts';
import type { Ledger } from './ledger.ts';

/** See `Baselines.add`. `dueAt`: by the clock of the frontier. */
export function addSeeds(
  ledger: Ledger,
  job: JobRow,
  { after, upTo, links, isLast }: SeededUrls,
  { dueAt, now }: { readonly dueAt: number; readonly now: number },
): boolean {
  if (hasEnded(job.status) || job.seeded !== after) return false;
  ledger.add(job, links, 'page', null, dueAt);
  failPoint('seed.writing');
  job.seeded = isLast ? null : upTo;
  endIfDone(job, now);
  return true;
}
