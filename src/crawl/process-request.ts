// The path of one request, from the lease to its outcome. Nothing here writes: what came of it is settled by the lane.
import { monotonicNow } from '../core/monotonic-time.ts';
import { freePages } from '../core/free-bytes.ts';
import type { Log } from '../core/log.ts';
import type { Request } from '../core/request.ts';
import { hostKey } from '../core/host-key.ts';
import type { BodyBudget } from './body-budget.ts';
import type { CachedJob, JobCache } from './job-cache.ts';
import type { JobEnds } from './job-ends.ts';
import { HostPausedError } from './host-pace.ts';
import type { PathParts, Processed, ProcessorOptions, Step } from './path.ts';
import { processPage } from './process-page.ts';
import { findSitemaps, readSitemap } from './process-sitemap.ts';
import { afterFailure } from './retry-policy.ts';

export interface ProcessorParts extends Omit<PathParts, 'options' | 'signal' | 'jobSignal' | 'memory'> {
  readonly bodyBudget: BodyBudget;
  readonly jobs: JobCache;
  readonly jobEnds: JobEnds;
  readonly log: Log;
}

export interface RequestProcessor {
  /**
   * Undefined when the host is not to be asked now: then nothing came of it. Rejects when it is made to stop before the
   * request is through, or the store cannot be read.
   */
  readonly process: (request: Request) => Promise<Processed | undefined>;
  /** To be told of what was settled. The bytes of its pages are gone then. */
  readonly settled: (processed: readonly Processed[]) => void;
}

export function createProcessor(
  parts: ProcessorParts,
  options: ProcessorOptions,
  abort: AbortSignal,
): RequestProcessor {
  const { jobs, jobEnds, log, bodyBudget, ...rest } = parts;

  const process = async (request: Request): Promise<Processed | undefined> => {
    const job = await jobs.get(request);
    const memory = bodyBudget.share();
    const step = await jobEnds
      .whileRunning(request.jobId, (jobSignal) =>
        attempt(request, job, { ...rest, memory, options, signal: abort, jobSignal }).catch((error: unknown) =>
          jobSignal.aborted ? nothingForEndedJob : stepOfError(request, error),
        ),
      )
      .finally(() => memory.release());
    abort.throwIfAborted();
    log.debug('request processed', { job: request.jobId, url: request.url, outcome: step?.outcome.kind ?? 'paused' });
    return step && { request, ...step };
  };

  const attempt = async (request: Request, job: CachedJob | undefined, path: PathParts): Promise<Step> => {
    if (!job) return nothingForEndedJob;
    switch (request.kind) {
      case 'origin':
        return findSitemaps(request, job, path);
      case 'sitemap':
        return readSitemap(request, job, path);
      case 'page':
        return processPage(request, job, path);
    }
  };

  const stepOfError = (request: Request, error: unknown): Step | undefined => {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    if (error instanceof HostPausedError) return stepOfPause(request, error);
    // A defect of ours ends the request: handed back, it would be fetched again and again.
    log.error('request failed', { job: request.jobId, url: request.url, error });
    return { outcome: { kind: 'failed', error: processingFailed }, fetched: true };
  };

  /** The lane waits for its own host; where it is another, the request comes back when that one may be asked. */
  const stepOfPause = (request: Request, { host, until }: HostPausedError): Step | undefined => {
    if (host === hostKey(new URL(request.url))) return undefined;
    const failure = { error: pausedElsewhere, retryable: true, retryAfterMs: until - monotonicNow() };
    return { outcome: afterFailure(failure, request.attempts, options.retry, Math.random()), fetched: true };
  };

  const settled = (processed: readonly Processed[]): void => {
    freePages(processed);
    parts.converter.committed(processed.flatMap(({ conversion }) => conversion ?? []));
  };

  return { process, settled };
}

/** The job is gone or has ended: settling changes nothing, whatever the outcome. */
const nothingForEndedJob: Step = { outcome: { kind: 'discarded', reason: 'cancelled' }, fetched: false };
const processingFailed = { reason: 'parse_crashed', message: 'The page could not be processed.' } as const;
const pausedElsewhere = {
  reason: 'connect',
  message: 'The URL redirects to a host that is not to be asked at this time.',
} as const;
