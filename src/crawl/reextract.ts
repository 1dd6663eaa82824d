// Makes the pages of jobs from the raw bodies of other jobs: no request, no lane, no pace. Pages are converted side by
// side and committed in order, so each keeps its number. A crash continues after the last commit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frontier } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { ReextractionJob, Reextractions } from '../core/ports/reextractions.ts';
import { freePages } from '../core/process/free-bytes.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import { type Batch, beginBatch, type StoredPageParts, type StoredPages } from './convert-stored.ts';
import { briefOf } from './job/job-cache.ts';

/** How often to look for jobs. */
const lookMs = 500;
/** Batches of one job before it is another org's turn, or another job's. */
const batchesPerTurn = 8;
/** How long a job is left alone that another process works on. */
const leftAloneMs = 60_000;
/** How long a job rests that could not be continued. */
const troubleMs = 5_000;

export interface ReextractParts extends StoredPageParts {
  readonly reextractions: Reextractions;
  readonly frontier: Pick<Frontier, 'crawlJob'>;
  readonly log: Log;
  /** Works on this job only. */
  readonly onlyJob?: string | undefined;
}

/** Works until `stop`. Never rejects: a failure of the store is logged, and the job continued later. */
export async function reextractJobs(parts: ReextractParts, stop: AbortSignal): Promise<void> {
  const turns: Turns = { restUntil: new Map(), ofOrg: new Map() };
  const { restUntil } = turns;
  while (!stop.aborted) {
    const job = await nextOf(parts, turns).catch(() => undefined);
    if (!job) {
      await sleep(lookMs, undefined, { signal: stop }).catch(() => {});
      continue;
    }
    try {
      const isOurs = await reextract(parts, job, stop);
      restUntil.set(job.id, monotonicNow() + (isOurs ? 0 : leftAloneMs));
    } catch (error) {
      restUntil.set(job.id, monotonicNow() + troubleMs);
      if (!stop.aborted)
        parts.log.error('a job could not be converted again, and is tried later', { job: job.id, error });
    }
  }
}

interface Turns {
  /** By job: when it may have its next turn, which is the end of its last one. */
  readonly restUntil: Map<string, number>;
  /** By org: when its last turn began. */
  readonly ofOrg: Map<string, number>;
}

/** The org that has waited longest, and of its jobs the one that has. */
async function nextOf(
  { reextractions, onlyJob }: ReextractParts,
  { restUntil, ofOrg }: Turns,
): Promise<ReextractionJob | undefined> {
  const due = await reextractions.due();
  forgetOthers(restUntil, new Set(due.map(({ id }) => id)));
  forgetOthers(ofOrg, new Set(due.map(({ org }) => org)));
  const now = monotonicNow();
  const rest = ({ id }: ReextractionJob): number => restUntil.get(id) ?? 0;
  const [next] = due
    .filter((job) => (onlyJob === undefined || job.id === onlyJob) && rest(job) <= now)
    .toSorted((one, other) => (ofOrg.get(one.org) ?? 0) - (ofOrg.get(other.org) ?? 0) || rest(one) - rest(other));
  if (next) ofOrg.set(next.org, now);
  return next;
}

function forgetOthers(map: Map<string, unknown>, names: ReadonlySet<string>): void {
  for (const name of map.keys()) if (!names.has(name)) map.delete(name);
}

/** Has one turn. Returns false if another process works on the job, or it was cancelled or stopped meanwhile. */
async function reextract(parts: ReextractParts, { id, org }: ReextractionJob, stop: AbortSignal): Promise<boolean> {
  const { reextractions, jobs, frontier } = parts;
  const [job, crawlJob] = [await jobs.get(org, id), await frontier.crawlJob(id)];
  const source = job?.spec.reextract;
  if (!job || !crawlJob || !source) return false;
  const total = (await jobs.get(org, source.of))?.progress.scraped ?? 0;
  const done = job.progress.scraped;
  if (total === 0 || done >= total) return reextractions.commit(id, done, [], true);
  const context: StoredPages = {
    ...parts,
    org,
    of: source.of,
    total,
    brief: briefOf(crawlJob, 0),
    spec: job.spec,
  };
  let next: Promise<Batch> | undefined = beginBatch(context, done);
  for (let batches = 1; next; batches++) {
    const batch: Batch = await next;
    const isLast = batch.last === total;
    // The next pages wait for a thread while these are converted, so that no thread waits for a commit.
    next = isLast || batches === batchesPerTurn ? undefined : beginBatch(context, batch.last);
    // It is awaited after the commit, which can fail first.
    next?.catch(() => {});
    const pages = await batch.pages;
    stop.throwIfAborted();
    if (!(await reextractions.commit(id, batch.after, pages, isLast))) return false;
    freePages(pages.map(({ page }) => page));
  }
  return true;
}
