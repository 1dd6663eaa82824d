import type { RequestHeaders, JobSpec } from '../job.ts';
import type { PageMetadata } from '../page.ts';
import type { DiscardReason, ErrorReason } from '../reasons.ts';

/** Shows what a crawl would begin with. Stores nothing. */
export interface Previewer {
  /**
   * Fetches robots.txt, the first start URL and a sitemap, in this order, with at most {@link previewFetchesMax} requests
   * in {@link previewMsMax}. It waits for the turn of the host like a crawl. Failures of the site are values. Rejects
   * when the signal fires.
   */
  preview(job: PreviewJob, signal: AbortSignal): Promise<CrawlPreview>;
}

/** Redirects count. */
export const previewFetchesMax = 3;
export const previewMsMax = 20_000;
/** Characters of the text of the page. */
export const previewTextMax = 100_000;
/** Links with their verdict. */
export const previewLinksMax = 200;

/** A job that is not stored. */
export interface PreviewJob {
  readonly spec: JobSpec;
  readonly scopeHosts: readonly string[];
  readonly headers: RequestHeaders;
  /** The crawl would read sitemaps. */
  readonly readsSitemaps: boolean;
}

export interface CrawlPreview {
  /** The first start URL. */
  readonly url: string;
  /** Requests that were sent. */
  readonly fetches: number;
  readonly robots: RobotsPreview;
  readonly page: PagePreview;
  readonly links: LinksPreview;
  readonly sitemap: SitemapPreview;
}

export interface RobotsPreview {
  readonly url: string;
  /** `not_read`: see `message`. */
  readonly status: 'read' | 'unreachable' | 'not_read';
  /** False if the job has `respect_robots: false`. */
  readonly isObeyed: boolean;
  /** The rules allow the start URL. Absent if they are not known. */
  readonly isAllowed?: boolean;
  /** The line that forbids the start URL. */
  readonly rule?: string;
  readonly crawlDelaySeconds?: number;
  /** Sitemaps that the file names. */
  readonly sitemaps: number;
  readonly message?: string;
}

export interface PagePreview {
  readonly status: 'read' | 'redirected' | 'discarded' | 'failed' | 'not_read';
  readonly statusCode?: number;
  /** Of `redirected`: where to; the crawl would continue there. */
  readonly redirectsTo?: string;
  readonly reason?: DiscardReason | ErrorReason;
  readonly message?: string;
  /** Of `read`, as in the results. */
  readonly fetchedUrl?: string;
  readonly meta?: PageMetadata;
  /** The first {@link previewTextMax} characters. */
  readonly text?: string;
  readonly isTextCut?: boolean;
  /** A browser could show more of the page. A preview uses none. */
  readonly needsBrowser?: boolean;
}

export interface LinksPreview {
  /** Distinct links of the page. */
  readonly found: number;
  /** Those that the crawl would follow. */
  readonly followed: number;
  /** Those of them whose pages would be delivered, as far as `deliver_globs` decides. */
  readonly delivered: number;
  /** The others by reason. */
  readonly reasons: Readonly<Partial<Record<DiscardReason, number>>>;
  /** The first {@link previewLinksMax}. */
  readonly first: readonly LinkPreview[];
  /** False if robots.txt has so many rules that some links were not compared with them. */
  readonly isRobotsChecked: boolean;
}

export interface LinkPreview {
  readonly url: string;
  readonly reason?: DiscardReason;
  /** The option or the line of robots.txt that decides. */
  readonly detail?: string;
}

export interface SitemapPreview {
  readonly status: 'read' | 'missing' | 'unreadable' | 'not_read';
  readonly url?: string;
  /** URLs that it names. */
  readonly urls?: number;
  /** Those that the crawl would fetch. */
  readonly followed?: number;
  /** Further sitemaps that it names. */
  readonly sitemaps?: number;
  readonly message?: string;
}
