import type { FetchedHeaders } from '../../core/fetcher.ts';
import type { FileKind } from '../../core/file-kind.ts';
import type { PageRecord } from '../../core/page.ts';
import type { CrawlError, Link } from '../../core/request.ts';
import type { JobBrief } from '../job-cache.ts';

/** Turns bytes into pages and links, off the main thread. */
export interface Converter {
  /** Never rejects: a page that cannot be converted, hangs or ends its thread is an `error`. */
  convertPage(input: PageInput): Promise<ConvertedPage>;
  /** What cannot be read names nothing. */
  readSitemap(input: SitemapInput): Promise<SitemapLinks>;
  close(): Promise<void>;
}

export interface PageInput {
  readonly job: JobBrief;
  readonly requestUrl: string;
  readonly fetchedUrl: string;
  readonly depth: number;
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  readonly body: Uint8Array;
  /** Set where it is a file that is to become a page. */
  readonly file?: FileKind;
  /** Set where the lines of the page's text are wanted. */
  readonly lines?: { readonly ignoresNumbers: boolean };
}

export type ConvertedPage =
  | { readonly kind: 'page'; readonly page: PageRecord; readonly links: readonly Link[]; readonly lines?: Uint32Array }
  | { readonly kind: 'short'; readonly detail: string; readonly links: readonly Link[]; readonly lines?: Uint32Array }
  /** The body is a file of another kind. */
  | { readonly kind: 'binary'; readonly detail: string }
  | { readonly kind: 'error'; readonly error: CrawlError };

export interface SitemapInput {
  readonly job: JobBrief;
  readonly url: string;
  /** Depth of the URLs that the sitemap names. */
  readonly depth: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Uint8Array;
  /** Bytes of the unpacked sitemap. */
  readonly bytesMax: number;
}

export interface SitemapLinks {
  readonly urls: readonly Link[];
  readonly sitemaps: readonly string[];
}
