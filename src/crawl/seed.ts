// Queues what an earlier job knew, for jobs with `since`: judged by the options of the new job, a few hundred URLs at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlJob } from '../core/job.ts';
import type { Baselines, EarlierUrl } from '../core/ports/baselines.ts';
import { erasedUrl } from '../core/ports/erasures.ts';
import type { Frontier } from '../core/ports/frontier.ts';
import type { Log } from '../core/ports/log.ts';
import type { DiscardReason } from '../core/reasons.ts';
import { type Link, startDepth } from '../core/request.ts';
import { compileJob, judgeLink, type JudgedJob } from '../url/scope.ts';
import { briefOf } from './job/job-cache.ts';

/** How often to look for jobs. */
const lookMs = 500;
/** How long to wait after a failure of the store. */
const troubleMs = 5_000;
/** Read and added together: about 20 ms of the store. */
const urlsPerStep = 500;

export interface SeedParts {
  readonly baselines: Baselines;
  readonly frontier: Pick<Frontier, 'crawlJob'>;
  readonly log: Log;
  /** Works on this job only. */
  readonly onlyJob?: string | undefined;
}

/** Works until `stop`. Never rejects: a failure of the store is logged, and the job continued later. */
export async function seedJobs(parts: SeedParts, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    let pauseMs = lookMs;
    try {
      const due = await parts.baselines.due();
      // One step of each job in turn.
      for (const { id } of due) if (parts.onlyJob === undefined || parts.onlyJob === id) await seed(parts, id, stop);
      if (due.length > 0) pauseMs = 0;
    } catch (error) {
      if (stop.aborted) return;
      parts.log.error('the pages of an earlier job could not be queued, which is tried again', { error });
      pauseMs = troubleMs;
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}

async function seed({ baselines, frontier }: SeedParts, id: string, stop: AbortSignal): Promise<void> {
  const [earlier, job] = [await baselines.read(id, urlsPerStep), await frontier.crawlJob(id)];
  if (!earlier || !job || stop.aborted) return;
  const { after, urls } = earlier;
  const judge = judgeOf(job);
  const upTo = urls.at(-1)?.entry ?? after;
  await baselines.add(id, { after, upTo, links: urls.flatMap(judge), isLast: urls.length < urlsPerStep });
}

/** Decided for a request, or for another job: it is asked again. */
const askedAgain: ReadonlySet<string> = new Set<DiscardReason>([
  'robots_disallowed',
  'crawl_delay_too_long',
  'crawled_before',
]);

/** Returns how a job with `since` lists a URL of the earlier ledger: none if it is not a URL of this job. */
export function judgeOf(job: CrawlJob): (url: EarlierUrl) => Link[] {
  const judged: JudgedJob = compileJob(briefOf(job, 0));
  const starts = new Set(job.spec.urls);
  const isSame = job.spec.baseline?.isSame === true;
  return ({ url: text, depth, state, reason, detail, isFollowed, isKnown }) => {
    if (text === erasedUrl) return [];
    const url = new URL(text);
    // A start URL of the earlier job only is no start URL of this one, unless a job follows no links at all.
    const isDemoted = depth === startDepth && !starts.has(text) && judged.maxDepth !== 0;
    const found = judgeLink({ url, nofollow: false, depth: isDemoted ? depth + 1 : depth }, judged);
    const link = isFollowed ? { ...found, isFollowed } : found;
    const own = link.discard && starts.has(text) ? { ...link, discard: undefined } : link;
    if (state !== 'outside' || isKnown || askedAgain.has(reason ?? '')) return [withoutUndefined(own)];
    // With the same options the links of an unchanged page lead outside for the same reasons. Else it is read again.
    if (!isSame) return [];
    return [{ ...own, discard: { reason: reason as DiscardReason, ...(detail !== null && { detail }) } }];
  };
}

function withoutUndefined({
  discard,
  ...link
}: Omit<Link, 'discard'> & { readonly discard?: Link['discard'] | undefined }): Link {
  return discard === undefined ? link : { ...link, discard };
}
