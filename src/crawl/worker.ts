import type { Frontier, Leased, Suspect } from '../core/ports/frontier.ts';
import { firstSignal } from '../core/process/first-signal.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import type { Log } from '../core/ports/log.ts';
import { Concurrency } from './concurrency.ts';
import type { Counts } from './counts.ts';
import { Gathering } from './gathering.ts';
import { Lane, type LaneParts, type Pressure } from './lane.ts';
import type { Pacer } from './pace/politeness.ts';
import type { RequestProcessor } from './path/process-request.ts';

/**
 * Lanes per request in flight. A lane of a slow host has no request in flight for most of its turn, so others can use
 * its room.
 */
const lanesPerRequest = 4;
/** Out of this many lanes, one is reserved for urgent requests. */
const lanesPerReserved = 16;
/**
 * Hosts leased in one transaction, while each finds as many as it may: on a busy server it takes 100 ms or more. No more
 * than there are reserved lanes, since they can all be of one org.
 */
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
  // One failure ends all lanes.
  const failure = new AbortController();
  const failed = (error: unknown): void => {
    if (failure.signal.aborted) return;
    failure.abort(error);
    options.abort();
  };
  const ending = firstSignal(stop, failure.signal);
  const worker = new Worker({ frontier, processor, options, ending, failed, log });
  try {
    while (!ending.aborted) await worker.work();
  } catch (error) {
    failed(error);
  }
  await worker.ended();
  if (failure.signal.aborted) throw failure.signal.reason;
}

interface WorkerParts {
  readonly frontier: Frontier;
  readonly processor: RequestProcessor;
  readonly options: WorkerOptions;
  readonly ending: AbortSignal;
  readonly failed: (error: unknown) => void;
  readonly log: Log;
}

class Worker {
  readonly #parts: WorkerParts;
  readonly #laneParts: LaneParts;
  readonly #lanes = new Set<Promise<void>>();
  readonly #lanesMax: number;
  readonly #usualLanesMax: number;
  readonly #pressure: Pressure = { othersWait: false, urgentWait: false, mustEnd: false };
  readonly #gathering = new Gathering();
  readonly #leasesMax: number;
  #leasesAtOnce = 1;
  readonly #startedAt = monotonicNow();
  #haveSuspects: boolean;
  #nextLookAt = this.#startedAt + suspectsEveryMs;
  /** A suspect that is being tried next to the lanes. */
  #trial: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { frontier, processor, options, ending, failed } = parts;
    this.#lanesMax = options.concurrency * lanesPerRequest;
    const reserved = Math.max(1, Math.floor(this.#lanesMax / lanesPerReserved));
    this.#usualLanesMax = this.#lanesMax - reserved;
    this.#leasesMax = Math.min(leasesMax, reserved);
    this.#haveSuspects = options.suspects > 0;
    ending.addEventListener('abort', () => this.#gathering.flush());
    this.#laneParts = {
      frontier,
      concurrency: new Concurrency(options.concurrency, options.openPages),
      gathering: this.#gathering,
      pacer: options.pacer,
      pressure: this.#pressure,
      failed,
      ...processor,
    };
  }

  /** Leases what there is room for, or waits until there is room or work. */
  async work(): Promise<void> {
    const { frontier, options, ending } = this.#parts;
    const suspect = await this.#suspect();
    if (suspect) {
      await this.#tryOut(suspect);
      return;
    }
    const running = this.#lanes.size;
    if (running >= this.#lanesMax) {
      await Promise.race(this.#underWay());
      return;
    }
    if (running >= this.#usualLanesMax) {
      await this.#leaseUrgent();
      return;
    }
    if (await this.#leaseHosts()) return;
    const { lanesPerOrg } = options;
    // An org that has all its lanes in use leaves its other hosts waiting.
    this.#pressure.othersWait = lanesPerOrg !== undefined && this.#lanes.size >= lanesPerOrg;
    await Promise.race([frontier.waitForWork(idleMs, ending), ...this.#trials()]);
  }

  /** Resolves when all lanes have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay());
  }

  #trials(): readonly Promise<void>[] {
    return this.#trial ? [this.#trial] : [];
  }

  #underWay(): readonly Promise<void>[] {
    return [...this.#lanes, ...this.#trials()];
  }

  async #suspect(): Promise<Suspect | undefined> {
    const now = monotonicNow();
    if (now >= this.#nextLookAt) {
      this.#nextLookAt = now + suspectsEveryMs;
      this.#haveSuspects = true;
    }
    if (!this.#haveSuspects || this.#trial) return undefined;
    const suspect = await this.#parts.frontier.takeSuspect(Math.floor((now - this.#startedAt) / calmMs));
    this.#haveSuspects = suspect !== 'none';
    return typeof suspect === 'object' ? suspect : undefined;
  }

  /** One suspect at a time, so that it is the only one to blame if the process dies. */
  async #tryOut({ request, lease, isAlone }: Suspect): Promise<void> {
    const how = isAlone ? 'alone' : 'next to others';
    this.#parts.log.info(`request tried ${how}, because a process died with it`, {
      job: request.jobId,
      url: request.url,
    });
    const leased: Leased = { lease, requests: [request], mayHaveMore: false };
    if (!isAlone) {
      this.#trial = this.#run(leased, { takesNoMore: true }).finally(() => (this.#trial = undefined));
      return;
    }
    // With nothing else in flight, a crash can only come from this request.
    this.#pressure.mustEnd = true;
    this.#gathering.flush();
    await Promise.all(this.#lanes);
    this.#pressure.mustEnd = false;
    await this.#run(leased, { takesNoMore: true });
  }

  /**
   * Returns true if there was a host to lease. A lease that got all that one may ask for leaves hosts waiting, and one
   * that got fewer than it asked for leaves none. Urgent hosts come first, so they wait only if the last one is urgent.
   */
  async #leaseHosts(): Promise<boolean> {
    const { lanesPerOrg } = this.#parts.options;
    const running = this.#lanes.size;
    const isScarce = 2 * running > this.#usualLanesMax;
    const room = this.#usualLanesMax - running;
    const most = Math.min(this.#leasesAtOnce, room);
    const leased = await this.#parts.frontier.leaseHosts({
      most,
      takes: true,
      isScarce,
      ...(lanesPerOrg !== undefined && { lanesPerOrg }),
    });
    for (const one of leased) this.#begin(one);
    const pressure = this.#pressure;
    const mayWait = pressure.othersWait || most === Math.min(room, this.#leasesMax);
    pressure.othersWait = mayWait && leased.length === most;
    pressure.urgentWait = pressure.othersWait && leased.at(-1)?.requests[0]?.isUrgent === true;
    this.#leasesAtOnce = leased.length === most ? Math.min(2 * most, this.#leasesMax) : Math.max(1, leased.length);
    return leased.length > 0;
  }

  /** Leases into the reserved lanes, which are for urgent requests only. */
  async #leaseUrgent(): Promise<void> {
    const { frontier, ending } = this.#parts;
    const most = Math.min(this.#leasesMax, this.#lanesMax - this.#lanes.size);
    const leased = await frontier.leaseUrgentHosts(most);
    this.#pressure.urgentWait = typeof leased === 'object' && leased.length === most;
    if (typeof leased === 'object') {
      for (const one of leased) this.#begin(one);
      return;
    }
    this.#pressure.othersWait = leased === 'later';
    const hint = new Promise<void>((resolve) => setTimeout(resolve, urgentEveryMs)).then(() =>
      frontier.waitForWork(idleMs, ending),
    );
    await Promise.race([hint, ...this.#underWay()]);
  }

  #begin(leased: Leased): void {
    const { host, fence } = leased.lease;
    this.#parts.log.debug('host leased', { host, fence, requests: leased.requests.length });
    const lane = this.#run(leased).finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  #run(leased: Leased, more: Pick<LaneParts, 'takesNoMore'> = {}): Promise<void> {
    const { ending, failed } = this.#parts;
    return new Lane(leased, { ...this.#laneParts, ...more }, ending).run().catch(failed);
  }
}
