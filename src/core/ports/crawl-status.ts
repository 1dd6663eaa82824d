/** State of the crawl as a whole, for monitoring. Reading it changes nothing. */
import type { FindingCode } from '../job-codes.ts';
import type { JobProgress } from '../job.ts';
import type { CrawlError } from '../request.ts';
import type { SystemStatus } from './system-desk.ts';

export interface CrawlStatus {
  /** Amount of work over all orgs, without stopped jobs. */
  load(): Promise<Load>;

  /** Jobs that have not ended and are not stopped, oldest first, at most `max`. All that is taken is in flight. */
  unfinished(max: number): Promise<readonly JobCounters[]>;

  /** Counters of these jobs, ended ones too. */
  sample(jobIds: readonly string[]): Promise<readonly JobSample[]>;

  /** A job's counters and its requests in the frontier, from one snapshot; undefined if it has ended. */
  pending(jobId: string): Promise<JobPending | undefined>;
}

export type Load = SystemStatus['queue'];

export interface JobCounters {
  readonly id: string;
  readonly org: string;
  readonly progress: JobProgress;
  /** Unsettled origins and sitemaps: requests, but not URLs of the job. */
  readonly control: number;
  /** Sum of `reasons`: equals `discarded` plus `failed` plus `outside`. */
  readonly reasons: number;
}

export interface JobSample {
  readonly id: string;
  readonly hasEnded: boolean;
  /** Codes of its findings, if it has ended. */
  readonly findings: readonly FindingCode[];
  readonly progress: JobProgress;
  /** Bytes of fetched bodies. */
  readonly bytes: number;
}

/** What the process that works on a host knows about it. */
export interface HostState {
  /** `unknown`: not read yet. `read`: read, or without effect. */
  readonly robots: 'unknown' | 'read' | 'unreachable';
  /** Time between the starts of two requests. */
  readonly delayMs: number;
  /** Requests in flight at most, as the host bears it. */
  readonly concurrency: number;
  readonly inFlight: number;
  /** `open`: the host does not respond, and is not asked. `half_open`: it is tried again. */
  readonly circuit: 'closed' | 'open' | 'half_open';
  /** No request for this many milliseconds; 0: now. */
  readonly backOffMs: number;
  readonly lastError?: CrawlError;
}

export interface JobPending {
  readonly counters: JobCounters;
  /** At most a thousand of them. */
  readonly hosts: readonly PendingHost[];
  /** Requests in the frontier, including those in flight. */
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
  /** Earliest time at which a lease is useful; null if the store knows of nothing to do. */
  readonly readyAt: number | null;
}
