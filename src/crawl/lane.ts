// One host under lease. The lane takes requests, keeps as many in flight as politeness allows, and settles their
// outcomes, all three at the same time, until the host has no requests left, the turn is over, or the worker stops.
//
//   working  ──turn over, a long pause, or stop──►  draining  ──nothing in flight, all settled──►  host given back
//      └──────────── the store failed ──► broken  ──nothing in flight──►  rejects, and stores nothing more
//
// A polite host is kept while it rests, unless somebody else needs the lane or the host, so its pages cost no lease.
// A host that does not answer is given back with its taken requests. A host that has not answered for too long is given
// up.
import { aborted } from 'node:util';
import type { Frontier, Leased, Patience } from '../core/ports/frontier.ts';
import { monotonicNow } from '../core/process/monotonic-time.ts';
import { failPoint } from '../core/process/fail-point.ts';
import type { Request } from '../core/request.ts';
import { alternately, holdMs, requestsOfUse, takeMax, turnMs } from '../core/turn.ts';
import type { Concurrency } from './concurrency.ts';
import { withPackedRaw } from './pack-raw-pages.ts';
import { type Gathering, gatherMs as gatherTogetherMs, longRestMs } from './gathering.ts';
import { giveBack, type JobsOfTurn, releaseOf } from './give-back.ts';
import type { JobPace } from './job/job-pace.ts';
import type { HostPace } from './pace/host-pace.ts';
import type { JobWishes, Processed, Waits } from './path/request-path.ts';
import type { Pacer } from './pace/politeness.ts';

/**
 * A commit waits for more outcomes until `gatherMs` after the last commit, or until `gatheredMax` outcomes (or as many
 * as the host's concurrency, if that is less) are unsettled.
 */
const gatherMs = 25;
const gatheredMax = 32;

/** A host is kept for so long after its lease: other processes get their turn then. */
const keptMs = 30_000;
/** A host that rests for longer is given back. */
const keptRestMs = 10_000;
/** A kept host takes its next request so long before the end of its rest, which leaves time to do so with others. */
const takeAheadMs = 1.5 * gatherTogetherMs;

/** Pages of a host in flight while one of them waits for the model. With a slow one, others would wait in vain. */
const askingMax = 4;

/** How often a lane checks for more requests for its host, and whether its turn is over. */
const lookMs = 250;
/** A lane that has drained for this long and still waits for a slow page resumes work. */
const drainMs = 500;

/** What the worker knows about all lanes. */
export interface Pressure {
  /** Hosts are due, and no lane works on them. */
  othersWait: boolean;
  /** Urgent requests wait for a lane. */
  urgentWait: boolean;
  /** All lanes must end with their turn. */
  mustEnd: boolean;
}

export interface LaneParts {
  readonly pressure: Pressure;
  readonly frontier: Frontier;
  readonly concurrency: Concurrency;
  /** Shared by all lanes: hosts that rest settle and take together. */
  readonly gathering: Gathering;
  readonly pacer: Pacer;
  /**
   * Works on one request. Returns undefined if the host must not be contacted now: the request was not tried. Rejects
   * when it was aborted half-way or the store failed: then there is no outcome.
   */
  process(request: Request, waits: Waits): Promise<Processed | undefined>;
  /** Returns what the job of a request wants; undefined if the job is gone. Rejects when the store failed. */
  wishesOf(request: Request): JobWishes | Promise<JobWishes | undefined>;
  /** Returns true if none of the requests will be fetched. @default none is known to be so */
  areTrapped?(requests: readonly Request[]): Promise<boolean>;
  /** Called with the outcomes that were settled. */
  settled(processed: readonly Processed[]): void;
  /** Called at once when the store fails, to abort what is in flight. */
  failed(error: unknown): void;
  /** True if the lane ends after the requests of its lease. @default false */
  readonly takesNoMore?: boolean;
}

export class Lane {
  readonly #parts: LaneParts;
  readonly #lease: Leased['lease'];
  readonly #leased: readonly Request[];
  readonly #leasedAt = monotonicNow();
  readonly #stop: AbortSignal;
  #turnEnd = monotonicNow() + turnMs;
  /** When the lane began to drain because its turn was over. */
  #turnOverAt: number | undefined;
  readonly #ready: Request[] = [];
  readonly #pace: HostPace;
  #inFlight = 0;
  /** Those among them that have given the place of their host back. */
  #aside = 0;
  /** Those whose pages wait for a response of the model. */
  #asking = 0;
  #hasStarted = false;
  /** A started request might not have taken its turn yet, so the lane keeps the delay as well. */
  #startedAt = 0;
  /** Jobs with a pace of their own, and how many requests each has ready or in flight. */
  readonly #atHand = new Map<string, { requests: number; readonly part: () => void }>();
  #jobs: JobsOfTurn = { jobsDelayMs: 0 };
  /** Known to be stored, besides `Crawl-delay`. */
  #storedDelayMs: number;
  #unsettled: Processed[] = [];
  /** Outcomes that are being written. */
  #settling = 0;
  /** Outcomes in a row that needed no fetch. They need no delay, so the lane takes many such requests at a time. */
  #unfetched = 0;
  #taking = false;
  /** The frontier had nothing more at the last look, and nothing was settled since. */
  #exhausted: boolean;
  #draining = false;
  /** Set when the store failed. */
  #failure: { readonly error: unknown } | undefined;
  /** The host was given back with the last settlement. */
  #isReleased = false;
  /** A request could not be tried, because the host must not be contacted now. */
  #wasPaused = false;
  #timer: NodeJS.Timeout | undefined;
  #settledAt = 0;
  #gathering: NodeJS.Timeout | undefined;
  #finished = Promise.withResolvers<void>();

  constructor({ lease, requests, mayHaveMore }: Leased, parts: LaneParts, stop: AbortSignal) {
    this.#lease = lease;
    this.#leased = requests;
    this.#draining = lease.mustRest === true;
    this.#storedDelayMs = Number.isFinite(lease.restedMs) ? (lease.restedMs ?? 0) : 0;
    this.#exhausted = !mayHaveMore;
    this.#parts = parts;
    this.#pace = parts.pacer.of(lease.host);
    this.#stop = stop;
  }

  /**
   * Resolves when the host has been given back. Rejects when the store failed, after everything in flight has ended.
   */
  async run(): Promise<void> {
    this.#stop.addEventListener('abort', this.#pump);
    const { memory, host, mustRest = false } = this.#lease;
    const locating = this.#parts.pacer.locate(host);
    if (locating) await locating;
    if (memory) this.#pace.recall(memory);
    const isAtOnce = mustRest || this.#parts.takesNoMore === true || this.#leased.some(({ isUrgent }) => isUrgent);
    const isOneOfMany = !isAtOnce && this.#pace.site?.isShared === true;
    const mustSit = isAtOnce || (isOneOfMany && (await this.#parts.areTrapped?.(this.#leased)) === true);
    if (!this.#pace.sit({ mustSit })) {
      const notBefore = Math.max(this.#pace.readyAt, this.#pace.lineUp());
      await this.#parts.frontier.release(this.#lease, { notBefore });
      return;
    }
    const looking = setInterval(this.#look, lookMs);
    try {
      failPoint('lane.leased');
      this.#taking = true;
      const more = mustRest ? await this.#parts.frontier.take(this.#lease, takeMax) : [];
      this.#receive([...this.#leased, ...more]).catch((error: unknown) => this.#notTaken(error));
      await this.#finished.promise;
    } finally {
      this.#stop.removeEventListener('abort', this.#pump);
      clearInterval(looking);
      clearTimeout(this.#timer);
      clearTimeout(this.#gathering);
      this.#pace.stand();
      for (const { part } of this.#atHand.values()) part();
    }
    if (this.#failure) throw this.#failure.error;
    if (!this.#isReleased)
      await giveBack(this.#parts.frontier, this.#lease, this.#pace, {
        wasPaused: this.#wasPaused,
        ...this.#jobsOfTurn,
      });
  }

  /** Does everything that can be done now. Called after every change. */
  readonly #pump = (): void => {
    if (this.#failure) {
      if (this.#inFlight === 0 && this.#settling === 0 && !this.#taking) this.#finished.resolve();
      return;
    }
    if (this.#stop.aborted) this.#draining = true;
    this.#endTurn();
    // Nothing can start for a while.
    if (this.#inFlight === 0 && this.#waitMs > this.#takeAheadMs) this.#rest();
    if (!this.#draining) this.#start();
    if (this.#parts.takesNoMore === true && this.#ready.length === 0 && !this.#taking) this.#draining = true;
    const commits = this.#settle();
    if (!this.#draining) this.#take(commits);
    const idle = this.#isQuiet && this.#unstored === 0;
    if (idle && (this.#draining || (this.#exhausted && this.#ready.length === 0))) this.#finished.resolve();
  };

  /**
   * The turn continues while no host waits for a lane. While urgent requests wait for one, it ends after its first
   * request and its urgent ones. A lane that found no room for any request keeps its place in the queue for room: a host
   * given back without a page goes to the end of the queue, and its job can get no page for twenty turns.
   */
  #endTurn(): void {
    const now = monotonicNow();
    const { urgentWait, mustEnd } = this.#parts.pressure;
    const othersWait = this.#parts.pressure.othersWait || this.#pace.othersWait;
    const mustYield = urgentWait && this.#hasStarted && this.#ready[0]?.isUrgent !== true;
    if (this.#draining || (now < this.#turnEnd && !mustYield)) return;
    const hasWorked = this.#hasStarted || this.#ready.length === 0;
    const wasKeptLong = this.#pace.delayMs > holdMs && now >= this.#leasedAt + keptMs;
    if (!mustEnd && !mustYield && ((!othersWait && !wasKeptLong) || !hasWorked)) {
      this.#turnEnd = now + turnMs;
      return;
    }
    this.#draining = true;
    this.#turnOverAt = now;
  }

  /** Other jobs can queue requests for this host at any time, and only this lane can take them. */
  readonly #look = (): void => {
    const isSlow = this.#turnOverAt !== undefined && monotonicNow() - this.#turnOverAt >= drainMs;
    if (isSlow && this.#inFlight > 0 && !this.#wasPaused && !this.#stop.aborted && !this.#parts.pressure.mustEnd) {
      this.#draining = false;
      this.#turnOverAt = undefined;
      this.#turnEnd = monotonicNow() + turnMs;
    }
    if (this.#inFlight > 0) this.#exhausted = false;
    this.#pump();
  };

  /** Outcomes that are not in the store yet. */
  get #unstored(): number {
    return this.#unsettled.length + this.#settling;
  }

  get #isQuiet(): boolean {
    return this.#inFlight === 0 && !this.#taking;
  }

  /** Time until the next request can start. */
  get #waitMs(): number {
    return Math.max(this.#startedAt + this.#pace.delayMs, this.#pace.readyAt) - monotonicNow();
  }

  /** Bounds what a crash fetches again: in flight plus unsettled never exceeds twice the concurrency. */
  #start(): void {
    for (;;) {
      const [request] = this.#ready;
      if (!request) return;
      const most = this.#pace.concurrencyOf(request);
      const places = this.#inFlight - this.#aside;
      if (places >= most || places + this.#unstored >= 2 * most) return;
      if (this.#mustLearnFirst(request)) return;
      const wait = this.#waitMs;
      if (wait > 0) {
        this.#wait(wait);
        return;
      }
      if (!this.#parts.concurrency.tryEnter(request, this.#pump)) return;
      this.#ready.shift();
      this.#inFlight++;
      this.#hasStarted = true;
      this.#startedAt = monotonicNow();
      this.#parts
        .process(request, {
          aside: (wait) => this.#stepAside(request, wait),
          untilAnswered: (wait, jobSignal) => this.#untilAnswered(request, wait, jobSignal),
        })
        .then(
          (settlement) => this.#processed(request, settlement),
          (error: unknown) => this.#abandoned(request, error),
        );
    }
  }

  /** Gives the place of a request to others while it waits for something that is not the host's. */
  async #stepAside(request: Request, wait: Promise<void>): Promise<void> {
    const { concurrency } = this.#parts;
    if (!concurrency.tryStepAside(request)) return wait;
    this.#aside++;
    this.#pump();
    try {
      await wait;
    } finally {
      this.#aside--;
      concurrency.stepBack(request);
    }
  }

  /** The next page of the host would probably wait for a response as well. */
  #mustLearnFirst({ isUrgent = false }: Request): boolean {
    if (isUrgent || this.#asking === 0) return false;
    return this.#inFlight >= askingMax || !this.#parts.concurrency.mayAsk;
  }

  /** A page that waits for the model keeps its room, as far as few do. Nothing of it is stored: a stop gives it back. */
  async #untilAnswered(request: Request, wait: Promise<unknown>, jobSignal: AbortSignal): Promise<void> {
    const { concurrency } = this.#parts;
    const over = AbortSignal.any([this.#stop, jobSignal]);
    const waited = Promise.race([wait, aborted(over, request)]).then(() => {
      if (over.aborted) throw new DOMException('The page must not wait any longer.', 'AbortError');
    });
    const keepsPlace = concurrency.mayAsk;
    this.#asking++;
    try {
      if (!keepsPlace) return await this.#stepAside(request, waited);
      concurrency.asking++;
      // The host can be asked for another page.
      this.#aside++;
      this.#pump();
      await waited.finally(() => {
        concurrency.asking--;
        this.#aside--;
      });
    } finally {
      this.#asking--;
    }
  }

  #wait(ms: number): void {
    if (ms > holdMs) {
      this.#rest();
      return;
    }
    this.#pumpAfter(ms);
  }

  /** Keeps the host until its next request, or leaves that to the next turn. */
  #rest(): void {
    if (this.#mayKeep) this.#pumpAfter(this.#waitMs - this.#takeAheadMs);
    else this.#draining = true;
  }

  get #takeAheadMs(): number {
    return this.#isKept ? takeAheadMs : holdMs;
  }

  /** It would be given back after each page. */
  get #isKept(): boolean {
    return !this.#draining && this.#pace.delayMs > holdMs && this.#mayKeep;
  }

  #pumpAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#pump, Math.ceil(ms));
  }

  /** Nobody else needs the lane or the host while it rests. */
  get #mayKeep(): boolean {
    const { pressure, frontier, takesNoMore = false } = this.#parts;
    if (takesNoMore || this.#stop.aborted || !frontier.mayKeepHosts()) return false;
    if (pressure.othersWait || pressure.urgentWait || pressure.mustEnd || this.#pace.othersWait) return false;
    if (this.#wasPaused || this.#ready.length > 1 || this.#pace.pausedUntil > monotonicNow()) return false;
    if (this.#pace.isInTrouble || this.#pace.endedJobs.length > 0) return false;
    const waitMs = Math.max(0, this.#waitMs);
    return waitMs <= keptRestMs && monotonicNow() + waitMs < this.#leasedAt + keptMs;
  }

  #processed(request: Request, settlement: Processed | undefined): void {
    this.#inFlight--;
    if (!settlement) {
      this.#wasPaused = true;
      this.#draining = true;
    } else {
      this.#unsettled.push(settlement);
      this.#unfetched = settlement.fetched ? 0 : this.#unfetched + 1;
      // No host was contacted, so no delay is needed.
      if (!settlement.fetched) this.#startedAt = 0;
    }
    if (settlement?.isOutOfTime === true) this.#pace.patience.timedOut(request.jobId);
    if (settlement?.outcome.kind === 'failed' && this.#pace.endedJobs.length > 0) this.#draining = true;
    this.#leave(request);
  }

  /**
   * The request is not settled: it is handed back with the host. If `stop` has not fired, the cause is a store that
   * could not be read.
   */
  #abandoned(request: Request, error: unknown): void {
    this.#inFlight--;
    if (this.#stop.aborted) this.#draining = true;
    else this.#fail(error);
    this.#leave(request);
  }

  /** Called after the outcome was noted, because the free room starts another request, in this lane or another. */
  #leave(request: Request): void {
    const job = this.#atHand.get(request.jobId);
    if (job && --job.requests === 0) {
      this.#atHand.delete(request.jobId);
      job.part();
    }
    this.#parts.concurrency.leave(request);
    this.#pump();
  }

  /** Urgent requests come first, then jobs alternate, since the turn can end before all taken requests have begun. */
  #queue(requests: readonly Request[]): void {
    const inTurn = alternately([...Map.groupBy(requests, ({ jobId }) => jobId).values()]);
    this.#ready.unshift(...inTurn.filter(({ isUrgent }) => isUrgent));
    this.#ready.push(...inTurn.filter(({ isUrgent }) => !isUrgent));
  }

  /** A commit takes more along, since both are one transaction where the store writes them together. */
  #take(withCommit: boolean): void {
    if (this.#parts.takesNoMore === true) return;
    const most = this.#requestsOfUse;
    const enough = withCommit ? most : most / 2;
    if (this.#taking || this.#exhausted || this.#waitMs > this.#takeAheadMs || this.#ready.length >= enough) return;
    this.#taking = true;
    this.#takeNow(most - this.#ready.length).catch((error: unknown) => this.#notTaken(error));
  }

  /** Kept hosts take together. */
  async #takeNow(most: number): Promise<void> {
    const isPatient = this.#isKept;
    if (isPatient) await this.#parts.gathering.join(1);
    const isOver = this.#draining || this.#stop.aborted || this.#failure !== undefined;
    const requests = isOver ? [] : await this.#parts.frontier.take(this.#lease, most, { isPatient });
    this.#exhausted = requests.length === 0;
    failPoint('lane.taken');
    await this.#receive(requests);
  }

  #notTaken(error: unknown): void {
    this.#taking = false;
    this.#fail(error);
  }

  /** Queues the requests once the pace that their jobs want applies, and its delay is stored. */
  async #receive(requests: readonly Request[]): Promise<void> {
    for (const request of requests) {
      const wish = this.#parts.wishesOf(request);
      const wishes = wish instanceof Promise ? await wish : wish;
      if (!wishes) continue;
      this.#pace.expect(request.jobId, wishes.patience);
      if (wishes.pace) this.#join(request.jobId, wishes.pace);
    }
    const { jobsDelayMs } = this.#jobs;
    if (jobsDelayMs > this.#storedDelayMs) {
      await this.#parts.frontier.noteDelay(this.#lease.host, Math.max(jobsDelayMs, this.#pace.notedDelayMs));
      this.#storedDelayMs = jobsDelayMs;
    }
    this.#taking = false;
    this.#queue(requests);
    this.#pump();
  }

  #join(jobId: string, job: JobPace): void {
    const known = this.#atHand.get(jobId);
    if (known) known.requests++;
    else this.#atHand.set(jobId, { requests: 1, part: this.#pace.join(job) });
    this.#jobs = { jobsDelayMs: Math.max(this.#jobs.jobsDelayMs, job.delayMs) };
    const isLastUnknown = this.#parts.frontier.isShared || !this.#pace.hasSent;
    if (isLastUnknown && job.delayMs > (this.#lease.restedMs ?? 0)) this.#pace.assumeRequestAt(this.#leasedAt);
  }

  get #jobsOfTurn(): JobsOfTurn {
    return { ...this.#jobs, hasMore: !this.#exhausted || this.#ready.length > 0 };
  }

  get #requestsOfUse(): number {
    const { delayMs, isKnown } = this.#pace;
    const left = this.#turnEnd - monotonicNow() - Math.max(0, this.#waitMs);
    return Math.max(requestsOfUse({ delayMs, isKnown }, left), Math.min(takeMax, 2 * this.#unfetched));
  }

  /** The next batch is what arrives while the last one is written, and shortly after. Returns true if a commit begins. */
  #settle(): boolean {
    if (this.#settling > 0 || this.#unsettled.length === 0) return false;
    if (this.#mayGather()) return false;
    const batch = this.#unsettled;
    this.#unsettled = [];
    this.#settling = batch.length;
    // If the host did not serve, {@link giveBack} checks first whether it must be given up.
    const isLast = this.#draining && this.#isQuiet && !this.#wasPaused && this.#pace.endedJobs.length === 0;
    const joins = (isLast || this.#isKept) && this.#mayJoin(batch);
    const committed = joins ? this.#joined(batch, isLast) : this.#commit(batch, isLast);
    committed.then(
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
    return !joins;
  }

  /** Waits for lanes of other hosts that rest, so that all their outcomes are one commit. */
  async #joined(batch: readonly Processed[], isLast: boolean): Promise<void> {
    await this.#parts.gathering.join(batch.length);
    await this.#commit(batch, isLast, { isPatient: true });
  }

  #commit(batch: readonly Processed[], isLast: boolean, patience?: Patience): Promise<void> {
    const { frontier } = this.#parts;
    const release = isLast ? releaseOf(frontier, this.#pace, this.#lease, this.#jobsOfTurn) : undefined;
    const packed = withPackedRaw(batch);
    if (!(packed instanceof Promise)) return frontier.settle(this.#lease, packed, release, patience);
    return packed.then((settlements) => frontier.settle(this.#lease, settlements, release, patience));
  }

  /**
   * True if nobody may contact the host for a while, and nobody waits for the outcomes: not for the first or the last page
   * of a job, nor for a scrape.
   */
  #mayJoin(batch: readonly Processed[]): boolean {
    const { pressure } = this.#parts;
    if (this.#stop.aborted || pressure.mustEnd || pressure.urgentWait || pressure.othersWait) return false;
    if (batch.some(({ request }) => request.isUrgent === true || request.isOnlyOne === true)) return false;
    const readyAt = Math.max(this.#pace.readyAt, this.#pace.readyAfter(this.#jobs.jobsDelayMs));
    // A kept host can be asked for its next page before the last one is stored.
    return this.#isKept || readyAt - monotonicNow() >= longRestMs;
  }

  /** Delays a commit while more outcomes are due and nothing waits for those at hand. */
  #mayGather(): boolean {
    const most = Math.min(gatheredMax, this.#pace.concurrencyOf());
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
