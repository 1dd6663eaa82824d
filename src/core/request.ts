import type { SitemapNotice } from './sitemap-notice.ts';
import type { ErrorReason, DiscardReason } from './reasons.ts';
import type { PageRecord } from './page.ts';

/**
 * `page`: a URL of the ledger. `origin`: finds the sitemaps of one origin. `sitemap`: reads one sitemap.
 * Only pages are listed and counted; a job ends when no request of any kind is left.
 */
export type RequestKind = 'page' | 'origin' | 'sitemap';

/** One URL of one job in the frontier. */
export interface Request {
  readonly id: number;
  readonly jobId: string;
  /** Raised whenever the job's scope grows, so that a cached {@link CrawlJob} is known to be stale. */
  readonly jobVersion: number;
  readonly kind: RequestKind;
  /** As the page wrote it, resolved; never the dedupe key. */
  readonly url: string;
  readonly depth: number;
  /** Attempts made before this one. */
  readonly attempts: number;
}

export const startDepth = 0;

/** A URL found on a page or in a sitemap, already judged: to be crawled, or why not. */
export interface Link {
  readonly url: string;
  /** Dedupe key of the URL: two links with one key are one URL of the job. */
  readonly key: string;
  /** `name:port`, the unit of politeness. */
  readonly host: string;
  readonly depth: number;
  readonly discard?: Discard;
  /** When the page was last changed, as a sitemap says it; at most 64 characters. */
  readonly lastmod?: string;
}

export interface Discard {
  readonly reason: DiscardReason;
  /** Which glob, which URL, which type: what makes the reason checkable. */
  readonly detail?: string;
}

/** Why an attempt did not work. A value, because failing is ordinary on the web. */
export interface CrawlError {
  readonly reason: ErrorReason;
  /** One sentence without addresses of the inside, fit for the job's owner. */
  readonly message: string;
  readonly statusCode?: number;
}

/**
 * What became of one attempt. Written once, by {@link Frontier.settle}.
 *
 * A `retry` puts the request back, not before `afterMs` from now. A `scraped` page can still end as discarded: the
 * commit finds that its job has the page already (`duplicate_of`).
 */
export type Outcome =
  | {
      readonly kind: 'scraped';
      readonly page: PageRecord;
      readonly links: readonly Link[];
      /** Set when a start URL was redirected to another host: its scope goes along. */
      readonly scopeHost?: string;
    }
  | ({ readonly kind: 'discarded'; readonly links?: readonly Link[]; readonly statusCode?: number } & Discard)
  | { readonly kind: 'retry'; readonly afterMs: number; readonly error: CrawlError }
  | { readonly kind: 'failed'; readonly error: CrawlError }
  /** Only for `origin` and `sitemap` requests: what the sitemaps named. */
  | {
      readonly kind: 'sitemap';
      readonly urls: readonly Link[];
      readonly sitemaps: readonly Link[];
      /** Set where there is less than there should be. */
      readonly notice?: SitemapNotice;
    };
