import type { Frontier, Suspect } from '../core/frontier.ts';
import { monotonicNow } from '../core/monotonic-time.ts';
import type { Log } from '../core/log.ts';
import { Concurrency } from './concurrency.ts';
import { giveBack } from './give-back.ts';
import { Lane } from './lane.ts';
import type { Pacer } from './politeness.ts';
import type { RequestProcessor } from './process-request.ts';

/** A lane whose host is slow holds no request in flight for most of its turn: others can use what it leaves. */
const lanesPerRequest = 4;
/** How long to wait before looking for work when nobody says that there is some. */
const idleMs = 250;
/** The process has to have lived this long, for each death that a suspect died alone, before it is tried again. */
const calmMs = 5_000;

/** How often to look for suspects: other processes die too. */
const suspectsEveryMs = 30_000;

export interface WorkerOptions {
  /** Requests in flight at most, over all hosts. Four times as many hosts are worked on at a time. */
  readonly concurrency: number;
  readonly pacer: Pacer;
  /** Requests that the process may have died of, as {@link Frontier.recover} counted them. */
  readonly suspects: number;
}

/**
 * The worker's loop: leases a host, lets a lane work on it, goes on to the next.
 *
 * `stop` ends it in order: what is in flight is finished and settled, what was not started is handed back. The promise
 * resolves then; it rejects when the store fails, since work must not go on that cannot be kept.
 */
export async function runWorker(
  frontier: Frontier,
  processor: RequestProcessor,
  options: WorkerOptions,
  stop: AbortSignal,
  log: Log,
): Promise<void> {
  const workAlone = async ({ lease, request }: Suspect): Promise<void> => {
    log.info('request tried alone, since the process died twice with it', { job: request.jobId, url: request.url });
    const pace = options.pacer.of(lease.host);
    if (lease.memory) pace.recall(lease.memory);
    const settlement = await processor.process(request).catch((error: unknown) => {
      if (!ending.aborted) throw error;
      return undefined;
    });
    if (settlement) await frontier.settle(lease, [settlement]);
    await giveBack(frontier, lease, pace, { wasPaused: !settlement && !ending.aborted });
  };

  const concurrency = new Concurrency(options.concurrency);
  const lanes = new Set<Promise<void>>();
  // One lane that fails takes the others along, in order.
  const failure = new AbortController();
  const ending = AbortSignal.any([stop, failure.signal]);
  const startedAt = monotonicNow();
  let haveSuspects = options.suspects > 0;
  let nextLookAt = startedAt + suspectsEveryMs;
  while (!ending.aborted) {
    if (monotonicNow() >= nextLookAt) {
      nextLookAt = monotonicNow() + suspectsEveryMs;
      haveSuspects = true;
    }
    const suspect = haveSuspects
      ? await frontier.takeSuspect(Math.floor((monotonicNow() - startedAt) / calmMs))
      : 'none';
    haveSuspects = suspect !== 'none';
    if (typeof suspect === 'object') {
      // Nothing else is to be in flight: what dies now dies of this.
      await Promise.all(lanes);
      await workAlone(suspect);
      continue;
    }
    if (lanes.size >= options.concurrency * lanesPerRequest) {
      await Promise.race(lanes);
      continue;
    }
    const lease = await frontier.leaseHost();
    if (!lease) {
      await frontier.waitForWork(idleMs, ending);
      continue;
    }
    log.debug('host leased', { host: lease.host, fence: lease.fence });
    const parts = { frontier, concurrency, pacer: options.pacer, ...processor };
    const lane = new Lane(lease, parts, ending)
      .run()
      .catch((error: unknown) => failure.abort(error))
      .finally(() => lanes.delete(lane));
    lanes.add(lane);
  }
  await Promise.all(lanes);
  if (failure.signal.aborted) throw failure.signal.reason;
}
