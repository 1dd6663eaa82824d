import type { Frontier, Leased, Suspect } from '../core/ports/frontier.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import type { Log } from '../core/ports/log.ts';
import { Concurrency } from './concurrency.ts';
import type { Counts } from './counts.ts';
import { Gathering } from './gathering.ts';
import { type Crowd, Lane, type LaneParts } from './lane.ts';
import type { Pacer } from './pace/politeness.ts';
import type { RequestProcessor } from './path/process-request.ts';

/**
 * Lanes per request in flight. A lane of a slow host has no request in flight for most of its turn, so others can use
 * its room.
 */
const lanesPerRequest = 4;
/** Out of this many lanes, one is reserved for urgent requests. */
const lanesPerReserved = 16;
/** Hosts leased in one transaction, while each finds as many as it may. On a busy server it takes 100 ms or more. */
const leasesMax = 16;
/** How soon to look again for urgent requests while only reserved lanes are free. */
const urgentEveryMs = 25;
/** How long to wait before looking for work without a hint that there is some. */
const idleMs = 250;
/** Uptime needed before a suspect is tried again, for each process that died while trying it alone. */
const calmMs = 5_000;

/** How often to look for suspects: other processes crash too. */
const suspectsEveryMs = 30_000;

export interface WorkerOptions {
  /** Requests in flight at most, over all hosts. The worker leases up to four times as many hosts at a time. */
  readonly concurrency: number;
  readonly pacer: Pacer;
  /** Counts the pages in flight by job. @default counted for nobody */
  readonly openPages?: Counts;
  /** Lanes that one org can hold at a time, not counting those for urgent requests. @default any number */
  readonly lanesPerOrg?: number;
  /** Requests that might have crashed the process, as {@link Frontier.recover} counted them. */
  readonly suspects: number;
  /** Called when the store fails. Aborts all fetches and conversions at once; none of them is stored. */
  readonly abort: () => void;
}

/**
 * The worker's loop: leases a host, lets a lane work on it, and leases the next.
 *
 * `stop` ends it in order: requests in flight are finished and settled, requests not started are handed back. Then the
 * promise resolves. It rejects when the store fails, since the work could not be kept: everything under way is aborted,
 * and has ended before the rejection.
 */
export async function runWorker(
  frontier: Frontier,
  processor: RequestProcessor,
  options: WorkerOptions,
  stop: AbortSignal,
  log: Log,
): Promise<void> {
  const concurrency = new Concurrency(options.concurrency, options.openPages);
  const gathering = new Gathering();
  const lanes = new Set<Promise<void>>();
  const lanesMax = options.concurrency * lanesPerRequest;
  const usualLanesMax = lanesMax - Math.max(1, Math.floor(lanesMax / lanesPerReserved));
  const crowd: Crowd = { othersWait: false, urgentWait: false, mustEnd: false };
  let leasesAtOnce = 1;
  // One failure ends all lanes.
  const failure = new AbortController();
  const failed = (error: unknown): void => {
    if (failure.signal.aborted) return;
    failure.abort(error);
    options.abort();
  };
  const ending = AbortSignal.any([stop, failure.signal]);
  ending.addEventListener('abort', () => gathering.flush());
  const startedAt = monotonicNow();
  let haveSuspects = options.suspects > 0;
  /** A suspect that is being tried next to the lanes. */
  let trial: Promise<void> | undefined;
  const trials = (): readonly Promise<void>[] => (trial ? [trial] : []);
  let nextLookAt = startedAt + suspectsEveryMs;

  const work = async (): Promise<void> => {
    if (monotonicNow() >= nextLookAt) {
      nextLookAt = monotonicNow() + suspectsEveryMs;
      haveSuspects = true;
    }
    if (haveSuspects && !trial) {
      const suspect = await frontier.takeSuspect(Math.floor((monotonicNow() - startedAt) / calmMs));
      haveSuspects = suspect !== 'none';
      if (typeof suspect === 'object') {
        await tryOut(suspect);
        return;
      }
    }
    // The reserved lanes are full only while urgent requests wait for them.
    crowd.urgentWait = lanes.size >= lanesMax;
    if (lanes.size >= lanesMax) {
      crowd.othersWait = true;
      await Promise.race([...lanes, ...trials()]);
      return;
    }
    if (lanes.size >= usualLanesMax) {
      await leaseUrgent();
      return;
    }
    if (await leaseHosts()) return;
    const { lanesPerOrg } = options;
    // An org that has all its lanes in use leaves its other hosts waiting.
    crowd.othersWait = lanesPerOrg !== undefined && lanes.size >= lanesPerOrg;
    await Promise.race([frontier.waitForWork(idleMs, ending), ...trials()]);
  };

  /** One suspect at a time, so that it is the only one to blame if the process dies. */
  const tryOut = async (suspect: Suspect): Promise<void> => {
    const { request, lease, isAlone } = suspect;
    const how = isAlone ? 'alone' : 'next to others';
    log.info(`request tried ${how}, because a process died with it`, { job: request.jobId, url: request.url });
    const leased: Leased = { lease, requests: [request], mayHaveMore: false };
    if (!isAlone) {
      trial = laneOf(leased, { takesNoMore: true }).finally(() => (trial = undefined));
      return;
    }
    // With nothing else in flight, a crash can only come from this request.
    crowd.mustEnd = true;
    gathering.flush();
    await Promise.all(lanes);
    crowd.mustEnd = false;
    await laneOf(leased, { takesNoMore: true });
  };

  /** Returns true if there was a host to lease. */
  const leaseHosts = async (): Promise<boolean> => {
    const { lanesPerOrg } = options;
    const isScarce = 2 * lanes.size > usualLanesMax;
    // With few free lanes, orgs take turns after fewer hosts.
    const most = Math.min(leasesAtOnce, Math.ceil((usualLanesMax - lanes.size) / lanesPerReserved));
    const leased = await frontier.leaseHosts({
      most,
      takes: true,
      isScarce,
      ...(lanesPerOrg !== undefined && { lanesPerOrg }),
    });
    for (const one of leased) begin(one);
    leasesAtOnce = leased.length === most ? Math.min(2 * most, leasesMax) : Math.max(1, leased.length);
    return leased.length > 0;
  };

  /** Leases into the reserved lanes, which are for urgent requests only. */
  const leaseUrgent = async (): Promise<void> => {
    const leased = await frontier.leaseUrgentHosts(Math.min(lanesMax - lanes.size, leasesMax));
    if (typeof leased === 'object') {
      for (const one of leased) begin(one);
      return;
    }
    crowd.othersWait = leased === 'later';
    const hint = new Promise<void>((resolve) => setTimeout(resolve, urgentEveryMs)).then(() =>
      frontier.waitForWork(idleMs, ending),
    );
    await Promise.race([hint, ...lanes, ...trials()]);
  };

  const begin = (leased: Leased): void => {
    const { host, fence } = leased.lease;
    log.debug('host leased', { host, fence, requests: leased.requests.length });
    const lane = laneOf(leased).finally(() => lanes.delete(lane));
    lanes.add(lane);
  };

  const laneOf = (leased: Leased, more: Pick<LaneParts, 'takesNoMore'> = {}): Promise<void> =>
    new Lane(
      leased,
      { frontier, concurrency, gathering, pacer: options.pacer, crowd, failed, ...processor, ...more },
      ending,
    )
      .run()
      .catch(failed);

  try {
    while (!ending.aborted) await work();
  } catch (error) {
    failed(error);
  }
  await Promise.all([...lanes, ...trials()]);
  if (failure.signal.aborted) throw failure.signal.reason;
}
