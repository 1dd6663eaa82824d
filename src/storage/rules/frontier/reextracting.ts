// The pages of a job that are made of raw bodies: the same in every store.
import { hasEnded } from '../../../core/job.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type { CrawlTables } from './crawl-tables.ts';
import { endIfDone } from '../jobs/job-end.ts';
import type { JobRow } from '../jobs/job-row.ts';
import { countNotice } from '../jobs/sayings.ts';
import { tallyContent } from '../jobs/tally.ts';

/** Keeps a job from ending before its last pages are committed. */
export function beginReextraction(job: JobRow): void {
  job.control = 1;
}

/** See `Reextractions.commit`. No page joins another: each has the number that it had. */
export function addExtracted(
  tables: CrawlTables,
  job: JobRow,
  after: number,
  { pages, isLast }: { readonly pages: readonly ExtractedPage[]; readonly isLast: boolean },
): boolean {
  if (hasEnded(job.status) || job.stopped_at !== null || job.scraped !== after) return false;
  const now = tables.timeOfDay();
  job.status = 'running';
  for (const one of pages) {
    const number = ++job.scraped;
    tables.addPage(job.seq, number, one.page);
    tables.addExtracted(job.seq, number, one);
    tallyContent(job, one.url, one.page);
    const codes = one.problem === undefined ? (one.remarks ?? []) : (['no_raw'] as const);
    for (const code of codes) countNotice(job, code, one.url, now);
  }
  if (isLast) job.control = 0;
  endIfDone(job, now);
  return true;
}
