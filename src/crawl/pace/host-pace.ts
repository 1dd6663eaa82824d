// How soon, and with how many requests at a time, one host is contacted: its limits, what it bears, whether it answers,
// and whose turn it is.
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { HostLease } from '../../core/ports/frontier.ts';
import type { CrawlError } from '../../core/request.ts';
import type { JobPace } from '../job/job-pace.ts';
import type { RobotsNote } from './robots-gate.ts';
import { adapt, type Allowance, firstAllowance, type Observation, requestsNow } from './adaptive-concurrency.ts';
import { type HostMemory, isNoted, readHostMemory, writeHostMemory } from './host-memory.ts';
import {
  type Circuit,
  type CircuitPolicy,
  closedCircuit,
  giveUpMsOf,
  isAbsent,
  isHalfOpen,
  isHopeless,
  isProbing,
} from './circuit-breaker.ts';
import { HostPatience, type JobPatience } from './host-patience.ts';
import { isBlocking, nothingServed, type Served } from './refusals.ts';
import type { SitePace } from './site-pace.ts';

export interface PolitenessLimits {
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** Minimum time between the starts of two requests. */
  readonly delayMs: number;
}

/** A longer pause of a host is not waited for: its requests are handed back. */
const pauseWaitedMs = 1_000;

/** The host must not be contacted now. The request was not tried. */
export class HostPausedError extends Error {
  override readonly name = 'HostPausedError';
  readonly host: string;
  /** When the pause ends. */
  readonly until: number;

  constructor(host: string, until: number) {
    super(`${host} must not be contacted now`);
    this.host = host;
    this.until = until;
  }
}

/** The host does not answer, or its robots.txt does not. */
interface Trouble {
  readonly error: CrawlError;
  /** No other host answers either: the cause is on our side. */
  readonly isNetworkDown: boolean;
  /** It has served pages, and refuses now. */
  readonly isBlocking: boolean;
}

/** A job whose URLs have no turn left on the host. */
interface EndedJob {
  readonly jobId: string;
  readonly timeoutMs: number;
  /** The host has not served for too long. False: the time of the URLs is up. */
  readonly isHopeless: boolean;
}

/** The pace of one host. One request at a time until its robots.txt is known. */
export class HostPace {
  limits: PolitenessLimits;
  /**
   * The `Crawl-delay` that is stored. It is stored before the first page is fetched, and so before it is in the limits.
   */
  notedDelayMs = 0;
  /** Set once robots.txt was read, or does not matter. */
  isKnown = false;
  /** What robots.txt said, for other processes. */
  robots: RobotsNote | undefined;
  /** Whether the host answers. */
  circuit: Circuit = closedCircuit;
  /** What it has served and refused. */
  served: Served = nothingServed;
  /** Jobs whose URLs end after a time. */
  readonly patience = new HostPatience();
  /** When to look again whether the host is one of several names of a server. */
  siteKnownUntil = 0;
  /** Set while this is found out. */
  locating: Promise<void> | undefined;
  #site: SitePace<HostPace> | undefined;
  /** Lanes of the host that have a seat of the site. */
  #seats = 0;
  readonly #host: string;
  readonly #circuitPolicy: CircuitPolicy;
  readonly #isNetworkDown: () => boolean;
  readonly #limitMax: number;
  #allowance: Allowance = firstAllowance;
  #open = 0;
  /** 0 if this process sent none. */
  #lastStartAt = 0;
  /** Jobs with requests at hand, by how often they joined. */
  readonly #jobs = new Map<JobPace, number>();
  #jobsDelayMs = 0;
  #jobsConcurrency = Number.POSITIVE_INFINITY;
  /** Requests started but not sent yet. With a delay, the next request waits for them too. */
  #unsent = 0;
  #pausedUntil = 0;
  #copiesUntil = 0;
  readonly #waiting = new Set<() => void>();

  constructor(host: string, settings: PolitenessLimits, circuitPolicy: CircuitPolicy, isNetworkDown = () => false) {
    this.#host = host;
    this.#circuitPolicy = circuitPolicy;
    this.#isNetworkDown = isNetworkDown;
    this.limits = { ...settings, concurrency: 1 };
    this.#limitMax = settings.concurrency;
  }

  /** Requests in flight at most: what the host bears, within the limit. */
  get concurrency(): number {
    return this.#concurrencyFor({});
  }

  /**
   * An urgent request can exceed what the host was found to bear by one, within the limit, so it does not wait for a
   * slow page.
   */
  #concurrencyFor({ isUrgent = false }: { readonly isUrgent?: boolean | undefined }): number {
    if (isHalfOpen(this.circuit, monotonicNow()) || isProbing(this.circuit)) return 1;
    const more = isUrgent && this.#allowance.delayMs === 0 ? 1 : 0;
    const limit = Math.min(this.limits.concurrency, this.#jobsConcurrency);
    return Math.min(limit, requestsNow(this.#allowance) + more);
  }

  /** How many of these the lease of the host can use. Those of all names of a server together use no more. */
  concurrencyOf(request: { readonly isUrgent?: boolean | undefined } = {}): number {
    const most = this.#concurrencyFor(request);
    const site = this.#sharedSite;
    const mostOfSite = site ? Math.floor(site.pace.#concurrencyFor(request) / Math.max(1, site.seats)) : most;
    return Math.max(1, Math.min(most, mostOfSite));
  }

  /** The host is one of the names of this server. Returns false, and changes nothing, if the host is in use. */
  belongTo(site: SitePace<HostPace>): boolean {
    if (site === this.#site) return true;
    if (this.#open > 0 || this.#seats > 0 || this.#jobs.size > 0) return false;
    this.#site = site;
    site.meet(this.#host);
    return true;
  }

  get site(): SitePace<HostPace> | undefined {
    return this.#site;
  }

  get #sharedSite(): SitePace<HostPace> | undefined {
    return this.#site?.isShared === true ? this.#site : undefined;
  }

  /**
   * Takes a seat for a lane. Returns false if enough lanes work on names of this server. Otherwise call `stand` at the
   * end of the lane.
   */
  sit({ mustSit }: { readonly mustSit: boolean }): boolean {
    if (this.#site?.sit(this.limits.delayMs, mustSit) === false) return false;
    this.#seats++;
    return true;
  }

  stand(): void {
    this.#seats--;
    this.#site?.leave();
  }

  /** When the host may be leased again if it has more to do; 0 if no other name of its server waits. */
  lineUp(): number {
    const site = this.#sharedSite;
    return site ? site.lineUp(this.limits.delayMs) : 0;
  }

  /** Other names of the server wait until a lane ends. */
  get othersWait(): boolean {
    return this.#sharedSite?.othersWait === true;
  }

  /** What another process needs to continue as this one would. */
  memory(): string {
    return writeHostMemory(this.#known, monotonicNow());
  }

  /** The same, or undefined if what was noted before says it. */
  newMemory(noted: HostLease['memory']): string | undefined {
    const isKnown = this.#ownDelayMs > 0 && noted && isNoted(this.#known, noted, monotonicNow());
    return isKnown ? undefined : this.memory();
  }

  get #known(): HostMemory {
    return { circuit: this.circuit, served: this.served, allowance: this.#allowance, robots: this.robots };
  }

  /**
   * Adopts what another process noted, unless this process has a lease or a request of the host now. Its own knowledge
   * is no newer than its last lease.
   */
  recall({ text, ageMs }: NonNullable<HostLease['memory']>): void {
    if (this.#open > 0 || this.#seats > 0) return;
    const noted = readHostMemory(text, ageMs, monotonicNow());
    if (!noted) return;
    this.circuit = { ...noted.circuit, answeredAt: Math.max(this.circuit.answeredAt, noted.circuit.answeredAt) };
    this.served = noted.served;
    this.#allowance = noted.allowance;
    if (noted.robots) this.robots = noted.robots;
  }

  /** Learns from a response, or from a missing one. */
  observe(seen: Observation, inFlightOfSite = this.#site?.pace.inFlight ?? 0): void {
    this.#site?.pace.observe({ ...seen, inFlight: inFlightOfSite });
    this.#allowance = adapt(this.#allowance, seen, this.#limitMax);
  }

  /** Requests that have started and not ended. */
  get inFlight(): number {
    return this.#open;
  }

  /** The earliest start of the next request. */
  get readyAt(): number {
    return Math.max(this.#ownReadyAt, this.#sharedSite?.readyAt(this.limits.delayMs) ?? 0);
  }

  /** Whatever other names of the server do. */
  get #ownReadyAt(): number {
    return Math.max(this.readyAfter(this.delayMs), this.#pauseEnd);
  }

  /** When this delay since the last request of this process is over. */
  readyAfter(delayMs: number): number {
    return this.#lastStartAt + delayMs;
  }

  /** Time between the starts of two requests. */
  get delayMs(): number {
    return Math.max(this.#ownDelayMs, this.#jobsDelayMs);
  }

  /** Without the jobs' delays. */
  get #ownDelayMs(): number {
    return Math.max(this.limits.delayMs, this.#allowance.delayMs);
  }

  /** The longest delay that the jobs at hand want. */
  get jobsDelayMs(): number {
    return this.#jobsDelayMs;
  }

  /**
   * A job has requests at hand: the host gets no more than the strictest of these jobs wants, until the returned
   * function is called.
   */
  join(job: JobPace | undefined): () => void {
    if (!job) return () => {};
    const part = this.#site?.pace.join(job);
    this.#count(job, 1);
    return () => {
      this.#count(job, -1);
      part?.();
    };
  }

  #count(job: JobPace, more: 1 | -1): void {
    const count = (this.#jobs.get(job) ?? 0) + more;
    if (count > 0) this.#jobs.set(job, count);
    else this.#jobs.delete(job);
    const jobs = [...this.#jobs.keys()];
    this.#jobsDelayMs = Math.max(0, ...jobs.map(({ delayMs }) => delayMs));
    this.#jobsConcurrency = Math.min(...jobs.map(({ concurrency }) => concurrency));
    if (more < 0) this.#wake();
  }

  /** Another process can have sent a request until then. */
  assumeRequestAt(time: number): void {
    this.#lastStartAt = Math.max(this.#lastStartAt, time);
  }

  /** This process has sent the host a request, as far as it remembers. */
  get hasSent(): boolean {
    return this.#lastStartAt > 0;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  get #pauseEnd(): number {
    return Math.max(this.#pausedUntil, this.circuit.openUntil);
  }

  /** The end of the pause that the host is in, or was in last. */
  get pausedUntil(): number {
    return this.#pauseEnd;
  }

  /** The error for callers that need the host during a pause. */
  paused(): HostPausedError {
    return new HostPausedError(this.#host, this.#pauseEnd);
  }

  /** Jobs whose URLs have no turn left here in their time. */
  get endedJobs(): readonly EndedJob[] {
    const slowUntil = this.isInTrouble ? this.readyAfter(this.#allowance.delayMs) : 0;
    const nextTurn = Math.max(monotonicNow(), this.pausedUntil, slowUntil);
    const isNetworkDown = this.#isNetworkDown();
    return [...this.patience.jobs].flatMap((job): EndedJob[] => {
      const { jobId, urlTimeoutMs = 0 } = job;
      const isOver = !isNetworkDown && isHopeless(this.circuit, this.#circuitPolicy, job);
      if (!isOver && !this.patience.isUp(job, nextTurn)) return [];
      const timeoutMs = isOver ? giveUpMsOf(this.circuit, this.#circuitPolicy, job) : urlTimeoutMs;
      return [{ jobId, timeoutMs, isHopeless: isOver }];
    });
  }

  /** The host has failed since it last served a page. */
  get isInTrouble(): boolean {
    return this.circuit.failures > 0 || this.circuit.openUntil > 0;
  }

  /** Set while the host does not answer, or its robots.txt does not. */
  get trouble(): Trouble | undefined {
    const { openUntil, error } = this.circuit;
    if (openUntil === 0 || !error) return undefined;
    return { error, isNetworkDown: this.#isNetworkDown(), isBlocking: isBlocking(this.served, error.statusCode) };
  }

  /** A job has a request for the host. */
  expect(jobId: string, patience: JobPatience): void {
    this.patience.waits(jobId, patience, { now: monotonicNow(), isInTrouble: this.isInTrouble });
  }

  /** No job waits any more. The next one asks a host at once where nobody is. */
  wasGivenUp(): void {
    const { answeredAt } = this.circuit;
    if (isAbsent(this.circuit)) this.circuit = { ...closedCircuit, answeredAt };
  }

  /** The host requested a pause until then. */
  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** The host shows one page for every URL. */
  pauseForCopies(until: number): void {
    this.#copiesUntil = until;
    this.pause(until);
  }

  get isPausedForCopies(): boolean {
    return this.#copiesUntil > monotonicNow() && this.#copiesUntil >= this.#pauseEnd;
  }

  isIdle(now: number): boolean {
    return this.#open === 0 && this.#waiting.size === 0 && this.#seats === 0 && this.readyAt <= now;
  }

  /** Counts the request as started if {@link enter} would resolve at once. Returns false, and does nothing, if not. */
  tryEnter(signal: AbortSignal, request: { readonly isUrgent?: boolean | undefined }): boolean {
    const now = monotonicNow();
    if (signal.aborted || this.#pauseEnd - now > pauseWaitedMs || !this.#hasRoomOnSite(request) || this.readyAt > now)
      return false;
    this.#start();
    return true;
  }

  #hasRoomOnSite(request: { readonly isUrgent?: boolean | undefined }): boolean {
    return this.hasRoomFor(request) && this.#sharedSite?.pace.hasRoomFor(request) !== false;
  }

  /**
   * Resolves when the request can start, and counts it as started. Rejects when the signal fires first. Rejects with a
   * {@link HostPausedError} instead of waiting for the end of a pause of more than a second, or for longer than
   * `withinMs`.
   */
  async enter(
    signal: AbortSignal,
    withinMs = Number.POSITIVE_INFINITY,
    request: { readonly isUrgent?: boolean | undefined } = {},
  ): Promise<void> {
    for (const latest = monotonicNow() + withinMs; ;) {
      signal.throwIfAborted();
      if (this.#pauseEnd - monotonicNow() > pauseWaitedMs) throw this.paused();
      const waitMs = this.readyAt - monotonicNow();
      const hasRoom = this.#hasRoomOnSite(request);
      if (hasRoom && waitMs <= 0) break;
      const leftMs = latest - monotonicNow();
      if (leftMs <= 0) throw new HostPausedError(this.#host, Math.max(this.readyAt, monotonicNow()));
      const longest = Math.min(leftMs, hasRoom ? waitMs : Number.POSITIVE_INFINITY);
      await this.#change(Number.isFinite(longest) ? longest : undefined, signal);
    }
    this.#start();
  }

  /** Returns true if no request has to end or to be sent before this one starts. */
  hasRoomFor(request: { readonly isUrgent?: boolean | undefined }): boolean {
    return this.#open < this.#concurrencyFor(request) && (this.#unsent === 0 || this.delayMs === 0);
  }

  #start(): void {
    this.#open++;
    this.#unsent++;
    this.#lastStartAt = monotonicNow();
    const site = this.#site;
    site?.sent(this.limits.delayMs);
    if (site) site.pace.#start();
  }

  /**
   * The request is sent, for the first time or again: the delay to the next one counts from here, not from the start.
   */
  sent({ isAgain }: { readonly isAgain: boolean }): void {
    this.#lastStartAt = monotonicNow();
    this.#site?.sent(this.limits.delayMs);
    this.#site?.pace.sent({ isAgain });
    if (isAgain) return;
    this.#unsent--;
    this.#wake();
  }

  /** The response is there, or will not come: the next request can start. */
  leave({ wasSent = false } = {}): void {
    this.#open--;
    if (!wasSent) this.#unsent--;
    this.#site?.pace.leave({ wasSent });
    this.#wake();
  }

  /** Resolves when another request is sent or has ended, after `ms`, or when the signal fires. */
  #change(ms: number | undefined, signal: AbortSignal): Promise<void> {
    const ofSite = this.#site && this.#site.pace.#waiting;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        ofSite?.delete(done);
        resolve();
      };
      // A delay above the limit of timers would fire at once.
      const timer = ms === undefined ? undefined : setTimeout(done, Math.min(Math.ceil(ms), timerMsMax));
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
      ofSite?.add(done);
    });
  }
}

const timerMsMax = 2 ** 31 - 1;
