import { UserError } from '../core/errors.ts';
import { meaningOf } from '../core/reasons.ts';
import type { JobStore, LedgerEntry } from '../core/ports/stores.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { parseGivenUrl } from '../url/given-url.ts';
import { getKept } from './get-job.ts';

/** The outcome of one URL of a job, in sentences. */
export interface Explanation {
  /** Undefined if the job never discovered the URL. */
  readonly entry: LedgerEntry | undefined;
  readonly sentences: readonly string[];
}

/** Explains why a URL is, or is not, among the pages of a job. Spellings with the same dedupe key count as one URL. */
export async function explainUrl(jobs: JobStore, org: string, jobId: string, url: string): Promise<Explanation> {
  // If the ledger is gone, a missing entry does not mean that the URL was never discovered.
  await getKept(jobs, org, jobId);
  const parsed = parseGivenUrl(url);
  if ('problem' in parsed) throw new UserError('invalid_parameter', `\`${url.slice(0, 200)}\`: ${parsed.problem}`);
  const entry = await jobs.findUrl(jobId, dedupeKey(parsed.url));
  return { entry, sentences: entry ? explain(entry) : [neverDiscovered] };
}

const neverDiscovered = 'The job did not discover this URL: no page it read links to it, and no sitemap names it.';

function explain(entry: LedgerEntry): string[] {
  const attempted = entry.attemptedAt === null ? [] : [lastAttempt(entry.attemptedAt)];
  return entry.kind === 'sitemap'
    ? [outcomeOfSitemap(entry), ...attempted]
    : [outcomeOf(entry), ...attempted, originOf(entry)];
}

function outcomeOf({ status, page, reason, detail, attempts }: LedgerEntry): string {
  const because = reason === null ? '' : ` ${meaningOf(reason)}${detail === null ? '' : ` (${detail})`}`;
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  switch (status) {
    case 'scraped':
      return `It is page ${page ?? 0} of the results${detail === null ? '' : `: ${detail}`}.`;
    case 'discarded':
      return `It was discarded: ${reason ?? 'unknown'}.${because}`;
    case 'outside':
      return `It is never to be fetched, so it was not requested: ${reason ?? 'unknown'}.${because}`;
    case 'failed':
      return `It failed after ${tries}: ${reason ?? 'unknown'}.${because}`;
    case 'inFlight':
      return 'A worker has taken it: it is requested now, or is among the next.';
    case 'queued':
      return reason === null
        ? 'It is waiting for its turn.'
        : `It is waiting for its next attempt; the last one failed: ${reason}.${because}`;
  }
}

function outcomeOfSitemap(entry: LedgerEntry): string {
  if (entry.status !== 'scraped') return `It is a sitemap. ${outcomeOf(entry)}`;
  return `It is a sitemap, and was read: ${entry.detail ?? 'it names nothing'}.`;
}

function lastAttempt(at: number): string {
  return `The last attempt ended at ${new Date(at).toISOString()}.`;
}

function originOf({ foundOn, foundBy, depth }: LedgerEntry): string {
  const links = `${depth} ${depth === 1 ? 'link' : 'links'} away from a start URL`;
  if (foundOn !== null && foundBy === 'script')
    return `Scripts made the link to it, first on ${foundOn}, ${links}; no page as received has it.`;
  if (foundOn !== null) return `It was first found on ${foundOn}, ${links}.`;
  return depth === 0 ? 'It is a start URL.' : 'A sitemap names it.';
}
