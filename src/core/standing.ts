/** How the crawl as a whole stands: for those who watch over it. Reading it changes nothing. */
import type { JobProgress } from './job.ts';

export interface Standing {
  /** How much there is to do, over all orgs. */
  load(): Promise<Load>;

  /** Jobs that have not ended, oldest first, at most so many. */
  unfinished(max: number): Promise<readonly JobCounters[]>;

  /** A job's counters, and what the frontier holds of it, from one snapshot; undefined where it has ended. */
  pending(jobId: string): Promise<JobPending | undefined>;
}

export interface Load {
  readonly starting: number;
  readonly running: number;
  readonly queued: number;
  readonly inFlight: number;
  /** Since when the host that has been due longest waits for somebody to lease it; null where none is due. */
  readonly dueSince: number | null;
  /** Events for webhooks that are neither delivered nor given up. */
  readonly deliveries: number;
}

export interface JobCounters {
  readonly id: string;
  readonly org: string;
  readonly progress: JobProgress;
  /** Origins and sitemaps that are not settled: they are requests, and no URLs of the job. */
  readonly control: number;
  /** Sum of `reasons`: as many as were discarded or failed. */
  readonly reasons: number;
}

export interface JobPending {
  readonly counters: JobCounters;
  /** At most a thousand of them. */
  readonly hosts: readonly PendingHost[];
  /** Requests in the frontier, those in flight with them. */
  readonly requests: number;
}

export interface PendingHost {
  /** `name:port`. */
  readonly host: string;
  readonly requests: number;
  /** A lane holds the host. */
  readonly isLeased: boolean;
  /** Rises with every lease. */
  readonly fence: number;
  /** A lease is of use from here on; null where the store knows of nothing to do. */
  readonly readyAt: number | null;
}
