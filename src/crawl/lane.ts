// One host under lease. The lane takes requests, keeps as many in flight as politeness allows, and settles what came of
// them, all three at the same time, until the host has nothing left, its turn is over, or the worker stops.
//
//   working  ──turn over, a long pause, or stop──►  draining  ──nothing in flight, all settled──►  host given back
//
// A host that does not answer is given back as well, with what was taken; one that has not for too long is given up.
import type { Frontier, HostLease } from '../core/frontier.ts';
import { monotonicNow } from '../core/monotonic-time.ts';
import { failPoint } from '../core/fail-point.ts';
import type { Request } from '../core/request.ts';
import type { Concurrency } from './concurrency.ts';
import { giveBack } from './give-back.ts';
import type { HostPace } from './host-pace.ts';
import type { Processed } from './path.ts';
import type { Pacer } from './politeness.ts';

/** A lane that works longer than this lets others at the host's place in the queue. */
const turnMs = 10_000;
/** A host that has to wait longer than this is given back rather than held. */
const holdMs = 1_000;
/** Requests taken at a time. */
const takeMax = 50;
/** So long after a commit, or until there are so many or as many as may be in flight, the next one waits for more. */
const gatherMs = 25;
const gatheredMax = 32;

export interface LaneParts {
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
}

export class Lane {
  readonly #parts: LaneParts;
  readonly #lease: HostLease;
  readonly #stop: AbortSignal;
  readonly #turnEnd = monotonicNow() + turnMs;
  readonly #ready: Request[] = [];
  readonly #pace: HostPace;
  #inFlight = 0;
  /** A request that was started may not have taken its turn yet, so the lane keeps the delay as well. */
  #nextStartAt = 0;
  #unsettled: Processed[] = [];
  /** Those that are being written. */
  #settling = 0;
  #taking = false;
  /** The frontier had nothing more when last asked, and nothing was settled since. */
  #exhausted = false;
  #draining = false;
  /** A request could not be tried, since the host is not to be asked now. */
  #wasPaused = false;
  #timer: NodeJS.Timeout | undefined;
  #settledAt = 0;
  #gathering: NodeJS.Timeout | undefined;
  #finished = Promise.withResolvers<void>();

  constructor(lease: HostLease, parts: LaneParts, stop: AbortSignal) {
    this.#lease = lease;
    this.#parts = parts;
    this.#pace = parts.pacer.of(lease.host);
    this.#stop = stop;
  }

  /** Resolves when the host has been given back. Rejects when the store failed. */
  async run(): Promise<void> {
    this.#stop.addEventListener('abort', this.#pump);
    const { memory, share } = this.#lease;
    if (memory) this.#pace.recall(memory);
    this.#pace.addShare(share);
    try {
      failPoint('lane.leased');
      this.#pump();
      await this.#finished.promise;
    } finally {
      this.#stop.removeEventListener('abort', this.#pump);
      clearTimeout(this.#timer);
      clearTimeout(this.#gathering);
      this.#pace.addShare(-share);
    }
    await giveBack(this.#parts.frontier, this.#lease, this.#pace, { wasPaused: this.#wasPaused });
    failPoint('lane.released');
  }

  /** Does whatever can be done now. Called whenever something changed. */
  readonly #pump = (): void => {
    if (this.#stop.aborted || monotonicNow() >= this.#turnEnd) this.#draining = true;
    if (!this.#draining) this.#start();
    if (!this.#draining) this.#take();
    this.#settle();
    const idle = this.#inFlight === 0 && this.#unstored === 0 && !this.#taking;
    if (idle && (this.#draining || (this.#exhausted && this.#ready.length === 0))) this.#finished.resolve();
  };

  /** What was worked on and is not in the store yet. */
  get #unstored(): number {
    return this.#unsettled.length + this.#settling;
  }

  /** What a death would have fetched again, in flight or waiting for the store, is never more than twice what may be in flight. */
  #start(): void {
    for (;;) {
      const most = this.#pace.concurrencyOf(this.#lease.share);
      if (this.#ready.length === 0 || this.#inFlight >= most || this.#inFlight + this.#unstored >= 2 * most) return;
      const wait = Math.max(this.#nextStartAt, this.#pace.readyAt) - monotonicNow();
      if (wait > 0) {
        this.#wait(wait);
        return;
      }
      if (!this.#parts.concurrency.tryEnter(this.#pump)) return;
      const request = this.#ready.shift();
      if (!request) return;
      this.#inFlight++;
      this.#nextStartAt = monotonicNow() + this.#pace.delayMs;
      this.#parts.process(request).then(this.#processed, this.#abandoned);
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

  readonly #processed = (settlement: Processed | undefined): void => {
    this.#inFlight--;
    this.#parts.concurrency.leave();
    if (!settlement) {
      this.#wasPaused = true;
      this.#draining = true;
    } else {
      this.#unsettled.push(settlement);
      // Nobody was asked, so nobody needs to be spared.
      if (!settlement.fetched) this.#nextStartAt = 0;
    }
    this.#pump();
  };

  /** Not settled: the request is handed back with the host. Where nobody asked to stop, the store could not be read. */
  readonly #abandoned = (error: unknown): void => {
    this.#inFlight--;
    this.#parts.concurrency.leave();
    if (!this.#stop.aborted) {
      this.#fail(error);
      return;
    }
    this.#draining = true;
    this.#pump();
  };

  #take(): void {
    if (this.#taking || this.#exhausted || this.#ready.length >= takeMax / 2) return;
    this.#taking = true;
    this.#parts.frontier.take(this.#lease, takeMax).then((requests) => {
      this.#taking = false;
      this.#exhausted = requests.length === 0;
      this.#ready.push(...requests);
      failPoint('lane.taken');
      this.#pump();
    }, this.#fail);
  }

  /** What came in while the last batch was being written, and for a moment after, is the next batch. */
  #settle(): void {
    if (this.#settling > 0 || this.#unsettled.length === 0) return;
    if (this.#mayGather()) return;
    const batch = this.#unsettled;
    this.#unsettled = [];
    this.#settling = batch.length;
    this.#parts.frontier.settle(this.#lease, batch).then(() => {
      failPoint('lane.settled');
      this.#parts.settled(batch);
      this.#settling = 0;
      this.#settledAt = monotonicNow();
      this.#exhausted = false;
      this.#pump();
    }, this.#fail);
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

  readonly #fail = (error: unknown): void => {
    this.#finished.reject(error);
  };
}
