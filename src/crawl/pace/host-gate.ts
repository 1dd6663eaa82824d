// Decides whether a URL may be requested now, and by which robots.txt rules, or whether its host is down.
import type { FetchResult } from '../../core/ports/fetcher.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { parseRobots, type RobotsRules } from '../../robots/robots-rules.ts';
import { hostKey } from '../../core/host-key.ts';
import {
  afterFetch,
  afterProbe,
  afterUnreachable,
  answered,
  isHalfOpen,
  isOpen,
  type Refusal,
} from './circuit-breaker.ts';
import { HostPausedError } from './host-pace.ts';
import { crawlDelaySecondsMax, type Pacer } from './politeness.ts';
import { afterPage, afterRefusal, isRefusal } from './refusals.ts';
import { attemptsMax, pauseAskedFor } from './retry-policy.ts';
import type { RobotsResponse, RobotsGate, RobotsOptions, Unreachable } from './robots-gate.ts';

export type Admission =
  | { readonly kind: 'rules'; readonly rules: RobotsRules; readonly network?: string }
  /** The host cannot be contacted, now or later. */
  | { readonly kind: 'refused'; readonly failure: Unreachable };

export interface HostGateParts {
  readonly robots: RobotsGate;
  readonly pacer: Pacer;
  /** Other processes fetch from the same hosts, so a host's memory passes from process to process. */
  readonly isShared?: boolean;
  /** Keeps the `Crawl-delay` of a host across a crash. */
  noteDelay(host: string, delayMs: number): Promise<void>;
}

const everythingAllowed: Admission = { kind: 'rules', rules: parseRobots('') };

/** Longer delays are not waited for. */
const delayWaitedMs = 1_000;
const robotsElsewhere = {
  reason: 'robots_unreachable',
  message: 'robots.txt redirects to a host that must not be contacted at this time, so nothing may be fetched.',
} as const;

export class HostGate {
  readonly #parts: HostGateParts;

  constructor(parts: HostGateParts) {
    this.#parts = parts;
  }

  /**
   * Returns the rules for a URL. Rejects with a {@link HostPausedError} when the host must not be contacted now, which
   * does not count as an attempt, and with the signal's reason when it fires.
   */
  async admit(
    url: URL,
    options: RobotsOptions & { readonly respectRobots: boolean },
    signal: AbortSignal,
  ): Promise<Admission> {
    const { robots, pacer } = this.#parts;
    const host = hostKey(url);
    const pace = pacer.of(host);
    if (isOpen(pace.circuit, monotonicNow())) throw pace.paused();
    const isProbe = isHalfOpen(pace.circuit, monotonicNow());
    // What another process read, if the host is new to this one.
    if (pace.robots?.origin === url.origin) robots.recall(pace.robots);
    const { enter } = options;
    const wasKnown = robots.known(url.origin, options) !== undefined;
    const fresh = isProbe ? undefined : robots.fresh(url.origin, options);
    let response: RobotsResponse;
    try {
      response = isProbe
        ? await robots.askAgain(url.origin, signal, options)
        : (fresh ?? (await robots.answerFor(url.origin, signal, options)));
    } catch (error) {
      if (!(error instanceof HostPausedError) || error.host === host) throw error;
      const retryAfterMs = error.until - monotonicNow();
      response = { kind: 'unreachable', error: robotsElsewhere, retryable: true, retryAfterMs };
    }
    if (response.kind === 'rules') {
      // A robots.txt read inside a private network is not for jobs of other processes that must stay outside.
      if (this.#parts.isShared === true && enter === undefined) pace.robots = robots.noteOf(url.origin);
      if (isProbe) pace.circuit = afterProbe(pace.circuit, monotonicNow());
      else if (!fresh) pace.circuit = answered(pace.circuit, monotonicNow());
      const { crawlDelaySeconds = 0 } = response.rules;
      // Nothing will be fetched, so there is no delay to wait for.
      if (crawlDelaySeconds > crawlDelaySecondsMax && options.respectRobots) return response;
      const delaySeconds = Math.min(crawlDelaySeconds, crawlDelaySecondsMax);
      if (delaySeconds * 1000 !== pace.notedDelayMs) await this.#noteDelay(host, delaySeconds * 1000);
      pacer.learn(host, delaySeconds);
      // The last request was for robots.txt, so the delay has just begun. Use a long one for other hosts.
      if (!wasKnown && pace.readyAt - monotonicNow() > delayWaitedMs) throw new HostPausedError(host, pace.readyAt);
      return response;
    }
    if (!response.retryable) return { kind: 'refused', failure: response };
    // If robots.txt does not apply, failing to read it does not matter. A host that does not answer shows when its
    // pages are fetched.
    if (!options.respectRobots && response.error.statusCode !== undefined) {
      if (isProbe) pace.circuit = afterProbe(pace.circuit, monotonicNow());
      pacer.learn(host, undefined);
      return everythingAllowed;
    }
    const isOurs = response.isLocal === true || (response.error.statusCode === undefined && pacer.isNetworkDown());
    pace.circuit = afterUnreachable(pace.circuit, { ...response, isOurs }, monotonicNow(), pacer.policyFor(pace));
    throw pace.paused();
  }

  /**
   * Call for every page and sitemap fetched; `attempts` counts the attempts before this one. Throws a
   * {@link HostPausedError} if the fetch failed on our side: then it does not count as an attempt.
   */
  report(url: URL, result: FetchResult, attempts: number): void {
    const { pacer } = this.#parts;
    const pace = pacer.of(hostKey(url));
    const isOurs = pacer.isOurs(result);
    const refusal = this.#refusalOf(url, result, attempts);
    const fetched = { result, isLastAttempt: attempts + 1 >= attemptsMax, isOurs, refusal };
    const before = pace.circuit.timesOpened;
    pace.circuit = afterFetch(pace.circuit, fetched, monotonicNow(), pacer.policyFor(pace));
    if (result.kind !== 'failure' && !pace.isInTrouble) pace.patience.served(monotonicNow());
    if (refusal && pace.circuit.timesOpened > before)
      pace.observe({ inFlight: pace.inFlight + 1, isStrained: true, isDown: true });
    if (isOurs) throw pace.paused();
    const pauseMs = pauseAskedFor(result, Date.now());
    if (pauseMs !== undefined) pace.pause(monotonicNow() + pauseMs);
  }

  /** Notes what the host serves and refuses. */
  #refusalOf(url: URL, result: FetchResult, attempts: number): Refusal | undefined {
    if (result.kind !== 'body') return undefined;
    const pace = this.#parts.pacer.of(hostKey(url));
    if (result.statusCode >= 200 && result.statusCode <= 299) pace.served = afterPage(pace.served, url);
    if (!isRefusal(result.statusCode)) return undefined;
    const { served, isStrain } = afterRefusal(pace.served, url);
    pace.served = served;
    return { isStrain, isFirst: attempts === 0 };
  }

  async #noteDelay(host: string, delayMs: number): Promise<void> {
    const pace = this.#parts.pacer.of(host);
    await this.#parts.noteDelay(host, Math.max(delayMs, pace.jobsDelayMs));
    pace.notedDelayMs = delayMs;
  }
}
