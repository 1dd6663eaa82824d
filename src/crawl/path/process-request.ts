// The path of one request, from the lease to its outcome. Nothing here writes: the lane settles the outcome.
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { freePagesOf } from '../../core/process/free-bytes.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Remark } from '../../core/ports/frontier.ts';
import { type Request, startDepth } from '../../core/request.ts';
import type { BodyBudget } from './body-budget.ts';
import type { CachedJob, JobCache } from '../job/job-cache.ts';
import type { JobEnds } from '../job/job-ends.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { UrlClocks, withinUrlTimeout } from '../memory/url-clocks.ts';
import { WaitingBytes } from './waiting-bytes.ts';
import { HostPausedError } from '../pace/host-pace.ts';
import type { JobWishes, PathParts, Processed, ProcessorOptions, Step, Waits } from './request-path.ts';
import { processPage, trapOf } from './process-page.ts';
import { findSitemaps, readSitemap } from './process-sitemap.ts';

export interface ProcessorParts extends Omit<
  PathParts,
  'options' | 'endsAt' | 'signal' | 'jobSignal' | 'memory' | 'remarks' | 'waiting' | keyof Waits
> {
  readonly bodyBudget: BodyBudget;
  readonly jobs: JobCache;
  readonly jobEnds: JobEnds;
  readonly log: Log;
}

export interface RequestProcessor {
  /** What the job of a request wants; undefined if the job is gone. Rejects when the store cannot be read. */
  readonly wishesOf: (request: Request) => JobWishes | Promise<JobWishes | undefined>;
  /** Returns true if none of the requests will be fetched. Rejects when the store cannot be read. */
  readonly areTrapped: (requests: readonly Request[]) => Promise<boolean>;
  /**
   * Undefined if the host must not be contacted now: then there is no outcome. Rejects when aborted before the request
   * is done, or when the store cannot be read.
   */
  readonly process: (request: Request, waits?: Waits) => Promise<Processed | undefined>;
  /** Call with the outcomes that were settled. Frees the bytes of their pages. */
  readonly settled: (processed: readonly Processed[]) => void;
}

const inPlace: Waits = { aside: (wait) => wait, untilAnswered: (wait) => wait.then(() => {}) };

/** Timers of a fetch can fire a little before its time is up. */
const timersEarlyMs = 100;

export function createProcessor(
  parts: ProcessorParts,
  options: ProcessorOptions,
  abort: AbortSignal,
): RequestProcessor {
  const { jobs, jobEnds, log, bodyBudget, ...others } = parts;
  const waiting = new WaitingBytes(options.waitingBytes);
  const clocks = new UrlClocks();
  const rest = { ...others, waiting };

  const process = async (request: Request, waits: Waits = inPlace): Promise<Processed | undefined> => {
    const job = await jobs.get(request);
    const memory = bodyBudget.share();
    const remarks: Remark[] = [];
    let bytes = 0;
    const counted = (result: FetchResult): FetchResult => {
      if (result.kind === 'body') bytes += result.body.length;
      return result;
    };
    const fetcher: PathParts['fetcher'] = {
      fetch: (url, how) =>
        rest.fetcher
          .fetch(url, { ...how, pace: job?.pace, insecureTls: job?.insecureTls, proxy: job?.proxy })
          .then(counted),
    };
    const startedAt = monotonicNow();
    const timeoutMs = request.kind === 'page' ? job?.urlTimeoutMs : undefined;
    const elapsedMs = timeoutMs === undefined ? 0 : clocks.elapsedMs(request.id, startedAt);
    const endsAt = timeoutMs === undefined ? Number.POSITIVE_INFINITY : startedAt - elapsedMs + timeoutMs;
    const { signal: jobSignal, done } = jobEnds.begin(request.jobId);
    const untilAnswered: PathParts['untilAnswered'] = (wait) => waits.untilAnswered(wait, jobSignal);
    const own = { fetcher, memory, remarks, ...waits, untilAnswered, endsAt, jobSignal };
    const path = { ...rest, ...own, options, signal: abort };
    let tried: Step | undefined;
    try {
      tried = await attempt(request, job, path);
    } catch (error) {
      tried = jobSignal.aborted ? nothingForEndedJob : stepOfError(request, error);
    } finally {
      done();
      memory.release();
    }
    abort.throwIfAborted();
    const step = tried && timeoutMs !== undefined ? withinTime(tried, timeoutMs, endsAt) : tried;
    if (step && step.outcome.kind !== 'retry' && step.outcome.kind !== 'moved') clocks.ended(request.id);
    if (step) waiting.add(step.outcome);
    log.debug('request processed', { job: request.jobId, url: request.url, outcome: step?.outcome.kind ?? 'paused' });
    if (!step || remarks.length === 0) return step && { request, ...step, bytes };
    return { request, ...step, bytes, remarks: [...(step.remarks ?? []), ...remarks] };
  };

  const stepOfError = (request: Request, error: unknown): Step | undefined => {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    // The lane waits for the host.
    if (error instanceof HostPausedError) return undefined;
    // A defect of ours ends the request. Handed back, it would be fetched again and again.
    log.error('request failed', { job: request.jobId, url: request.url, error });
    return { outcome: { kind: 'failed', error: processingFailed }, fetched: true };
  };

  const settled = (processed: readonly Processed[]): void => {
    for (const { outcome } of processed) waiting.remove(outcome);
    freePagesOf(processed);
    parts.converter.committed(processed.flatMap(({ conversion }) => conversion ?? []));
  };

  const wishesOf = (request: Request): JobWishes | Promise<JobWishes | undefined> => {
    const known = jobs.known(request);
    return known ? wishesOfJob(known, request) : jobs.get(request).then((job) => job && wishesOfJob(job, request));
  };

  const wishesOfJob = (job: CachedJob, request: Request): JobWishes => {
    // A redirect can lead to a host that has never answered.
    const isFound = request.kind === 'page' && request.depth > startDepth && request.chain === undefined;
    const { pace, begunAt, unansweredMs, urlTimeoutMs } = job;
    return { pace, patience: { begunAt, isFound, unansweredMs, urlTimeoutMs } };
  };

  const areTrapped = async (requests: readonly Request[]): Promise<boolean> => {
    for (const request of requests) {
      const job = request.kind === 'page' ? await jobs.get(request) : undefined;
      if (!job || trapOf(request, job, parts.watch) === undefined) return false;
    }
    return requests.length > 0;
  };

  return { process, wishesOf, areTrapped, settled };
}

function attempt(request: Request, job: CachedJob | undefined, path: PathParts): Step | Promise<Step> {
  if (!job) return nothingForEndedJob;
  switch (request.kind) {
    case 'origin':
      return findSitemaps(request, job, path);
    case 'sitemap':
      return readSitemap(request, job, path);
    case 'page':
      return processPage(request, job, path);
  }
}

/** Ends a request whose time is up. */
function withinTime(step: Step, timeoutMs: number, endsAt: number): Step {
  const now = monotonicNow();
  const outcome = withinUrlTimeout(step.outcome, now - endsAt + timeoutMs, timeoutMs);
  return {
    ...step,
    outcome,
    ...(outcome.kind === 'failed' && now >= endsAt - timersEarlyMs && { isOutOfTime: true }),
  };
}

/** The job is gone or has ended: settling changes nothing, whatever the outcome. */
const nothingForEndedJob: Step = { outcome: { kind: 'discarded', reason: 'cancelled' }, fetched: false };
const processingFailed = { reason: 'parse_crashed', message: 'The page could not be processed.' } as const;
