// A site whose every link says `nofollow` gives a crawl of one page: its owner should learn why.
import type { DiscardReason } from '../../core/reasons.ts';
import { hasEnded } from '../../core/job.ts';
import type { JobSpec } from '../../options/job-spec.ts';
import { addNotice, type JobRow } from './job-row.ts';

/** Links that lead out of what the job was asked to crawl. */
const outside: readonly DiscardReason[] = ['off_host', 'off_path', 'excluded_by_glob', 'not_included'];

/**
 * Whether a job ended with nothing but its start pages, and all links to other pages of it were discarded as `nofollow`. A retry is
 * about URLs that failed, not about what its start pages link to.
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
      ? `The only link to another page asks not to be followed: ${example}.`
      : `All ${count.toLocaleString('en')} links to other pages ask not to be followed, such as ${example}.`;
  const message = `${what} To follow them all the same, crawl with \`follow_nofollow: true\`.`;
  addNotice(row, { code: 'only_nofollow', message, at: now });
}

function countOf(row: JobRow, reason: DiscardReason): number {
  return row.reasons[reason] ?? 0;
}
