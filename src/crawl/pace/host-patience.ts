// Jobs that wait for one host that does not serve, and when the URLs of the impatient ones end (`url_timeout`). The host
// keeps its pause for jobs with more patience. Pure: time is an argument.
//
// A URL that is tried has a clock of its own (`memory/url-clocks.ts`). While the host is in trouble, its other URLs get no
// turn, so they end with the host's clock.

import { keepLast } from '../../core/keep-last.ts';
import type { Expectation } from './circuit-breaker.ts';

export interface JobPatience extends Expectation {
  /** How long after its first turn a URL ends. Undefined if it has no limit. */
  readonly urlTimeoutMs?: number | undefined;
}

interface Waiting extends JobPatience {
  readonly jobId: string;
  readonly since: number;
}

/** Jobs remembered for one host. With more, the oldest are forgotten, and their time starts again. */
const jobsMax = 1_000;

/** URLs of a job that take too long, with no page in between, before its other URLs on the host end too. */
const timeoutsMax = 2;

export class HostPatience {
  readonly #jobs = new Map<string, Waiting>();
  readonly #timeouts = new Map<string, number>();
  #servedAt = Number.NEGATIVE_INFINITY;

  /** A job has requests at hand. Its time starts again as long as the host is not in trouble. */
  waits(
    jobId: string,
    patience: JobPatience,
    { now, isInTrouble }: { readonly now: number; readonly isInTrouble: boolean },
  ) {
    const known = this.#jobs.get(jobId);
    const since = known && isInTrouble ? known.since : now;
    const isFound = patience.isFound || known?.isFound === true;
    keepLast(this.#jobs, jobId, { ...patience, isFound, jobId, since }, jobsMax);
  }

  /** The host has served a page: jobs that waited until now waited for its pace. */
  served(now: number): void {
    this.#servedAt = now;
    this.#timeouts.clear();
  }

  /** The time of a URL of this job was up while the host had its turn. */
  timedOut(jobId: string): void {
    this.#timeouts.set(jobId, (this.#timeouts.get(jobId) ?? 0) + 1);
  }

  get jobs(): Iterable<Waiting> {
    return this.#jobs.values();
  }

  /** True if the time of the URLs is up when the host may next be asked, or if all of them take too long. */
  isUp({ jobId, since, urlTimeoutMs = Number.POSITIVE_INFINITY }: Waiting, nextTurn: number): boolean {
    const timeouts = this.#timeouts.get(jobId) ?? 0;
    return Math.max(since, this.#servedAt) + urlTimeoutMs <= nextTurn || timeouts >= timeoutsMax;
  }

  forget(jobId: string): void {
    this.#jobs.delete(jobId);
    this.#timeouts.delete(jobId);
  }

  /** True if no job is known to wait for the host. */
  get isNobodyWaiting(): boolean {
    return this.#jobs.size === 0;
  }
}
