// One host under lease. The lane takes requests, keeps as many in flight as politeness allows, and settles what came of
// them, all three at the same time, until the host has nothing left, its turn is over, or the worker stops.
//
//   working  ──turn over, a long pause, or stop──►  draining  ──nothing in flight, all settled──►  host given back
//      └──────────── the store failed ──► broken  ──nothing in flight──►  rejects, and stores nothing more
//
// A host that does not answer is given back as well, with what was taken; one that has not for too long is given up.
import type { Frontier, Leased } from '../core/frontier.ts';
import { monotonicNow } from '../core/monotonic-time.ts';
import { failPoint } from '../core/fail-point.ts';
import type { Request } from '../core/request.ts';
import { alternately, holdMs, requestsOfUse, takeMax, turnMs } from '../core/turn.ts';
import type { Concurrency } from './concurrency.ts';
import { giveBack, releaseOf } from './give-back.ts';
import type { HostPace } from './host-pace.ts';
import type { Processed } from './path.ts';
import type { Pacer } from './politeness.ts';

/** So long after a commit, or until there are so many or as many as may be in flight, the next one waits for more. */
const gatherMs = 25;
const gatheredMax = 32;

/** How often a lane looks whether there is more for its host, and whether its turn is over. */
const lookMs = 250;
/** A lane whose turn is over, and that still waits for a slow page, works on meanwhile. */
const drainMs = 500;

/** What the worker knows of all lanes. */
export interface Crowd {
  /** Hosts are due that no lane works on. */
  othersWait: boolean;
  /** All lanes have to end with their turn. */
  mustEnd: boolean;
}

export interface LaneParts {
  readonly crowd: Crowd;
  readonly frontier: Frontier;
  readonly concurrency: Concurrency;
  readonly pacer: Pacer;
  /**
   * Works on one request. Undefined: the host is not to be asked now, so the request was not tried. Rejects when it was
   * made to stop half-way, or the store failed: then nothing came of it.
   */
  process(request: Request): Promise<Processed | undefined>;
  /** Told of what was settled. */
  settled(processed: readonly Processed[]): void;
  /** Called at once when the store failed, so that what is in flight can be made to stop. */
  failed(error: unknown): void;
}

export class Lane {
  readonly #parts: LaneParts;
  readonly #lease: Leased['lease'];
  readonly #stop: AbortSignal;
  #turnEnd = monotonicNow() + turnMs;
  /** When the lane began to drain since its turn was over. */
  #turnOverAt: number | undefined;
  readonly #ready: Request[] = [];
  readonly #pace: HostPace;
  #inFlight = 0;
  #hasStarted = false;
  /** A request that was started may not have taken its turn yet, so the lane keeps the delay as well. */
  #nextStartAt = 0;
  #unsettled: Processed[] = [];
  /** Those that are being written. */
  #settling = 0;
  /** Requests in a row that nobody was asked for: they keep no delay, so that many of them are taken at a time. */
  #unfetched = 0;
  #taking = false;
  /** The frontier had nothing more when last asked, and nothing was settled since. */
  #exhausted: boolean;
  #draining = false;
  /** Set when the store failed. */
  #failure: { readonly error: unknown } | undefined;
  /** The host was given back with the last settlement. */
  #isReleased = false;
  /** A request could not be tried, since the host is not to be asked now. */
  #wasPaused = false;
  #timer: NodeJS.Timeout | undefined;
  #settledAt = 0;
  #gathering: NodeJS.Timeout | undefined;
  #finished = Promise.withResolvers<void>();

  constructor({ lease, requests, mayHaveMore }: Leased, parts: LaneParts, stop: AbortSignal) {
    this.#lease = lease;
    this.#queue(requests);
    this.#exhausted = !mayHaveMore;
    this.#parts = parts;
    this.#pace = parts.pacer.of(lease.host);
    this.#stop = stop;
  }

  /** Resolves when the host has been given back. Rejects when the store failed, after what was in flight has ended. */
  async run(): Promise<void> {
    this.#stop.addEventListener('abort', this.#pump);
    const { memory, share } = this.#lease;
    if (memory) this.#pace.recall(memory);
    this.#pace.addShare(share);
    const looking = setInterval(this.#look, lookMs);
    try {
      failPoint('lane.leased');
      this.#pump();
      await this.#finished.promise;
    } finally {
      this.#stop.removeEventListener('abort', this.#pump);
      clearInterval(looking);
      clearTimeout(this.#timer);
      clearTimeout(this.#gathering);
      this.#pace.addShare(-share);
    }
    if (this.#failure) throw this.#failure.error;
    if (!this.#isReleased)
      await giveBack(this.#parts.frontier, this.#lease, this.#pace, { wasPaused: this.#wasPaused });
    failPoint('lane.released');
  }

  /** Does whatever can be done now. Called whenever something changed. */
  readonly #pump = (): void => {
    if (this.#failure) {
      if (this.#inFlight === 0 && this.#settling === 0 && !this.#taking) this.#finished.resolve();
      return;
    }
    if (this.#stop.aborted) this.#draining = true;
    this.#endTurn();
    // Nothing can start for a while, and what could be taken is better left to the next turn.
    if (this.#inFlight === 0 && this.#waitMs > holdMs) this.#draining = true;
    if (!this.#draining) this.#start();
    if (!this.#draining) this.#take();
    this.#settle();
    const idle = this.#isQuiet && this.#unstored === 0;
    if (idle && (this.#draining || (this.#exhausted && this.#ready.length === 0))) this.#finished.resolve();
  };

  /**
   * The turn goes on while nobody waits for a lane. A lane that found no room for any request keeps its place in the queue for room: a
   * host that is given back without a page begins at the end again, and its job may have none for twenty turns.
   */
  #endTurn(): void {
    const now = monotonicNow();
    const { othersWait, mustEnd } = this.#parts.crowd;
    if (this.#draining || now < this.#turnEnd) return;
    const hasWorked = this.#hasStarted || this.#ready.length === 0;
    if (!mustEnd && (!othersWait || !hasWorked)) {
      this.#turnEnd = now + turnMs;
      return;
    }
    this.#draining = true;
    this.#turnOverAt = now;
  }

  /** Others may have queued something for the host, which no other lane can take. */
  readonly #look = (): void => {
    const isSlow = this.#turnOverAt !== undefined && monotonicNow() - this.#turnOverAt >= drainMs;
    if (isSlow && this.#inFlight > 0 && !this.#wasPaused && !this.#stop.aborted && !this.#parts.crowd.mustEnd) {
      this.#draining = false;
      this.#turnOverAt = undefined;
      this.#turnEnd = monotonicNow() + turnMs;
    }
    if (this.#inFlight > 0) this.#exhausted = false;
    this.#pump();
  };

  /** What was worked on and is not in the store yet. */
  get #unstored(): number {
    return this.#unsettled.length + this.#settling;
  }

  get #isQuiet(): boolean {
    return this.#inFlight === 0 && !this.#taking;
  }

  /** Until the next request may start. */
  get #waitMs(): number {
    return Math.max(this.#nextStartAt, this.#pace.readyAt) - monotonicNow();
  }

  /** Bounds what a crash fetches again: in flight plus unsettled never exceeds twice the concurrency. */
  #start(): void {
    for (;;) {
      const [request] = this.#ready;
      if (!request) return;
      const most = this.#pace.concurrencyOf(this.#lease.share, request);
      if (this.#inFlight >= most || this.#inFlight + this.#unstored >= 2 * most) return;
      const wait = this.#waitMs;
      if (wait > 0) {
        this.#wait(wait);
        return;
      }
      if (!this.#parts.concurrency.tryEnter(request, this.#pump)) return;
      this.#ready.shift();
      this.#inFlight++;
      this.#hasStarted = true;
      this.#nextStartAt = monotonicNow() + this.#pace.delayMs;
      this.#parts.process(request).then(
        (settlement) => this.#processed(request, settlement),
        (error: unknown) => this.#abandoned(request, error),
      );
    }
  }

  #wait(ms: number): void {
    if (ms > holdMs) {
      this.#draining = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#pump, Math.ceil(ms));
  }

  #processed(request: Request, settlement: Processed | undefined): void {
    this.#inFlight--;
    if (!settlement) {
      this.#wasPaused = true;
      this.#draining = true;
    } else {
      this.#unsettled.push(settlement);
      this.#unfetched = settlement.fetched ? 0 : this.#unfetched + 1;
      // Nobody was asked, so nobody needs to be spared.
      if (!settlement.fetched) this.#nextStartAt = 0;
    }
    this.#leave(request);
  }

  /** Not settled: the request is handed back with the host. Where nobody asked to stop, the store could not be read. */
  #abandoned(request: Request, error: unknown): void {
    this.#inFlight--;
    if (this.#stop.aborted) this.#draining = true;
    else this.#fail(error);
    this.#leave(request);
  }

  /** After what came of the request was noted: another lane, or this one, begins something with the room. */
  #leave(request: Request): void {
    this.#parts.concurrency.leave(request);
    this.#pump();
  }

  /** What is urgent comes first, then jobs alternate: the turn may end before all that was taken has begun. */
  #queue(requests: readonly Request[]): void {
    const inTurn = alternately([...Map.groupBy(requests, ({ jobId }) => jobId).values()]);
    this.#ready.unshift(...inTurn.filter(({ isUrgent }) => isUrgent));
    this.#ready.push(...inTurn.filter(({ isUrgent }) => !isUrgent));
  }

  #take(): void {
    const most = this.#requestsOfUse;
    if (this.#taking || this.#exhausted || this.#waitMs > holdMs || this.#ready.length >= most / 2) return;
    this.#taking = true;
    this.#parts.frontier.take(this.#lease, most - this.#ready.length).then(
      (requests) => {
        this.#taking = false;
        this.#exhausted = requests.length === 0;
        this.#queue(requests);
        failPoint('lane.taken');
        this.#pump();
      },
      (error: unknown) => {
        this.#taking = false;
        this.#fail(error);
      },
    );
  }

  get #requestsOfUse(): number {
    const { delayMs, isKnown } = this.#pace;
    const left = this.#turnEnd - monotonicNow() - Math.max(0, this.#waitMs);
    return Math.max(requestsOfUse({ delayMs, isKnown }, left), Math.min(takeMax, 2 * this.#unfetched));
  }

  /** What came in while the last batch was being written, and for a moment after, is the next batch. */
  #settle(): void {
    if (this.#settling > 0 || this.#unsettled.length === 0) return;
    if (this.#mayGather()) return;
    const batch = this.#unsettled;
    this.#unsettled = [];
    this.#settling = batch.length;
    const { frontier } = this.#parts;
    // A host that did not answer may have to be given up first.
    const isLast = this.#draining && this.#isQuiet && !this.#wasPaused;
    const release = isLast ? releaseOf(frontier, this.#pace) : undefined;
    frontier.settle(this.#lease, batch, release).then(
      () => {
        failPoint('lane.settled');
        this.#isReleased = isLast;
        this.#parts.settled(batch);
        this.#settling = 0;
        this.#settledAt = monotonicNow();
        this.#exhausted = false;
        this.#pump();
      },
      (error: unknown) => {
        this.#settling = 0;
        this.#fail(error);
      },
    );
  }

  /** Where more is on its way, and nothing waits for what is there, a commit is worth waiting for. */
  #mayGather(): boolean {
    const most = Math.min(gatheredMax, this.#pace.concurrencyOf(this.#lease.share));
    if (this.#draining || this.#unsettled.length >= most || this.#inFlight === 0) return false;
    const waitMs = this.#settledAt + gatherMs - monotonicNow();
    if (waitMs <= 0) return false;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#pump();
    }, waitMs);
    return true;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#parts.failed(error);
    this.#pump();
  }
}
