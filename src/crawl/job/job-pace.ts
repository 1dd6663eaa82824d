// The pace that a job wants at every host, besides the settings and robots.txt.
import type { CrawlJob } from '../../core/job.ts';

/** Applies to all requests to a host, of any job, while this job has requests at hand there. */
export interface JobPace {
  /** Between the starts of two requests. */
  readonly delayMs: number;
  /** Requests in flight. */
  readonly concurrency: number;
}

/** Undefined if the job has no pace of its own. */
export function jobPaceOf({ spec }: Pick<CrawlJob, 'spec'>): JobPace | undefined {
  const { hostDelayMs, hostConcurrency } = spec;
  if ((hostDelayMs ?? 0) === 0 && hostConcurrency === null) return undefined;
  return { delayMs: hostDelayMs ?? 0, concurrency: hostConcurrency ?? Number.POSITIVE_INFINITY };
}
