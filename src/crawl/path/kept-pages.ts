// Pages that wait until their site was learned: into the store, and out of it again.
import { freeBytes } from '../../core/process/free-bytes.ts';
import type { Request } from '../../core/request.ts';
import type { CachedJob } from '../job/job-cache.ts';
import { inputOf } from '../lessons/kept-page.ts';
import type { PageKeeper } from '../lessons/page-keeper.ts';
import { failed, notPage } from './error-answer.ts';
import { type Judged, pageOutcome } from './page-outcome.ts';
import type { PathParts, Processed, Step } from './request-path.ts';
import { briefFrom } from './start-scope.ts';
import type { FetchedPage } from './page-request.ts';

type PageStep = Pick<Step, 'outcome' | 'remarks'>;

/** The outcome of a page that waits; undefined if it does not. Its remarks come with the end of its request. */
export async function keepPage(
  { request, job }: FetchedPage,
  { converted, picture, raw, detail }: Judged,
  { outcome }: PageStep,
  keeper: PageKeeper,
): Promise<PageStep | undefined> {
  if (outcome.kind !== 'scraped' || converted.kind !== 'page' || !converted.waits) return undefined;
  const { signature, input } = converted.waits;
  const afterMs = await keeper.keep(request, job, { input, picture, raw, detail }, signature);
  if (afterMs === undefined) return undefined;
  const { links, sitemaps } = outcome;
  return { outcome: { kind: 'held', afterMs, links, ...(sitemaps && { sitemaps }) } };
}

/** The step of a request whose page is kept, or must not be fetched yet. Undefined: it is to be fetched. */
export async function keptStep(
  request: Request,
  job: CachedJob,
  keeper: PageKeeper,
  parts: PathParts,
): Promise<Step | undefined> {
  const found = await keeper.find(request, job);
  if (found.kind === 'none') return undefined;
  if (found.kind === 'later') return { outcome: { kind: 'held', afterMs: found.afterMs, links: [] }, fetched: false };
  const { page, kept } = found;
  const { statusCode, fetchedUrl, isUnverified = false } = page.input;
  const fetched: FetchedPage = { request, job, templates: undefined, url: new URL(fetchedUrl), isUnverified };
  const input = { ...inputOf(page, briefFrom(fetched, job.brief)), kept };
  const read = await parts.converter.convertPage(input);
  freeBytes(input.body);
  const ended = { fetched: false, wasHeld: true } as const;
  if (read.kind === 'error')
    return { ...failed(request, { error: { ...read.error, statusCode }, retryable: false }, parts), ...ended };
  if (read.kind !== 'page' && read.kind !== 'short')
    return { ...notPage(page.input.headers.contentType, statusCode), ...ended };
  // Its links were stored when it came.
  const converted = { ...read, links: [] };
  const { picture, raw, detail } = page;
  const judged = { converted, picture, raw, named: undefined, statusCode, ...(detail !== undefined && { detail }) };
  return { ...pageOutcome(fetched, judged, parts), ...ended };
}

/** Tells the keeper what was stored. */
export function noteKept(processed: readonly Processed[], keeper: PageKeeper): void {
  keeper.release(processed.map(({ request }) => request));
  const kept = new Map<string, number[]>();
  const ended: number[] = [];
  for (const { request, outcome, fetched, wasHeld } of processed) {
    if (wasHeld === true) ended.push(request.id);
    if (outcome.kind === 'held' && fetched) kept.set(request.jobId, [...(kept.get(request.jobId) ?? []), request.id]);
  }
  if (kept.size > 0 || ended.length > 0) keeper.settled(kept, ended);
}
