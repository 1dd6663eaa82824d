import { type Request, startDepth } from '../../core/request.ts';
import type { CachedJob } from '../job/job-cache.ts';
import type { WatchedTemplates } from '../memory/watched-templates.ts';

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

/** The client requested a start URL, whatever its type. */
export function wantsFiles({ depth }: Request, job: CachedJob): boolean {
  return job.wantsFiles || depth === startDepth;
}
