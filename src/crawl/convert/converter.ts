import type { OwnedBytes } from '../../core/owned-bytes.ts';
import type { FetchedHeaders } from '../../core/fetcher.ts';
import type { FileKind } from '../../core/file-kind.ts';
import type { PageRecord } from '../../core/page.ts';
import type { CountedCode } from '../../core/reasons.ts';
import type { CrawlError, Link } from '../../core/request.ts';
import type { CountedNumbers } from '../../url/url-template.ts';
import type { JobBrief } from '../job-cache.ts';
import type { BrowserNeed } from '../needs-browser.ts';

/**
 * Turns bytes into pages and links, off the main thread. The body that it is given is its own, and empty afterwards.
 */
export interface Converter {
  /** Never rejects: a page that cannot be converted, hangs or ends its thread is an `error`. */
  convertPage(input: PageInput): Promise<ConvertedPage>;
  /** What cannot be read names nothing. */
  readSitemap(input: SitemapInput): Promise<SitemapLinks>;
  /** The links that these conversions told are in the store, so that later ones need not tell them. A hint. */
  committed(conversions: readonly number[]): void;
  close(): Promise<void>;
}

export interface PageInput {
  readonly job: JobBrief;
  readonly requestUrl: string;
  /** Somebody waits for it: it comes before what is not urgent. @default false */
  readonly isUrgent?: boolean | undefined;
  readonly fetchedUrl: string;
  readonly depth: number;
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  readonly body: OwnedBytes;
  /** The body is what a browser made of the page, as HTML in UTF-8. @default false */
  readonly isRendered?: boolean;
  /** Set where it is a file that is to become a page. */
  readonly file?: FileKind;
  /** Set where the lines of the page's text are wanted. */
  readonly lines?: { readonly numbers: CountedNumbers };
}

export type ConvertedPage =
  | ({ readonly kind: 'page'; readonly page: PageRecord } & FoundOnPage)
  | ({ readonly kind: 'short'; readonly detail: string } & FoundOnPage)
  /** The page has nothing to say but where to go at once. `target`: an absolute http(s) URL. */
  | { readonly kind: 'moved'; readonly target: string }
  /** The body is a file of another kind. */
  | { readonly kind: 'binary'; readonly detail: string }
  | { readonly kind: 'error'; readonly error: CrawlError };

interface FoundOnPage {
  /** Without those of which it is known that they are in the store. */
  readonly links: readonly Link[];
  readonly lines?: Uint32Array;
  /** What the owner of the job should know of the page. */
  readonly remarks?: readonly CountedCode[];
  /** Characters of its content, as plain text; 0 where there is nothing but menus and footers. Absent for files. */
  readonly ownLength?: number;
  /** Why a browser could show more of it. Absent where the page has its text. */
  readonly browser?: BrowserNeed;
  /**
   * What {@link Converter.committed} is to be told once the links are stored. Absent where there is nothing to tell.
   */
  readonly conversion?: number;
}

export interface SitemapInput {
  readonly job: JobBrief;
  readonly url: string;
  /** Depth of the URLs that the sitemap names. */
  readonly depth: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: OwnedBytes;
  /** Bytes of the unpacked sitemap. */
  readonly bytesMax: number;
}

export interface SitemapLinks {
  readonly urls: readonly Link[];
  readonly sitemaps: readonly string[];
  /** Why there is nothing, or less than the file has, in words. */
  readonly problem?: string;
}
