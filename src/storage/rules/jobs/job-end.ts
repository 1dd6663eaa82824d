// How a job ends: the same in every store.
import { hasEnded, type JobStatus } from '../../../core/job.ts';
import { meaningOf } from '../../../core/reasons.ts';
import { pagesUnchanged } from './change-counts.ts';
import { conclude } from './conclusion.ts';
import { addNotice, countReason, expiryOf, type JobRow } from './job-row.ts';
import { countNotice, sayings } from './sayings.ts';
import { runFeed } from './run-feed.ts';

/** Ends a job. Its remaining URLs count as discarded for `reason`; their ledger entries do not change. */
export function endJob(row: JobRow, status: JobStatus, reason: string | null, now: number): void {
  row.status = status;
  row.end_reason = reason;
  row.finished_at = now;
  row.stopped_at = null;
  row.results_gone_at = expiryOf(row);
  const left = row.queued + row.in_flight;
  row.discarded += left;
  if (reason !== null && left > 0) countReason(row, reason, left);
  row.queued = 0;
  row.in_flight = 0;
  row.control = 0;
  if (row.unlisted > 0) countNotice(row, 'url_limit_reached', row.examples['unlisted'] ?? '', now, row.unlisted);
  conclude(row, left, now);
  const isEmpty = row.scraped === 0 && pagesUnchanged(row) === 0 && status !== 'cancelled';
  if (isEmpty && sayings(row).findings.length === 0)
    addNotice(row, { code: 'no_pages', message: `The job ended without a page: ${whyNone(row)}`, at: now });
}

/** Explains the most common reason. */
function whyNone({ reasons, discarded, failed, outside }: JobRow): string {
  const [commonest] = Object.entries(reasons).toSorted(([, one], [, other]) => other - one);
  if (commonest === undefined) return 'no URL was found.';
  const [reason, count] = commonest;
  const all = discarded + failed + outside;
  const which = all === 1 ? 'its only URL ended as' : `${count} of ${all} URLs ended as`;
  return `${which} \`${reason}\`. ${meaningOf(reason)}`;
}

/** Ends a job that has reached a limit, or has nothing left to do. */
export function endIfDone(row: JobRow, now: number): void {
  if (hasEnded(row.status)) return;
  if (row.scraped >= row.page_limit) endJob(row, 'succeeded', 'page_limit', now);
  else if (row.fetches >= row.fetch_limit && row.in_flight === 0 && row.queued > 0) {
    endJob(row, endStatus(row), 'fetch_limit', now);
  } else if (row.queued + row.in_flight + row.control === 0 && row.seeded === null)
    endJob(row, endStatus(row), null, now);
}

/** A crawl that delivers nothing has failed, whatever the reason. A map delivers URLs. */
export function endStatus(row: JobRow): JobStatus {
  if (row.scraped > 0 || pagesUnchanged(row) > 0) return 'succeeded';
  const isCrawl = row.kind === 'crawl' || row.kind === 'batch';
  return isCrawl || row.failed > 0 ? 'failed' : 'succeeded';
}

/** Ends a job that has not ended, and makes its results unreadable for good. Repeatable. */
export function deleteResults(row: JobRow, now: number): void {
  if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
  retireResults(row, now);
  row.feed = runFeed.gone;
}

/** The same for an ended run that its schedule does not keep: the feed still has its changes. */
export function retireResults(row: JobRow, now: number): void {
  row.results_gone_at = Math.min(row.results_gone_at ?? now, now);
  row.swept = 1;
}
