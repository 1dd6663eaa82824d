// How soon, and how many at a time, one host is asked: its limits, what it bears, whether it answers, and whose turn it is.
import { monotonicNow } from '../core/monotonic-time.ts';
import type { HostLease } from '../core/frontier.ts';
import type { CrawlError } from '../core/request.ts';
import type { RobotsNote } from './robots-gate.ts';
import { adapt, type Allowance, firstAllowance, type Observation, requestsNow } from './adaptive-concurrency.ts';
import { readHostMemory, writeHostMemory } from './host-memory.ts';
import { type Circuit, type CircuitPolicy, closedCircuit, isHalfOpen, isHopeless } from './circuit-breaker.ts';

export interface PolitenessLimits {
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** Time between the starts of two requests at least. */
  readonly delayMs: number;
}

/** A pause of a host that is longer is not waited for: what was to be fetched is handed back. */
const pauseWaitedMs = 1_000;

/** The host is not to be asked now. What was to be fetched has not been tried. */
export class HostPausedError extends Error {
  override readonly name = 'HostPausedError';
  readonly host: string;
  /** Until when. */
  readonly until: number;

  constructor(host: string, until: number) {
    super(`${host} is not to be asked now`);
    this.host = host;
    this.until = until;
  }
}

/** A host does not answer, or its robots.txt does not. */
interface Trouble {
  readonly error: CrawlError;
  /** Nor does anybody else: it is us. */
  readonly isNetworkDown: boolean;
  /** It has not for too long. */
  readonly isHopeless: boolean;
  readonly giveUpMs: number;
}

/** One request at a time until it is known what the host's robots.txt says. */
export class HostPace {
  limits: PolitenessLimits;
  /** The `Crawl-delay` as the store knows it: before the first page is fetched, and so before it is in the limits. */
  notedDelayMs = 0;
  /** Set once robots.txt was read, or does not matter. */
  isKnown = false;
  /** What robots.txt said, where another process may have to know. */
  robots: RobotsNote | undefined;
  /** Whether the host answers. */
  circuit: Circuit = closedCircuit;
  readonly #host: string;
  readonly #circuitPolicy: CircuitPolicy;
  readonly #isNetworkDown: () => boolean;
  readonly #limitMax: number;
  #allowance: Allowance = firstAllowance;
  #open = 0;
  /** Of the leases that this process has. */
  #share = 0;
  #lastStartAt = 0;
  /** Requests that have started and are not sent: where there is a delay, the next one waits for that, too. */
  #unsent = 0;
  #pausedUntil = 0;
  readonly #waiting = new Set<() => void>();

  constructor(host: string, settings: PolitenessLimits, circuitPolicy: CircuitPolicy, isNetworkDown = () => false) {
    this.#host = host;
    this.#circuitPolicy = circuitPolicy;
    this.#isNetworkDown = isNetworkDown;
    this.limits = { ...settings, concurrency: 1 };
    this.#limitMax = settings.concurrency;
  }

  /** Requests in flight at most: what the host bears, within this process's share of the limit. */
  get concurrency(): number {
    return this.#concurrencyFor({});
  }

  /** What is urgent may be one more than the host was found to bear, within the limit: a slow page is not waited for. */
  #concurrencyFor({ isUrgent = false }: { readonly isUrgent?: boolean | undefined }): number {
    if (isHalfOpen(this.circuit, monotonicNow())) return 1;
    const more = isUrgent && this.#allowance.delayMs === 0 ? 1 : 0;
    return Math.min(this.#shareOf(this.limits.concurrency), requestsNow(this.#allowance) + more);
  }

  /** How many of these one lease may have: all leases of this process together have no more. */
  concurrencyOf(share: number, request: { readonly isUrgent?: boolean | undefined } = {}): number {
    return Math.max(1, Math.floor((this.#concurrencyFor(request) * share) / Math.max(share, this.#share) + 1e-9));
  }

  /** A lease of the host begins, or with a negative share ends: see {@link HostLease.share}. */
  addShare(share: number): void {
    this.#share += share;
  }

  #shareOf(limit: number): number {
    // Without a lease everything: a robots.txt that redirects here is all that is asked for.
    const share = this.#share > 1e-9 ? Math.min(1, this.#share) : 1;
    // Of a third, three times is not quite one.
    return Math.max(1, Math.floor(limit * share + 1e-9));
  }

  /** What another process has to know to continue as this one would. */
  memory(): string {
    return writeHostMemory({ circuit: this.circuit, allowance: this.#allowance, robots: this.robots }, monotonicNow());
  }

  /** Takes over what another process noted. What this one knows itself is as old as its own last lease, or older. */
  recall({ text, ageMs }: NonNullable<HostLease['memory']>): void {
    if (this.#open > 0 || this.#share > 0) return;
    const noted = readHostMemory(text, ageMs, monotonicNow());
    if (!noted) return;
    this.circuit = noted.circuit;
    this.#allowance = noted.allowance;
    if (noted.robots) this.robots = noted.robots;
  }

  /** Learns from an answer, or from one that did not come. */
  observe(seen: Observation): void {
    this.#allowance = adapt(this.#allowance, seen, this.#shareOf(this.#limitMax));
  }

  /** Requests that have started and not ended. */
  get inFlight(): number {
    return this.#open;
  }

  /** No request may start before. */
  get readyAt(): number {
    return Math.max(this.#lastStartAt + this.delayMs, this.#pauseEnd);
  }

  /** Between the starts of two requests. */
  get delayMs(): number {
    return Math.max(this.limits.delayMs, this.#allowance.delayMs);
  }

  get #pauseEnd(): number {
    return Math.max(this.#pausedUntil, this.circuit.openUntil);
  }

  /** What is told to whoever wants something of the host that cannot be asked for now. */
  paused(): HostPausedError {
    return new HostPausedError(this.#host, this.#pauseEnd);
  }

  /** Set while the host does not answer, or its robots.txt does not. */
  get trouble(): Trouble | undefined {
    const { openUntil, error } = this.circuit;
    if (openUntil === 0 || !error) return undefined;
    const { giveUpMs } = this.#circuitPolicy;
    const isNetworkDown = this.#isNetworkDown();
    return {
      error,
      isNetworkDown,
      isHopeless: !isNetworkDown && isHopeless(this.circuit, this.#circuitPolicy),
      giveUpMs,
    };
  }

  /** The host asked to be left alone until then. */
  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  isIdle(now: number): boolean {
    return this.#open === 0 && this.#waiting.size === 0 && this.readyAt <= now;
  }

  /**
   * Resolves when a request may start, which then has. Rejects when the signal fires before, and with a
   * {@link HostPausedError} rather than waiting for the end of a pause, or for longer than `withinMs`.
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
      const hasRoom = this.#open < this.#concurrencyFor(request) && (this.#unsent === 0 || this.delayMs === 0);
      if (hasRoom && waitMs <= 0) break;
      const leftMs = latest - monotonicNow();
      if (leftMs <= 0) throw new HostPausedError(this.#host, Math.max(this.readyAt, monotonicNow()));
      const longest = Math.min(leftMs, hasRoom ? waitMs : Number.POSITIVE_INFINITY);
      await this.#change(Number.isFinite(longest) ? longest : undefined, signal);
    }
    this.#open++;
    this.#unsent++;
    this.#lastStartAt = monotonicNow();
  }

  /** The request is sent, for the first time or once more: what it took from its start to here counts for the next one. */
  sent({ isAgain }: { readonly isAgain: boolean }): void {
    this.#lastStartAt = monotonicNow();
    if (isAgain) return;
    this.#unsent--;
    for (const wake of this.#waiting) wake();
  }

  /** The answer is there, or there will be none: the next may start. */
  leave({ wasSent = false } = {}): void {
    this.#open--;
    if (!wasSent) this.#unsent--;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when a request ended, after `ms`, or when the signal fires. */
  #change(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      // Longer than a timer can be would fire at once.
      const timer = ms === undefined ? undefined : setTimeout(done, Math.min(Math.ceil(ms), timerMsMax));
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
    });
  }
}

const timerMsMax = 2 ** 31 - 1;
