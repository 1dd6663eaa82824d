// Which pages of an earlier job go without a request.
import { hash } from 'node:crypto';
import { hostKey } from '../../core/host-key.ts';
import type { CrawlJob } from '../../core/job.ts';
import { lastmodSays } from '../../core/lastmod.ts';
import { type Request, startDepth } from '../../core/request.ts';

/** A page is asked for again after 30 days in any case. */
const unaskedMs = 30 * 24 * 3_600_000;

export interface TrustingJob extends Pick<CrawlJob, 'id' | 'honestHosts'> {
  /** Its start pages name others, so they are asked for. */
  readonly followsLinks: boolean;
}

/** True if the sitemap of an honest host says that a page has not changed since it was asked for last. */
export function needsNoRequest(
  { id, url, depth, attempts, lastmod, earlier }: Request,
  job: TrustingJob,
  now: number,
): boolean {
  const asked = earlier?.asked;
  if (!asked || attempts > 0 || (depth === startDepth && job.followsLinks)) return false;
  if (now - asked.at >= unaskedMs) return false;
  const every = job.honestHosts[hostKey(new URL(url))];
  if (every === undefined || lastmodSays(lastmod, asked) !== 'still') return false;
  const hashOf = (row: number): number => hash('sha256', `${job.id} ${row}`, 'buffer').readUInt32LE();
  return !isSampled(id, every, hashOf);
}

/**
 * True for one page in `every`, another one for each job. `place`: the number of the page in the ledger. One of
 * `every` pages in a row is chosen, so the share is exact.
 */
export function isSampled(place: number, every: number, hashOf: (row: number) => number): boolean {
  return hashOf(Math.floor(place / every)) % every === place % every;
}
