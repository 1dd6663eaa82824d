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
  readonly selfFed: boolean;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** Whose job it is. */
  readonly org?: string;
  /** The first of its job, or one that somebody waits for. @default false */
  readonly isUrgent?: boolean;
  /**
   * How far redirects have led, where they led to another host than that of `url`: the request waits for that host then. What
   * {@link Outcome} `moved` said; kept as it is.
   */
  readonly chain?: string;
}

export const startDepth = 0;

/** Where a URL was found. */
export interface Finding {
  /** Links away from a start URL; what a sitemap names is one link away. */
  readonly depth: number;
  /** Found on a page of its own family: see `isSameFamily` in `url/url-template.ts`. */
  readonly selfFed?: boolean | undefined;
}

/**
 * Orders the places where one URL was found. The lowest counts, whatever the order in which they were met: the nearest, and
 * of equally near ones a page of another family.
 */
export function findingRank({ depth, selfFed = false }: Finding): number {
  return selfFed ? depth + 0.5 : depth;
}

/**
 * Whether a URL found here is never discarded as part of a trap: a start URL, what a start page or a sitemap names, and what
 * pages of these name that are of another family.
 */
export function isTrapExempt(finding: Finding): boolean {
  return findingRank(finding) <= startDepth + 2;
}

/** A URL found on a page or in a sitemap, already judged: to be crawled, or why not. */
export interface Link extends Finding {
  readonly url: string;
  /** Dedupe key of the URL: two links with one key are one URL of the job. */
  readonly key: string;
  /** `name:port`, the unit of politeness. */
  readonly host: string;
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
 * A `retry` puts the request back, not before `afterMs` from now, to begin again at its own URL. A `moved` request waits for another
 * host, before new pages, with its redirects followed so far in `chain`: nobody but the frontier sees that. A `scraped` page can still end as discarded: the
 * commit finds that its job has the page already (`duplicate_of`).
 */
export type Outcome =
  | {
      readonly kind: 'scraped';
      readonly page: PageRecord;
      readonly links: readonly Link[];
      /** Set when a start URL was redirected to another host: its scope goes along. */
      readonly scopeHost?: string;
      /** How the page came to be, where that is worth a line in the ledger. */
      readonly detail?: string;
    }
  | ({ readonly kind: 'discarded'; readonly links?: readonly Link[]; readonly statusCode?: number } & Discard)
  | { readonly kind: 'retry'; readonly afterMs: number; readonly error: CrawlError }
  | { readonly kind: 'moved'; readonly host: string; readonly chain: string }
  | { readonly kind: 'failed'; readonly error: CrawlError }
  /** Only for `origin` and `sitemap` requests: what the sitemaps named. */
  | {
      readonly kind: 'sitemap';
      readonly urls: readonly Link[];
      readonly sitemaps: readonly Link[];
      readonly ending: SitemapEnding;
      /** Set where there is less than there should be. */
      readonly notice?: SitemapNotice;
    };

/** What the ledger has of a sitemap that will not be asked for again. */
export type SitemapEnding =
  /** `detail`: how much it named. */
  | { readonly state: 'scraped'; readonly detail?: string }
  | { readonly state: 'failed'; readonly error: CrawlError }
  | ({ readonly state: 'discarded' } & Discard);
