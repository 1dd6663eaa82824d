// With which run the next one of a schedule is compared.
import { hasEnded, type Job } from '../../core/job.ts';
import type { ScheduleStore } from '../../core/ports/schedules.ts';

const runsPerStep = 20;

/** The last run that can be compared with and that found something out; undefined if the next one is a crawl in full. */
export async function earlierRun(schedules: Pick<ScheduleStore, 'kept'>, id: string): Promise<Job | undefined> {
  let after = '';
  for (;;) {
    const runs = await schedules.kept(id, { after, limit: runsPerStep });
    const found = runs.find((run) => isComparable(run) && knowsPages(run));
    const last = runs.at(-1);
    if (found || !last || runs.length < runsPerStep) return found;
    after = last.id;
  }
}

/** True if `since` takes it. */
export function isComparable({ status, areResultsGone, isSeeding }: Job): boolean {
  return hasEnded(status) && !areResultsGone && !isSeeding;
}

/**
 * A site that was away the whole time leaves the pages of the run before as `unknown`. A run that removed the last page knows
 * that there is none: compared with an older one, the next run would remove them again.
 */
function knowsPages({ progress, changes }: Job): boolean {
  return progress.scraped + (changes?.unchanged ?? 0) + (changes?.unknown ?? 0) + (changes?.removed ?? 0) > 0;
}
