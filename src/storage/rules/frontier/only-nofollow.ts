// A site whose every link says `nofollow` gives a crawl of one page. The job's owner should learn why.
import type { DiscardReason } from '../../../core/reasons.ts';
import { hasEnded } from '../../../core/job.ts';
import type { JobSpec } from '../../../options/job-spec.ts';
import { addNotice, type JobRow } from '../jobs/job-row.ts';

/** Reasons of links that lead outside the crawl. */
const outside: readonly DiscardReason[] = ['off_host', 'off_path', 'excluded_by_glob', 'not_included'];

/**
 * True if a job delivered nothing but its start pages because all links to its other pages were discarded as
 * `nofollow`. Never true for a retry: it crawls URLs that failed, not the links of its start pages.
 */
export function endedOnNofollow(row: JobRow): boolean {
  const nofollow = countOf(row, 'nofollow');
  if (!hasEnded(row.status) || row.end_reason !== null || row.scraped === 0 || nofollow === 0) return false;
  if (row.retry_of !== null) return false;
  const others =
    row.scraped + row.discarded + row.failed - nofollow - outside.reduce((sum, one) => sum + countOf(row, one), 0);
  return others <= new Set((JSON.parse(row.spec) as JobSpec).urls).size;
}

/** `example`: one of these URLs. */
export function tellOfNofollow(row: JobRow, example: string, now: number): void {
  const count = countOf(row, 'nofollow');
  const what =
    count === 1
      ? `The only link to another page is marked nofollow: ${example}.`
      : `All ${count.toLocaleString('en')} links to other pages are marked nofollow, such as ${example}.`;
  const message = `${what} To follow them anyway, crawl with \`follow_nofollow: true\`.`;
  addNotice(row, { code: 'only_nofollow', message, at: now });
}

function countOf(row: JobRow, reason: DiscardReason): number {
  return row.reasons[reason] ?? 0;
}
