// What the rules take of a page of a job, from its raw body.
import type { DroppedText } from '../core/dropped-text.ts';
import type { DroppedOf } from '../core/ports/dropped.ts';
import { UserError } from '../core/errors.ts';
import { optionsIn } from '../options/job-spec.ts';
import { getJob } from './get-job.ts';
import { type RawParts, readRaw } from './read-raw.ts';

export interface DroppedParts extends RawParts {
  readonly droppedOf: DroppedOf;
}

export interface DroppedResponse {
  readonly page: number;
  readonly url: string;
  /** In the order of the page. */
  readonly data: readonly DroppedText[];
  /** Words of all of them. */
  readonly words: number;
}

/** Throws a `UserError` if there is no such page, if nothing was kept of it, if it is a file, or if it cannot be read. */
export async function readDropped(
  parts: DroppedParts,
  org: string,
  id: string,
  given: string,
  signal: AbortSignal,
): Promise<DroppedResponse> {
  const { spec, areResultsGone } = await getJob(parts.jobs, org, id);
  if (!spec.storeRaw && !areResultsGone) throw noRaw();
  const raw = await readRaw(parts, org, id, given);
  const page = Number(given);
  // As it was made, but for what takes time and decides nothing here.
  const dropped = await parts.droppedOf(org, { ...optionsIn(spec), extract: null, formats: ['dropped'] }, raw, signal);
  if (dropped === undefined)
    throw new UserError('page_not_html', `Page ${page} is a file, and not HTML: rules leave nothing out of it.`);
  if ('reason' in dropped) {
    const { reason, message } = dropped;
    throw new UserError('page_unreadable', `Page ${page} cannot be read (${reason}): ${message}`, [], { reason });
  }
  const words = dropped.reduce((sum, one) => sum + one.words, 0);
  return { page, url: raw.head.url, data: dropped, words };
}

function noRaw(): UserError {
  return new UserError(
    'no_raw',
    'The job keeps no raw bodies, from which this is read. Crawl with `store_raw: true`, or scrape the page with `formats: ["dropped"]`.',
  );
}
