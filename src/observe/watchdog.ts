// Checks once a minute the jobs that have not ended, and reports which of them should move and do not, and why. Changes
// nothing. For a job that moves it compares counters; only stalled jobs are examined.
import type { Log } from '../core/ports/log.ts';
import type { JobCounters, JobPending, PendingHost, CrawlStatus } from '../core/ports/crawl-status.ts';

export interface WatchdogParts {
  readonly crawlStatus: CrawlStatus;
  readonly log: Log;
  /** Why a host is paused now, in words; undefined if it is not, or if the reason is unknown. */
  whyPaused(host: string): string | undefined;
  /** Called once for each job whose counters do not add up. */
  readonly onViolation: () => void;
}

const standsStillMs = 5 * 60_000;
/** Jobs that are watched; further ones are not. */
const jobsMax = 10_000;
/** Jobs examined per look: each needs a read of its part of the frontier. */
const lookedIntoMax = 20;
/** Hosts named in a log line. */
const hostsNamed = 5;

interface Watched {
  /** Changes with every step of the job. */
  readonly state: string;
  readonly since: number;
  /**
   * Fences of its hosts at the last examination. The same fence a minute later means that a lane holds on to the host.
   */
  readonly fences: ReadonlyMap<string, number>;
  readonly reason: string | undefined;
  readonly isViolated: boolean;
}

export class Watchdog {
  readonly #parts: WatchdogParts;
  #watched = new Map<string, Watched>();

  constructor(parts: WatchdogParts) {
    this.#parts = parts;
  }

  /** Jobs that were stalled at the last look. */
  get stalledJobs(): number {
    let stalled = 0;
    for (const { reason } of this.#watched.values()) if (reason !== undefined) stalled++;
    return stalled;
  }

  /** Call once a minute. */
  async look(now: number): Promise<void> {
    const earlier = this.#watched;
    const watched = new Map<string, Watched>();
    let lookedInto = 0;
    for (const counters of await this.#parts.crawlStatus.unfinished(jobsMax)) {
      const state = JSON.stringify([counters.progress, counters.control]);
      const known = earlier.get(counters.id);
      const last = known?.state === state ? known : undefined;
      const since = last?.since ?? now;
      const standsStill = now - since >= standsStillMs && lookedInto < lookedIntoMax;
      if (standsStill) lookedInto++;
      const found = standsStill ? await this.#lookInto(counters, last, now) : last;
      const isViolated = this.#checkReasons(counters, known?.isViolated ?? false) || found?.isViolated === true;
      watched.set(counters.id, {
        state,
        since,
        fences: found?.fences ?? new Map(),
        reason: found?.reason,
        isViolated,
      });
    }
    this.#watched = watched;
  }

  async #lookInto(
    { id, org }: JobCounters,
    last: Watched | undefined,
    now: number,
  ): Promise<Pick<Watched, 'fences' | 'reason' | 'isViolated'> | undefined> {
    const { crawlStatus, log, onViolation } = this.#parts;
    const pending = await crawlStatus.pending(id);
    if (!pending) return undefined;
    const fences = new Map(pending.hosts.map(({ host, fence }) => [host, fence]));
    const isViolated = pending.requests !== requestsOf(pending.counters);
    if (isViolated && last?.isViolated !== true) {
      onViolation();
      log.error('job counters do not add up', {
        job: id,
        org,
        counted: requestsOf(pending.counters),
        inFrontier: pending.requests,
      });
    }
    const { reason, detail } = isViolated ? defect(pending) : this.#why(pending, last?.fences, now);
    if (reason !== last?.reason)
      log.warn('job stalled', { job: id, org, reason, detail, ...pending.counters.progress });
    return { fences, reason, isViolated };
  }

  #why({ hosts }: JobPending, fences: Watched['fences'] | undefined, now: number): Stall {
    const waiting = hosts.filter(({ isLeased, readyAt }) => !isLeased && readyAt !== null && readyAt > now);
    if (waiting.length > 0 && waiting.length === hosts.length) {
      return { reason: 'hosts_wait', detail: named(waiting, (host) => this.#whyWaiting(host)) };
    }
    const held = hosts.filter(({ host, isLeased, fence }) => isLeased && fences?.get(host) === fence);
    if (held.length > 0) {
      return { reason: 'host_held', detail: named(held, () => 'leased for longer than a turn') };
    }
    const asleep = hosts.filter(({ isLeased, readyAt }) => !isLeased && readyAt === null);
    if (asleep.length > 0) return { reason: 'host_asleep', detail: named(asleep, () => 'has work, but is not due') };
    return { reason: 'others_first', detail: named(hosts, () => 'is due, but other jobs or hosts come first') };
  }

  #whyWaiting({ host, readyAt }: PendingHost): string {
    const until = `waits until ${new Date(readyAt ?? 0).toISOString()}`;
    const why = this.#parts.whyPaused(host);
    return why === undefined ? until : `${until}: ${why}`;
  }

  /** Every URL that is discarded, failed or outside has one reason. The check is cheap, so it includes jobs that move. */
  #checkReasons({ id, org, progress, reasons }: JobCounters, wasViolated: boolean): boolean {
    if (reasons === progress.discarded + progress.failed + progress.outside) return false;
    if (!wasViolated) {
      this.#parts.onViolation();
      this.#parts.log.error('job reasons do not add up', { job: id, org, reasons, ...progress });
    }
    return true;
  }
}

interface Stall {
  readonly reason: string;
  readonly detail: string;
}

function defect(pending: JobPending): Stall {
  const detail = `${requestsOf(pending.counters)} requests are counted as pending, and the frontier has ${pending.requests}`;
  return { reason: 'defect', detail };
}

function requestsOf({ progress, control }: JobCounters): number {
  return progress.queued + progress.inFlight + control;
}

function named(hosts: readonly PendingHost[], say: (host: PendingHost) => string): string {
  const shown = hosts.slice(0, hostsNamed).map((host) => `${host.host} ${say(host)}`);
  const more = hosts.length > hostsNamed ? [`and ${hosts.length - hostsNamed} more`] : [];
  return [...shown, ...more].join('; ');
}
