// Why a page that a client waits for is not there.
import { z } from 'zod';
import type { Job } from '../core/job.ts';
import type { LedgerEntry } from '../core/ports/stores.ts';
import { meaningOf } from '../core/reasons.ts';
import { maybe } from '../core/resource.ts';

export const scrapeError = z.object({
  reason: z
    .string()
    .describe(
      'As in the URL ledger, such as `http_404` or `robots_disallowed`; `timeout` if the time was up; `host_unreachable` if the host or its robots.txt does not respond.',
    ),
  detail: z.string().describe('In words.'),
  statusCode: maybe(z.int(), 'The status code that the site returned, if it did.'),
});
export type ScrapeError = Readonly<z.output<typeof scrapeError>>;

/** Why a URL has no page, from its ledger entry. */
export function ledgerError(entry: LedgerEntry | undefined): ScrapeError {
  const { reason, statusCode } = { reason: 'unknown', statusCode: null, ...entry };
  return {
    reason: reason ?? 'unknown',
    detail: entry === undefined ? 'Nothing is known about it.' : why(entry),
    ...(statusCode !== null && { statusCode }),
  };
}

/** A failure's detail is a sentence of its own; a discard has a general sentence, and a detail to verify it. */
function why({ status, reason, detail }: LedgerEntry): string {
  const meaning = meaningOf(reason ?? '');
  if (detail === null) return meaning;
  return status === 'discarded' ? `${meaning} (${detail})` : detail;
}

/** A URL waiting for its next attempt has the reason why the last one failed. */
export function timeoutError(entry: LedgerEntry | undefined, timeoutSeconds: number): ScrapeError {
  const last = entry === undefined || entry.reason === null ? '' : ` The last attempt failed: ${why(entry)}`;
  return {
    reason: 'timeout',
    detail: `The page was not fetched within ${timeoutSeconds} s.${last}`,
    ...(typeof entry?.statusCode === 'number' && { statusCode: entry.statusCode }),
  };
}

export function unreachableError(job: Job): ScrapeError | undefined {
  const notice = unreachableNotice(job);
  return notice && { reason: 'host_unreachable', detail: notice.message };
}

/** The host is retried at growing intervals, so a client that waits for one page gets the error now. */
export function unreachableNotice({ notices }: Job): Job['notices'][number] | undefined {
  return notices.find(({ code }) => code === 'host_unresponsive' || code === 'network_down');
}
