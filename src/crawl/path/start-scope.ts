// The page of a start URL may be elsewhere than its URL says, and the scope of the job with it.
import { startDepth } from '../../core/request.ts';
import { inScope, movesDirectory } from '../../url/scope.ts';
import { type CachedJob, type JobBrief, movedBrief } from '../job/job-cache.ts';
import type { FetchedPage } from './page-request.ts';

/** Links of the job's pages are followed, but only on its own hosts. */
export function leadsOn({ judged }: CachedJob): boolean {
  return judged.maxDepth !== 0 && !judged.allowExternal;
}

/** Returns true if a start page is on a host outside the job, so that its links there are not followed. */
export function hasLeftScope({ request, job, url }: FetchedPage): boolean {
  return request.depth === startDepth && !inScope(url, job.judged) && leadsOn(job);
}

/** A scope of paths is where the server says that the start page is, also for the links of this very page. */
export function hasMovedScope({ request, job, url }: FetchedPage): boolean {
  const isScopeOfPaths = request.depth === startDepth && job.brief.spec.scope === 'path';
  return isScopeOfPaths && movesDirectory(new URL(request.url), url);
}

export function briefFrom(fetched: FetchedPage, brief: JobBrief): JobBrief {
  const { request, url } = fetched;
  return hasMovedScope(fetched) ? movedBrief(brief, new URL(request.url), url) : brief;
}
