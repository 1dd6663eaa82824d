// How hosts are treated, over all jobs and all kinds of requests: pages, redirects, robots.txt and sitemaps wait for
// their turn here. Nothing is fetched elsewhere.
import type { Addresses, Fetcher, FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';
import type { HostState } from '../../core/ports/crawl-status.ts';
import type { Life } from '../../core/ports/frontier.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Log } from '../../core/ports/log.ts';
import { hostKey, hostName, urlOfHost } from '../../core/host-key.ts';
import { afterOutage, type CircuitPolicy, isDown, isHalfOpen, isOpen } from './circuit-breaker.ts';
import { HostPace, type PolitenessLimits } from './host-pace.ts';
import { afterResult, beganAt, noOutage, type Outage, outagePauseMs } from './outage.ts';
import type { PoliteFetcher } from './polite-fetcher.ts';
import { registrableDomain } from './registrable-domain.ts';
import { isPassing } from './retry-policy.ts';
import { SitePace } from './site-pace.ts';

/** In seconds. A site with a longer `Crawl-delay` does not want to be crawled, so its pages are not fetched. */
export const crawlDelaySecondsMax = 300;

/**
 * The limits of a host: the operator's settings, and the site's `Crawl-delay`. That raises the delay and, since it is
 * meant for one visitor, allows one request at a time.
 */
export function limitsFor(settings: PolitenessLimits, crawlDelaySeconds: number | undefined): PolitenessLimits {
  if (crawlDelaySeconds === undefined || crawlDelaySeconds <= 0) return settings;
  return { concurrency: 1, delayMs: Math.max(settings.delayMs, crawlDelaySeconds * 1000) };
}

/**
 * A fetcher that waits for the host's turn first. Rejects when `stop` fires before the turn, when the fetch's own
 * signal has aborted it, and when the host is not leased any more ({@link Life.isHeld}). Rejects with a
 * `HostPausedError` if the host is in a longer pause, or its turn does not come within `turnWithinMs`.
 */
export function createPoliteFetcher(
  fetcher: Fetcher,
  pacer: Pacer,
  stop: AbortSignal,
  isHeld: Life['isHeld'] = () => true,
): PoliteFetcher {
  return {
    async fetch(url, options) {
      const parsed = URL.parse(url);
      if (!parsed) return fetcher.fetch(url, options);
      const host = hostKey(parsed);
      const pace = pacer.of(host);
      const locating = pacer.locate(host);
      if (locating) await locating;
      // An aborted fetch must not use up a turn.
      options.signal.throwIfAborted();
      const part = pace.join(options.pace);
      if (!pace.tryEnter(stop, options)) {
        await pace.enter(stop, options.turnWithinMs, options).catch((error: unknown) => {
          part();
          throw error;
        });
      }
      const { inFlight } = pace;
      const inFlightOfSite = pace.site?.pace.inFlight;
      // Connecting takes time, and the process can be suspended meanwhile.
      let wasSent = false;
      const maySend = (): boolean => {
        if (!isHeld()) return false;
        pace.sent({ isAgain: wasSent });
        wasSent = true;
        // The request is written before this microtask runs, which takes up to 100 ms in a new process. The delay
        // counts from then.
        queueMicrotask(() => pace.sent({ isAgain: true }));
        return true;
      };
      try {
        if (!isHeld()) throw new DOMException('Another process may have leased the host by now.', 'AbortError');
        const result = await fetcher.fetch(url, { ...options, maySend });
        // Aborted by us: the result says nothing about the host.
        options.signal.throwIfAborted();
        pacer.note(result);
        // A request that was not sent put no load on the host.
        if (!pacer.isOurs(result)) {
          const seen = { ...latencyOfPage(result, options), isStrained: isStrained(result), isDown: isDown(result) };
          pace.observe({ ...seen, inFlight }, inFlightOfSite);
        }
        return result;
      } finally {
        part();
        pace.leave({ wasSent });
      }
    },
  };
}

/** Compares pages with pages only: robots.txt, sitemaps, redirects, resources and errors cost the host less work. */
function latencyOfPage(
  result: FetchResult,
  { wants, wantsHead }: Pick<FetchOptions, 'wants' | 'wantsHead'>,
): { readonly latencyMs?: number } {
  const isPage = wants !== 'all' && wantsHead !== true && result.kind === 'body' && result.statusCode < 300;
  return isPage && result.latencyMs !== undefined ? { latencyMs: result.latencyMs } : {};
}

/** A body that does not end holds a request of the crawl for as long as it may, so such a host gets fewer. */
function isStrained(result: FetchResult): boolean {
  return result.kind === 'failure'
    ? result.retryable || result.error.reason === 'timeout'
    : result.kind === 'body' && isPassing(result.statusCode);
}

/** Hosts whose pace is remembered. Above that, hosts that may be contacted at once are forgotten. */
const hostsMax = 10_000;
/** How soon to look again which names a server has. The addresses are cached as long. */
const siteKnownMs = 60_000;
/** The same for a host that was in use, and so stayed where it was. */
const inUseMs = 1_000;

/** The pace of each host that this process requests. The frontier keeps the pace from earlier processes. */
export class Pacer {
  readonly #circuitPolicy: CircuitPolicy;
  readonly #settings: PolitenessLimits;
  readonly #hosts = new Map<string, HostPace>();
  /** By registrable domain, port and address. */
  readonly #sites = new Map<string, SitePace<HostPace>>();
  readonly #log: Pick<Log, 'warn'> | undefined;
  readonly #addresses: Addresses | undefined;
  #outage: Outage = noOutage;

  /** Without `addresses`, each name has a pace of its own. */
  constructor(
    settings: PolitenessLimits,
    circuitPolicy: CircuitPolicy,
    log?: Pick<Log, 'warn'>,
    addresses?: Addresses,
  ) {
    this.#addresses = addresses;
    this.#settings = settings;
    this.#circuitPolicy = circuitPolicy;
    this.#log = log;
  }

  /** No host can be reached, because the network or the name server is down. No host is given up meanwhile. */
  readonly isNetworkDown = (): boolean => this.#outageBegan !== undefined;

  get #outageBegan(): number | undefined {
    return beganAt(this.#outage, this.#circuitPolicy.giveUpMs);
  }

  /** Call with every result. */
  note(result: FetchResult): void {
    const began = this.#outageBegan;
    const { since } = this.#outage;
    const now = monotonicNow();
    this.#outage = afterResult(this.#outage, result, now);
    if (this.isNetworkDown() === (began !== undefined)) return;
    if (began === undefined) {
      this.#log?.warn('no host can be reached (no network, or no name server): the crawl waits');
    } else if (this.#outage.since !== since) {
      this.#log?.warn('hosts can be reached again: the crawl continues', {
        minutes: Math.round((now - began) / 60_000),
      });
      for (const pace of this.#hosts.values()) pace.circuit = afterOutage(pace.circuit, began, now);
    } else {
      this.#log?.warn('no host could be reached for a day: unreachable hosts are given up again');
    }
  }

  /** Returns true if a fetch failed, or must be assumed to have failed, on our side. Call after `note`. */
  isOurs(result: FetchResult): boolean {
    if (result.kind !== 'failure' || !result.retryable) return false;
    return result.isLocal ?? this.isNetworkDown();
  }

  /**
   * The policy for a host that failed. Pauses are short if the cause might be ours, so that the end of the outage is
   * noticed.
   */
  policyFor({ patience }: HostPace): CircuitPolicy {
    const policy = { ...this.#circuitPolicy, jobs: patience.jobs };
    return this.#outage.since === undefined ? policy : { ...policy, pauseMsMax: outagePauseMs(this.#hosts.size) };
  }

  of(host: string): HostPace {
    const known = this.#hosts.get(host);
    if (known) return known;
    if (this.#hosts.size >= hostsMax) this.#forgetIdle();
    const pace = new HostPace(host, this.#settings, this.#circuitPolicy, this.isNetworkDown);
    this.#hosts.set(host, pace);
    return pace;
  }

  /**
   * Finds out which other names the server of a host has: they share one pace. Call before the host is used. Nothing to
   * wait for if it is known. Never rejects.
   */
  locate(host: string): Promise<void> | undefined {
    const pace = this.of(host);
    if (!this.#addresses || pace.siteKnownUntil > monotonicNow()) return pace.locating;
    const url = urlOfHost(host);
    const domain = registrableDomain(hostName(url));
    pace.siteKnownUntil = domain === undefined ? Number.POSITIVE_INFINITY : monotonicNow() + siteKnownMs;
    if (domain === undefined) return undefined;
    const port = host.slice(host.lastIndexOf(':'));
    pace.locating = this.#addresses.addressOf(url).then((address) => {
      pace.locating = undefined;
      // A name that cannot be resolved now stays where it was.
      if (address === undefined || pace.belongTo(this.#siteOf(`${domain}${port} ${address}`))) return;
      pace.siteKnownUntil = monotonicNow() + inUseMs;
    });
    return pace.locating;
  }

  #siteOf(key: string): SitePace<HostPace> {
    const known = this.#sites.get(key);
    if (known) return known;
    if (this.#sites.size >= hostsMax) this.#forgetIdleSites();
    const pace = new HostPace(key, this.#settings, this.#circuitPolicy);
    pace.limits = this.#settings;
    const site = new SitePace(pace);
    this.#sites.set(key, site);
    return site;
  }

  /** Notes the `Crawl-delay` of a host, or that it has none. */
  learn(host: string, crawlDelaySeconds: number | undefined): void {
    const pace = this.of(host);
    pace.limits = limitsFor(this.#settings, crawlDelaySeconds);
    pace.isKnown = true;
  }

  /** The number of hosts that are paused because they do not answer. */
  openCircuits(): number {
    let open = 0;
    for (const pace of this.#hosts.values()) if (pace.trouble) open++;
    return open;
  }

  /** Why a host is paused, in words; undefined if it is not. */
  whyPaused(host: string): string | undefined {
    const pace = this.#hosts.get(host);
    if (!pace) return undefined;
    if (pace.trouble) return pace.trouble.error.message;
    if (pace.delayMs > 0) return `${pace.delayMs / 1000} s between two requests`;
    return pace.readyAt > monotonicNow() ? 'the host requested a pause' : undefined;
  }

  /** What this process knows about a host; undefined if that is nothing. */
  stateOf(host: string): HostState | undefined {
    const pace = this.#hosts.get(host);
    if (!pace) return undefined;
    const now = monotonicNow();
    const { circuit, trouble, isKnown, delayMs, concurrency, inFlight } = pace;
    return {
      robots: isKnown ? 'read' : trouble ? 'unreachable' : 'unknown',
      delayMs,
      concurrency,
      inFlight,
      circuit: isOpen(circuit, now) ? 'open' : isHalfOpen(circuit, now) ? 'half_open' : 'closed',
      backOffMs: Math.max(0, Math.ceil(pace.pausedUntil - now)),
      ...(trouble && { lastError: trouble.error }),
    };
  }

  #forgetIdleSites(): void {
    const now = monotonicNow();
    for (const [key, site] of this.#sites) if (site.seats === 0 && site.pace.isIdle(now)) this.#sites.delete(key);
  }

  #forgetIdle(): void {
    const now = monotonicNow();
    for (const [host, pace] of this.#hosts) if (pace.isIdle(now)) this.#hosts.delete(host);
  }
}
