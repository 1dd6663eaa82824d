// One life of the crawl: from taking the leases to losing them.
import type { Frontier, Life } from '../core/ports/frontier.ts';
import type { Fetcher } from '../core/ports/fetcher.ts';
import type { Log } from '../core/ports/log.ts';
import { firstSignal } from '../core/process/first-signal.ts';
import { JobCache } from '../crawl/job/job-cache.ts';
import { JobEnds } from '../crawl/job/job-ends.ts';
import { RedirectTargets } from '../crawl/memory/redirect-targets.ts';
import { HostGate } from '../crawl/pace/host-gate.ts';
import { createPoliteFetcher } from '../crawl/pace/politeness.ts';
import { RobotsGate } from '../crawl/pace/robots-gate.ts';
import { createProcessor, type ProcessorParts } from '../crawl/path/process-request.ts';
import type { ProcessorOptions } from '../crawl/path/request-path.ts';
import { runWorker, type WorkerOptions } from '../crawl/worker.ts';
import type { Egress } from '../fetch/guard/egress.ts';

/** A host that does not even send robots.txt in time is skipped for now, so that it does not hold up others. */
const robotsDeadlineMs = 15_000;

/** What is the same in each life. */
export interface Lasting {
  readonly path: Omit<ProcessorParts, 'fetcher' | 'gate' | 'targets' | 'jobs' | 'jobEnds'>;
  readonly pathOptions: ProcessorOptions;
  readonly worker: Omit<WorkerOptions, 'pacer' | 'suspects'>;
  readonly frontier: Frontier;
  readonly httpFetcher: Fetcher;
  readonly egress: Egress;
  readonly cacheBytes: number;
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
  readonly log: Log;
}

/** Crawls until the life is over. Each life has new parts, because another process might have taken over the leases. */
export async function crawlUntilOver({ suspects, lost, isHeld }: Life, lasting: Lasting): Promise<void> {
  const { path, pathOptions, worker, frontier, egress, cacheBytes, stop, abort, log } = lasting;
  const { pacer } = path;
  const { isShared } = frontier;
  const ending = firstSignal(stop, lost);
  const fetcher = createPoliteFetcher(lasting.httpFetcher, pacer, ending, isHeld);
  const gate = new HostGate({
    robots: new RobotsGate(fetcher, { deadlineMs: robotsDeadlineMs, cacheBytes }),
    pacer,
    isShared,
    noteDelay: (host, delayMs) => frontier.noteDelay(host, delayMs),
  });
  const abortNow = firstSignal(abort, lost);
  const jobEnds = new JobEnds(frontier, abortNow);
  const targets = new RedirectTargets(frontier, { isShared });
  const jobs = new JobCache(frontier, egress);
  const processor = createProcessor({ ...path, fetcher, gate, targets, jobs, jobEnds }, pathOptions, abortNow);
  // After the end of the life nothing is stored, so the links must not count as known.
  const settled: typeof processor.settled = (processed) => {
    if (isHeld()) processor.settled(processed);
  };
  await runWorker(frontier, { ...processor, settled }, { ...worker, pacer, suspects }, ending, log);
}
