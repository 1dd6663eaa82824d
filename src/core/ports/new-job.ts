import type { CrawlJob, JobKind, JobNotice, JobSpec, RequestHeaders } from '../job.ts';
import type { Link } from '../request.ts';

export interface NewJob {
  readonly id: string;
  readonly org: string;
  /** @default crawl */
  readonly kind?: JobKind;
  readonly spec: JobSpec;
  readonly createdAt: number;
  /** The start URLs, judged like any link. */
  readonly startLinks: readonly Link[];
  /** The origins whose sitemaps are read; empty if none are. */
  readonly origins: readonly Link[];
  readonly scopeHosts: readonly string[];
  readonly notices: readonly JobNotice[];
  readonly headers: RequestHeaders;
  /** The networks of hosts that are decided already: see `CrawlJob`. @default none */
  readonly networks?: CrawlJob['networks'];
  readonly webhookUrl?: string;
  /** The schedule whose run it is. */
  readonly schedule?: string;
  /** A client waits for its page. @default false */
  readonly isInteractive?: boolean;
  /** Limit of unfinished jobs of the org, this one included. @default no limit */
  readonly unfinishedMax?: number;
  readonly idempotency?: Idempotency;
}

/** A client's name for a request that it may repeat. Keys belong to the org, and creating and retrying share them. */
export interface Idempotency {
  readonly key: string;
  /** Hash of everything the request specifies. */
  readonly bodyHash: string;
}
