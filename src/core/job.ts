/** What a user asked for: a job, its options and where it stands. */

import type { JobSpec } from '../options/job-spec.ts';
import type { NoticeCode } from './reasons.ts';
import type { WebhookFail } from './webhook-event.ts';

export type { JobSpec };
export type OutputFormat = JobSpec['outputFormat'];

/** `starting` until the first request is leased; the last three never change again. */
export const jobStatuses = ['starting', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export function hasEnded(status: JobStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

/** Every URL of a job is in exactly one of these at every moment; {@link discovered} is their sum. */
export interface JobProgress {
  readonly queued: number;
  readonly inFlight: number;
  readonly scraped: number;
  readonly discarded: number;
  readonly failed: number;
}

export function discovered(progress: JobProgress): number {
  return progress.queued + progress.inFlight + progress.scraped + progress.discarded + progress.failed;
}

/** Something about the job that its owner should know and did not ask for. */
export interface JobNotice {
  readonly code: NoticeCode;
  readonly message: string;
  readonly at: number;
  /** How often it happened, where that is counted. */
  readonly count?: number;
  /** The first case, where cases are counted: mostly a URL. */
  readonly example?: string;
}

export interface Job {
  /** 26 characters, sorting newest first. */
  readonly id: string;
  readonly org: string;
  readonly status: JobStatus;
  readonly spec: JobSpec;
  /** Milliseconds since the epoch, as every time in this codebase. */
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly progress: JobProgress;
  /** Why URLs were discarded or failed, and how many for each: their sum is that of the two. */
  readonly reasons: Readonly<Record<string, number>>;
  /** URLs read from sitemaps, whether or not they were new. */
  readonly sitemapPageCount: number;
  readonly notices: readonly JobNotice[];
  /** The job whose failures this one crawls again. */
  readonly retryOf: string | null;
  /** Told of what becomes of the job. */
  readonly webhookUrl: string | null;
  /** The last attempts at telling it that failed, newest last. The one field that changes after the job's end. */
  readonly webhookFails: readonly WebhookFail[];
  /** Results are gone from here on: expiry or deletion, whichever came first. Null while the job runs. */
  readonly resultsGoneAt: number | null;
  /** Whether they are gone, by the clock of the store. What was deleted, or removed in part, stays so when the clock is set back. */
  readonly areResultsGone: boolean;
}

/** What a lane must know of a job to work on its requests. */
export interface CrawlJob {
  readonly id: string;
  readonly spec: JobSpec;
  /** Hosts in scope, with a port where it is not the default: those of the start URLs, and those a start URL redirected to. */
  readonly scopeHosts: readonly string[];
  /** In which network a host of the job was when that was decided; the public web is ''. Empty where no private network is open. */
  readonly networks: Readonly<Record<string, string>>;
  /** Sent to the hosts of the start URLs, and to no other. Never shown or logged; gone when the job ends. */
  readonly headers: RequestHeaders;
  /** URL templates of the job that turned out to be traps. */
  readonly endedTemplates: readonly string[];
}

/** Names in lower case with their values. */
export type RequestHeaders = Readonly<Record<string, string>>;
