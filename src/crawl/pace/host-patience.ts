// Jobs that wait for one host that does not serve, and when the URLs of the impatient ones end (`url_timeout`). The host
// keeps its pause for jobs with more patience. Pure: time is an argument.
//
// A URL that is tried has a clock of its own (`memory/url-clocks.ts`). While the host is in trouble, its other URLs get no
// turn, so they end with the host's clock.

import { keepLast } from '../../core/keep-last.ts';

interface Waiting {
  readonly since: number;
  /** Infinite for a job with patience. */
  readonly timeoutMs: number;
}

/** Jobs remembered for one host. With more, the oldest are forgotten, and their time starts again. */
const jobsMax = 1_000;

/** URLs of a job that take too long, with no page in between, before its other URLs on the host end too. */
const timeoutsMax = 2;

export interface ImpatientJob {
  readonly jobId: string;
  readonly timeoutMs: number;
}

export class HostPatience {
  readonly #jobs = new Map<string, Waiting>();
  readonly #timeouts = new Map<string, number>();
  #servedAt = Number.NEGATIVE_INFINITY;

  /** A job has requests at hand. Its time starts again as long as the host is not in trouble. */
  waits(
    jobId: string,
    timeoutMs: number,
    { now, isInTrouble }: { readonly now: number; readonly isInTrouble: boolean },
  ) {
    const known = this.#jobs.get(jobId);
    if (known && isInTrouble) return;
    keepLast(this.#jobs, jobId, { since: now, timeoutMs }, jobsMax);
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

  /** Returns the jobs whose time is up when the host may next be asked, or whose URLs all take too long. */
  endedBy(nextTurn: number): readonly ImpatientJob[] {
    const ended = [...this.#jobs].filter(
      ([jobId, { since, timeoutMs }]) =>
        Math.max(since, this.#servedAt) + timeoutMs <= nextTurn || (this.#timeouts.get(jobId) ?? 0) >= timeoutsMax,
    );
    return ended.map(([jobId, { timeoutMs }]) => ({ jobId, timeoutMs }));
  }

  forget({ jobId }: ImpatientJob): void {
    this.#jobs.delete(jobId);
    this.#timeouts.delete(jobId);
  }

  /** True if no job is known to wait for the host. */
  get isNobodyWaiting(): boolean {
    return this.#jobs.size === 0;
  }

  forgetAll(): void {
    this.#timeouts.clear();
    this.#jobs.clear();
  }
}
