import { sourceIn } from '../../core/page-traits.ts';
import { type Request, startDepth } from '../../core/request.ts';
import type { FetchOptions } from '../../core/ports/fetcher.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { CachedJob } from '../job/job-cache.ts';
import type { WatchedTemplates } from '../memory/watched-templates.ts';
import type { PathParts } from './request-path.ts';

/** The request and its job. */
export interface PageRequest {
  readonly request: Request;
  readonly job: CachedJob;
  /** Undefined for a start URL, and without trap detection. */
  readonly templates: WatchedTemplates | undefined;
}

export interface FetchedPage extends PageRequest {
  /** After redirects. */
  readonly url: URL;
  /** The certificate of a host on the way could not be verified. */
  readonly isUnverified: boolean;
}

/** A page that contains only a refresh is a redirect. */
export interface RefreshTarget {
  readonly movedTo: URL;
}

/** True if the page that the earlier job knew was made with options equal to those of this job. */
export function isMadeAlike({ request, job }: PageRequest): boolean {
  return job.keepsPages && sourceIn(request.earlier?.traits)?.options === job.optionsKey;
}

/** The client requested a start URL, whatever its type. */
export function wantsFiles({ depth }: Request, job: CachedJob): boolean {
  return job.wantsFiles || depth === startDepth;
}

export function fetchOptionsFor(
  request: Request,
  job: CachedJob,
  { options, memory, jobSignal, endsAt }: PathParts,
  enter: string | undefined,
): FetchOptions {
  return {
    signal: jobSignal,
    deadlineMs: Math.min(options.fetchDeadlineMs, leftMs(endsAt)),
    silenceMs: options.fetchSilenceMs,
    bodyBytesMax: options.bodyBytesMax,
    memory,
    wants: wantsFiles(request, job) ? 'files' : 'pages',
    enter,
    isUrgent: request.isUrgent,
    wantsErrors: job.brief.spec.errorPages,
    keepsHead: job.brief.spec.storeRaw,
  };
}

/** At least a millisecond: a fetch that begins too late ends at once. */
export function leftMs(endsAt: number): number {
  return Math.max(1, endsAt - monotonicNow());
}
