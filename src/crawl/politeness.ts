// How hosts are treated, over all jobs and all kinds of requests: pages, redirects, robots.txt and sitemaps take their turn
// here, and nowhere else is anything fetched.
import type { Fetcher, FetchResult } from '../core/fetcher.ts';
import { monotonicNow } from '../core/monotonic-time.ts';
import type { Log } from '../core/log.ts';
import type { CrawlError } from '../core/request.ts';
import { hostKey } from '../core/host-key.ts';
import { adapt, type Allowance, firstAllowance, type Observation } from './adaptive-concurrency.ts';
import {
  afterOutage,
  type Circuit,
  type CircuitPolicy,
  closedCircuit,
  isDown,
  isHalfOpen,
  isHopeless,
} from './circuit-breaker.ts';
import { afterResult, beganAt, noOutage, type Outage, outagePauseMs } from './outage.ts';
import { isPassing } from './retry-policy.ts';

export interface PolitenessLimits {
  /** Requests in flight at most. */
  readonly concurrency: number;
  /** Time between the starts of two requests at least. */
  readonly delayMs: number;
}

/** A site that asks for a longer `Crawl-delay` does not want to be crawled: it is left alone. */
export const crawlDelaySecondsMax = 300;

/**
 * What holds for a host: the operator's settings, and the site's `Crawl-delay`, which raises the delay and, since it is
 * meant for one visitor, allows one request at a time.
 */
export function limitsFor(settings: PolitenessLimits, crawlDelaySeconds: number | undefined): PolitenessLimits {
  if (crawlDelaySeconds === undefined || crawlDelaySeconds <= 0) return settings;
  return { concurrency: 1, delayMs: Math.max(settings.delayMs, crawlDelaySeconds * 1000) };
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

/**
 * A fetcher that waits for the host's turn first. Rejects when `stop` fires before the turn has come, and with a
 * {@link HostPausedError} where the host has asked for a longer pause.
 */
export function createPoliteFetcher(fetcher: Fetcher, pacer: Pacer, stop: AbortSignal): Fetcher {
  return {
    async fetch(url, options) {
      const parsed = URL.parse(url);
      if (!parsed) return fetcher.fetch(url, options);
      const pace = pacer.of(hostKey(parsed));
      await pace.enter(stop);
      const startedAt = performance.now();
      try {
        const result = await fetcher.fetch(url, options);
        pacer.note(result);
        // What was not sent has burdened nobody.
        if (!pacer.isOurs(result)) {
          pace.observe({
            latencyMs: performance.now() - startedAt,
            isStrained: isStrained(result),
            isDown: isDown(result),
          });
        }
        return result;
      } finally {
        pace.leave();
      }
    },
  };
}

function isStrained(result: FetchResult): boolean {
  return result.kind === 'failure' ? result.retryable : result.kind === 'body' && isPassing(result.statusCode);
}

/** Hosts at a time whose pace is remembered. More are forgotten once they may be asked at once anyway. */
const hostsMax = 10_000;

/** The pace of each host that this process asks. Pace of an earlier process is the frontier's business. */
export class Pacer {
  readonly #circuitPolicy: CircuitPolicy;
  readonly #settings: PolitenessLimits;
  readonly #hosts = new Map<string, HostPace>();
  readonly #log: Pick<Log, 'warn'> | undefined;
  #outage: Outage = noOutage;

  constructor(settings: PolitenessLimits, circuitPolicy: CircuitPolicy, log?: Pick<Log, 'warn'>) {
    this.#settings = settings;
    this.#circuitPolicy = circuitPolicy;
    this.#log = log;
  }

  /** Nobody can be reached, for want of a network or a name server: no host is given up. */
  readonly isNetworkDown = (): boolean => this.#outageBegan !== undefined;

  get #outageBegan(): number | undefined {
    return beganAt(this.#outage, this.#circuitPolicy.giveUpMs);
  }

  /** To be told of everything that was fetched. */
  note(result: FetchResult): void {
    const began = this.#outageBegan;
    const { since } = this.#outage;
    const now = monotonicNow();
    this.#outage = afterResult(this.#outage, result, now);
    if (this.isNetworkDown() === (began !== undefined)) return;
    if (began === undefined) {
      this.#log?.warn('no host can be reached, for want of a network or a name server: the crawl waits');
    } else if (this.#outage.since !== since) {
      this.#log?.warn('hosts can be reached again: the crawl goes on', { minutes: Math.round((now - began) / 60_000) });
      for (const pace of this.#hosts.values()) pace.circuit = afterOutage(pace.circuit, began, now);
    } else {
      this.#log?.warn('no host could be reached for a day: hosts are given up again');
    }
  }

  /** Whether a fetch failed, or has to be taken to have, on our side. To be asked after it was noted. */
  isOurs(result: FetchResult): boolean {
    if (result.kind !== 'failure' || !result.retryable) return false;
    return result.isLocal ?? this.isNetworkDown();
  }

  /** For a host that failed. Where it may be us, with short pauses: somebody has to notice that it is over. */
  get circuitPolicy(): CircuitPolicy {
    if (this.#outage.since === undefined) return this.#circuitPolicy;
    return { ...this.#circuitPolicy, pauseMsMax: outagePauseMs(this.#hosts.size) };
  }

  of(host: string): HostPace {
    const known = this.#hosts.get(host);
    if (known) return known;
    if (this.#hosts.size >= hostsMax) this.#forgetIdle();
    const pace = new HostPace(host, this.#settings, this.#circuitPolicy, this.isNetworkDown);
    this.#hosts.set(host, pace);
    return pace;
  }

  /** Notes the `Crawl-delay` of a host, or that it has none. */
  learn(host: string, crawlDelaySeconds: number | undefined): void {
    this.of(host).limits = limitsFor(this.#settings, crawlDelaySeconds);
  }

  /** Hosts that are left alone, since they do not answer. */
  openCircuits(): number {
    let open = 0;
    for (const pace of this.#hosts.values()) if (pace.trouble) open++;
    return open;
  }

  /** Why a host is left alone, in words; undefined where it is not. */
  whyPaused(host: string): string | undefined {
    const pace = this.#hosts.get(host);
    if (!pace) return undefined;
    if (pace.trouble) return pace.trouble.error.message;
    if (pace.delayMs > 0) return `${pace.delayMs / 1000} s between two requests`;
    return pace.readyAt > monotonicNow() ? 'the host asked for a pause' : undefined;
  }

  #forgetIdle(): void {
    const now = monotonicNow();
    for (const [host, pace] of this.#hosts) if (pace.isIdle(now)) this.#hosts.delete(host);
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
  /** Whether the host answers. */
  circuit: Circuit = closedCircuit;
  readonly #host: string;
  readonly #circuitPolicy: CircuitPolicy;
  readonly #isNetworkDown: () => boolean;
  readonly #limitMax: number;
  #allowance: Allowance = firstAllowance;
  #open = 0;
  #lastStartAt = 0;
  #pausedUntil = 0;
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
    if (isHalfOpen(this.circuit, monotonicNow())) return 1;
    return Math.min(this.limits.concurrency, Math.floor(this.#allowance.requests));
  }

  /** Learns from an answer, or from one that did not come. */
  observe(seen: Observation): void {
    this.#allowance = adapt(this.#allowance, seen, this.#limitMax);
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
   * {@link HostPausedError} rather than waiting for the end of a pause.
   */
  async enter(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#pauseEnd - monotonicNow() > pauseWaitedMs) throw this.paused();
      const waitMs = this.readyAt - monotonicNow();
      const hasRoom = this.#open < this.concurrency;
      if (hasRoom && waitMs <= 0) break;
      await this.#change(hasRoom ? waitMs : undefined, signal);
    }
    this.#open++;
    this.#lastStartAt = monotonicNow();
  }

  /** The answer is there: the next may start. */
  leave(): void {
    this.#open--;
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
