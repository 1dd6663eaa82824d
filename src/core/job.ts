/** A crawl as requested by a client: a job, its options and its progress. */

import type { z } from 'zod';
import type { ChangeCounts } from './baseline.ts';
import type { JobSpec } from '../options/job-spec.ts';
import type { JobCode, JobFinding, NoticeCode } from './job-codes.ts';
import type { Builder } from './resource.ts';
import type { WebhookFail } from './webhook-event.ts';

export type { JobFinding, JobSpec };
export type OutputFormat = JobSpec['outputFormat'];

/** `starting` until the first request is leased; the last three never change again. */
export const jobStatuses = ['starting', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** The request that created the job: `POST /crawler/jobs`, `/scraper/scrape`, `/scraper/batch`, `/scraper/map`, or `reextract`. */
export const jobKinds = ['crawl', 'scrape', 'batch', 'map', 'reextract'] as const;
export type JobKind = (typeof jobKinds)[number];

export function hasEnded(status: JobStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

/** Every URL of a job is in exactly one of these states at every moment. */
export const jobProgress = (z: Builder) =>
  z.object({
    discovered: z.int().describe('Always the sum of the others.'),
    queued: z.int().describe('Waiting for their turn, or for another attempt.'),
    inFlight: z.int().describe('Requested now. With separate workers, at most 5 seconds ago.'),
    scraped: z.int().describe('Delivered as pages.'),
    discarded: z
      .int()
      .describe('Requested or queued, and left out on purpose, such as duplicates; `reasons` says why.'),
    failed: z.int().describe('Without a page after the last attempt; `reasons` says why.'),
    // See `outsideReasons`.
    outside: z
      .int()
      .describe(
        'Never to be fetched, which was decided without a request: on other hosts, excluded, forbidden by robots.txt. Leave them out of bars and rates.',
      ),
  });
export type JobProgress = Readonly<Omit<z.output<ReturnType<typeof jobProgress>>, 'discovered'>>;

export function discovered(progress: JobProgress): number {
  return inside(progress) + progress.outside;
}

/** URLs that the job fetches, has fetched, or would have fetched. */
export function inside(progress: JobProgress): number {
  return progress.queued + progress.inFlight + progress.scraped + progress.discarded + progress.failed;
}

/** A fact about the job that its owner should know without asking. Stores keep findings in the same form. */
export interface JobNotice<Code = JobCode> {
  readonly code: Code;
  readonly message: string;
  readonly at: number;
  /** Number of occurrences, for notices that are counted. */
  readonly count?: number;
  /** The first occurrence, for notices that are counted: mostly a URL. */
  readonly example?: string;
  /** Reason of most of its URLs, for the remedy. */
  readonly reason?: string;
}

export interface Job {
  /** 26 characters, sorting newest first. */
  readonly id: string;
  readonly org: string;
  readonly kind: JobKind;
  readonly status: JobStatus;
  readonly spec: JobSpec;
  /** Milliseconds since the epoch, like every time in this codebase. */
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /**
   * When the crawl was stopped, to be continued by `resume`: until then nobody takes its requests. Its status stays as
   * it was. Null if it is not stopped, or has ended.
   */
  readonly stoppedAt: number | null;
  readonly progress: JobProgress;
  /** Number of URLs for each reason. The sum equals `discarded` plus `failed` plus `outside`. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Estimated words that the content rules left out of the pages, by rule: the most first. */
  readonly droppedWords: Readonly<Record<string, number>>;
  /** Pages that were read for a record, and how many have a value, by the path of its field. */
  readonly records: { readonly pages: number; readonly values: Readonly<Record<string, number>> };
  /** Bytes of all bodies fetched for the job, as sent. */
  readonly fetchedBytes: number;
  /** URLs read from sitemaps, whether or not they were new. */
  readonly sitemapPageCount: number;
  readonly notices: readonly JobNotice<NoticeCode>[];
  /** Those known so far: what concerns the whole job first, then its hosts, then pages; and by count. */
  readonly findings: readonly JobFinding[];
  /** Whether the result is all of the site that the job was to crawl; null until it ends, and for `map` and `scrape`. */
  readonly complete: boolean | null;
  /** How often a page of it was erased. */
  readonly erasures: number;
  /** It does not have all pages of the job that `since` names yet, or was cancelled before. */
  readonly isSeeding: boolean;
  /** What became of the pages of the job that `since` names; null without `since`. */
  readonly changes: ChangeCounts | null;
  /** The job whose failed URLs this one crawls again. */
  readonly retryOf: string | null;
  /** The schedule whose run this is. */
  readonly schedule: string | null;
  /** Receives the events of the job. */
  readonly webhookUrl: string | null;
  /** The last failed attempts to notify the webhook, newest last. The one field that changes after the job's end. */
  readonly webhookFails: readonly WebhookFail[];
  /**
   * Time from which results are gone: expiry or deletion, whichever came first. Null while the job runs, and if nothing
   * but a deletion will remove them.
   */
  readonly resultsGoneAt: number | null;
  /**
   * True if the results are gone by the store's clock. Deleted or partly removed results stay gone when the clock is
   * set back.
   */
  readonly areResultsGone: boolean;
}

/** The facts about a job that a lane needs to work on its requests. */
export interface CrawlJob {
  readonly id: string;
  readonly org: string;
  readonly createdAt: number;
  readonly spec: JobSpec;
  /** Hosts of the start URLs, with a port if it is not the default. */
  readonly scopeHosts: readonly string[];
  /** With `scope: path`: start URLs whose pages are in another directory of their host, and where they are. */
  readonly movedStarts: Readonly<Record<string, string>>;
  /**
   * The network of each host of the job when it was decided; the public web is ''. Empty if no private network is open.
   */
  readonly networks: Readonly<Record<string, string>>;
  /**
   * With `trust_lastmod`: hosts by `name:port` whose sitemaps have told the truth. One page in so many is asked for all the
   * same.
   */
  readonly honestHosts: Readonly<Record<string, number>>;
  /** Sent only to the hosts of the start URLs. Never shown or logged; deleted when the job ends. */
  readonly headers: RequestHeaders;
  /** URL templates of the job that turned out to be traps. */
  readonly endedTemplates: readonly string[];
}

/** Names in lower case with their values. */
export type RequestHeaders = Readonly<Record<string, string>>;
