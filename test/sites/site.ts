// A generated site: what it serves, and how a right crawl ends each of its URLs.
import type { IncomingHttpHeaders } from 'node:http';

/** `small` is for the check: seconds for all sites together. `full` has as many pages as such sites have. */
export type Size = 'small' | 'full';

export interface SiteModule {
  /** In kebab-case. */
  readonly name: string;
  /** The kind of site, in a sentence. */
  readonly resembles: string;
  readonly build: (size: Size) => Site;
}

export interface Site extends Expectations {
  /** Options of the job besides its start URL, which is `/`. @default the defaults of the program */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Milliseconds that a page takes; each path has its own time in this range. Files take none. */
  readonly latencyMs: readonly [from: number, to: number];
  readonly answer: (request: SiteRequest) => SiteAnswer | undefined;
  /** Whether it is there over https, too: a URL of that is named whole, such as `https://{{host}}/`. @default false */
  readonly isSecureToo?: boolean;
}

export interface SiteRequest {
  /** Path and query, as requested. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** In strings, `{{origin}}` and `{{host}}` stand for those of the site. */
export interface SiteAnswer {
  /** @default 200 */
  readonly status?: number;
  /** The `Content-Type`; empty for none. @default text/html; charset=utf-8 */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default '' */
  readonly body?: string | Uint8Array;
  /** How a string becomes bytes. @default UTF-8 */
  readonly encode?: (text: string) => Uint8Array;
  /** Served by the web server itself, at once. */
  readonly isFile?: boolean;
}

/**
 * How a URL has to end. `requests` is how often the site may be asked for it.
 *
 * - `page`: delivered, with `has` in its text exactly once; undefined for a page without text.
 * - `copy`: one of its group is delivered, with `has`; the others are `duplicate_of` a URL of the group, or end as `or` says.
 * - `ended`: requested, and listed with this reason; with `details`, one of these names is its detail.
 * - `refused`: listed with this reason, and never requested.
 * - `unlisted`: not a URL of the ledger, such as a sitemap, or a place that only a redirect leads to.
 */
export type Ending =
  | { readonly kind: 'page'; readonly has: string | undefined }
  | { readonly kind: 'copy'; readonly group: string; readonly has: string | undefined; readonly or?: readonly string[] }
  | { readonly kind: 'ended'; readonly reason: string; readonly details?: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unlisted'; readonly why: string };

export type Expected = Ending & { readonly name: string; readonly requests: readonly [least: number, most: number] };

/** URLs that cannot be listed one by one, such as those of a trap. */
export interface ExpectedPattern {
  readonly matches: (name: string) => boolean;
  /** How its URLs may end: `scraped`, or a reason. */
  readonly ends: readonly string[];
  /** Requests to all of them together. Each URL gets one at most. */
  readonly requestsMax: number;
}

export interface Expectations {
  readonly expected: readonly Expected[];
  /** @default none */
  readonly patterns?: readonly ExpectedPattern[];
  /** Codes of notices that the job has to have. @default none */
  readonly notices?: readonly string[];
  /** Codes that it may have besides. @default none */
  readonly noticesAllowed?: readonly string[];
  /** The name of a URL of the site, from its path and query. @default the same */
  readonly nameOf?: (path: string) => string;
  /** Requests that have to be in flight at once at some moment. @default 1 */
  readonly inFlightMin?: number;
}

/** Stands in navigation and footers, and in no text that is delivered. */
export const navigationMark = 'Sitenavigation';
