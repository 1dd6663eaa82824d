import { UserError } from '../core/errors.ts';
import { discardReasons, errorReasons } from '../core/reasons.ts';
import type { JobStore, LedgerEntry } from '../core/stores.ts';
import { dedupeKey } from '../url/dedupe-key.ts';
import { parseHttpUrl } from '../url/parse-url.ts';
import { getJob } from './get-job.ts';

/** What became of one URL of a job, in sentences. */
export interface Explanation {
  /** Undefined where the job never discovered the URL. */
  readonly entry: LedgerEntry | undefined;
  readonly sentences: readonly string[];
}

/** Explains why a URL is, or is not, among the pages of a job. Spellings that are one URL to the job are one here. */
export async function explainUrl(jobs: JobStore, org: string, jobId: string, url: string): Promise<Explanation> {
  await getJob(jobs, org, jobId);
  const parsed = parseHttpUrl(url);
  if ('problem' in parsed) throw new UserError('invalid_parameter', `${url}: ${parsed.problem}`);
  const entry = await jobs.findUrl(jobId, dedupeKey(parsed.url));
  return { entry, sentences: entry ? explain(entry) : [neverDiscovered] };
}

const neverDiscovered =
  'The job never discovered this URL: no page that was read links to it, and no sitemap names it.';

function explain(entry: LedgerEntry): string[] {
  return [outcomeOf(entry), originOf(entry)];
}

function outcomeOf({ status, page, reason, detail, attempts }: LedgerEntry): string {
  const because = reason === null ? '' : ` ${meaningOf(reason)}${detail === null ? '' : ` (${detail})`}`;
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  switch (status) {
    case 'scraped':
      return `It is page ${page ?? 0} of the results.`;
    case 'discarded':
      return `It was discarded: ${reason ?? 'unknown'}.${because}`;
    case 'failed':
      return `It failed after ${tries}: ${reason ?? 'unknown'}.${because}`;
    case 'inFlight':
      return 'It is being fetched now.';
    case 'queued':
      return reason === null
        ? 'It is waiting for its turn.'
        : `It is waiting for its next attempt; the last one failed: ${reason}.${because}`;
  }
}

function originOf({ foundOn, depth }: LedgerEntry): string {
  if (foundOn !== null)
    return `It was found first on ${foundOn}, ${depth} ${depth === 1 ? 'link' : 'links'} away from a start URL.`;
  return depth === 0 ? 'It is a start URL.' : 'A sitemap names it.';
}

/** A reason of the ledger as a sentence; empty where there is none. */
export function meaningOf(reason: string): string {
  const meanings: Readonly<Record<string, string>> = { ...discardReasons, ...errorReasons };
  return meanings[reason] ?? (reason.startsWith('http_') ? 'The site answered with this status.' : '');
}
