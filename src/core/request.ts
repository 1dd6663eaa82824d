import type { SitemapNotice } from './sitemap-notice.ts';
import type { ErrorReason, DiscardReason } from './reasons.ts';
import type { BaselinePage, HowUnchanged } from './baseline.ts';
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
  /** Raised whenever the job's scope grows, so that a cached {@link CrawlJob} shows as stale. */
  readonly jobVersion: number;
  readonly kind: RequestKind;
  /** As the page wrote it, resolved; never the dedupe key. */
  readonly url: string;
  readonly depth: number;
  readonly selfFed: boolean;
  /** See {@link Finding.byScript}. @default false */
  readonly byScript?: boolean;
  /** What the earlier job knew of the page. Null if it is new; absent if the job has no `since`. */
  readonly earlier?: Pick<BaselinePage, 'hash' | 'validator' | 'traits' | 'asked'> | null;
  /** See `Link.lastmod`. Only where the page can go without a request. */
  readonly lastmod?: string;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** Org of the job. */
  readonly org?: string;
  /** The first request of its job, or one that a client waits for. @default false */
  readonly isUrgent?: boolean;
  /** When it was taken, its job had nothing else queued: it can be the last. @default false */
  readonly isOnlyOne?: boolean;
  /**
   * Redirects followed so far, if they led to a host other than that of `url`: the request then waits for that host.
   * Kept unchanged from the {@link Outcome} `moved`.
   */
  readonly chain?: string;
}

export const startDepth = 0;

/** Where a URL was found. */
export interface Finding {
  /** Links away from a start URL; a URL from a sitemap is one link away. */
  readonly depth: number;
  /** Found on a page of its own family: see `isSameFamily` in `url/url-template.ts`. */
  readonly selfFed?: boolean | undefined;
  /** Only scripts made links to it: a page had it after rendering, and not as received. */
  readonly byScript?: boolean | undefined;
}

/**
 * Ranks the places where one URL was found. The lowest rank counts, in whatever order they were found: the nearest
 * place, and at equal distance a page of another family.
 */
export function findingRank({ depth, selfFed = false }: Finding): number {
  return selfFed ? depth + 0.5 : depth;
}

/**
 * Returns true if a URL found here is never discarded as part of a trap. That holds for a start URL, for URLs on a
 * start page or in a sitemap, and for URLs on those pages, except on pages of their own family.
 */
export function isTrapExempt(finding: Finding): boolean {
  return findingRank(finding) <= startDepth + 2;
}

/** A URL found on a page or in a sitemap, already judged: to crawl, or discarded with a reason. */
export interface Link extends Finding {
  readonly url: string;
  /** Dedupe key of the URL: two links with one key are one URL of the job. */
  readonly key: string;
  /** `name:port`, the unit of politeness. */
  readonly host: string;
  readonly discard?: Discard;
  /** The site ended it in another way than its own for a while: unless it was delivered, it is asked for again. */
  readonly isAgain?: boolean;
  /** An earlier job found it on a page, and nowhere else. */
  readonly isFollowed?: boolean;
  /** When the page was last changed, according to a sitemap; at most 64 characters. */
  readonly lastmod?: string;
}

export interface Discard {
  readonly reason: DiscardReason;
  /** The glob, the URL or the type: makes the reason verifiable. */
  readonly detail?: string;
}

/** Why an attempt failed. A value, because failing is ordinary on the web. */
export interface CrawlError {
  readonly reason: ErrorReason;
  /** One sentence without internal addresses, fit for the job's owner. */
  readonly message: string;
  readonly statusCode?: number;
}

/**
 * The outcome of one attempt. Written once, by {@link Frontier.settle}.
 *
 * A `retry` puts the request back, not before `afterMs` from now, to start again at its own URL. A `moved` request
 * waits for another host, ahead of new pages, with the redirects followed so far in `chain`, which only the frontier
 * keeps. A `scraped` page can still end as discarded: the commit finds that its job has the page already
 * (`duplicate_of`).
 */
export type Outcome =
  | {
      readonly kind: 'scraped';
      readonly page: PageRecord;
      readonly links: readonly Link[];
      /** Sitemaps that a start URL names: it is an index of them. */
      readonly sitemaps?: readonly Link[];
      /** Where the page of a start URL is, if that moves the scope of a job with `scope: path`. */
      readonly movedTo?: string;
      /** How the page was obtained, if the ledger should show it. */
      readonly detail?: string;
    }
  | ({
      readonly kind: 'discarded';
      readonly links?: readonly Link[];
      readonly sitemaps?: readonly Link[];
      readonly movedTo?: string;
      readonly statusCode?: number;
      /** A redirect led to the page of another request, whose URL has this dedupe key. It can be among the links. */
      readonly leftTo?: string;
    } & Discard)
  /** The page is as the earlier job knew it, and was not converted. Its links are those of that job. */
  | {
      readonly kind: 'unchanged';
      readonly evidence: HowUnchanged;
      readonly statusCode?: number;
      /** See `PageRecord.validator`. */
      readonly validator?: string | undefined;
    }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly error: CrawlError }
  | { readonly kind: 'moved'; readonly host: string; readonly chain: string }
  | { readonly kind: 'failed'; readonly error: CrawlError }
  /** Only for `origin` and `sitemap` requests: the URLs that the sitemaps named. */
  | {
      readonly kind: 'sitemap';
      readonly urls: readonly Link[];
      readonly sitemaps: readonly Link[];
      readonly ending: SitemapEnding;
      /** Set if the sitemap gave less than it should. */
      readonly notice?: SitemapNotice;
    };

/** The ledger entry of a sitemap that will not be requested again. */
export type SitemapEnding =
  /** `detail`: the number of URLs it named. */
  | { readonly state: 'scraped'; readonly detail?: string }
  | { readonly state: 'failed'; readonly error: CrawlError }
  | ({ readonly state: 'discarded' } & Discard);
