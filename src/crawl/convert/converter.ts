import type { OwnedBytes } from '../../core/bytes/owned-bytes.ts';
import type { FetchedHeaders } from '../../core/ports/fetcher.ts';
import type { FileKind } from '../../core/bytes/file-kind.ts';
import type { PageRecord } from '../../core/page.ts';
import type { CountedCode } from '../../core/job-codes.ts';
import type { CrawlError, Link } from '../../core/request.ts';
import type { Asks, Learning } from '../../extract/learn/learned-data.ts';
import type { Lesson } from '../../extract/learn/lesson.ts';
import type { Answer, LearnedRules } from '../../extract/learn/rules.ts';
import type { CountedNumbers } from '../../url/url-template.ts';
import type { JobBrief } from '../job/job-cache.ts';
import type { BrowserNeed } from './needs-browser.ts';

/** Turns bytes into pages and links, off the main thread. */
export interface Converter {
  /**
   * Never rejects: a page that cannot be converted, hangs or ends its thread is an `error`. The body stays the caller's,
   * who frees it. Rejects only when `untilAnswered` does.
   */
  convertPage(input: PageInput, untilAnswered?: UntilAnswered): Promise<ConvertedPage>;
  /** An unreadable sitemap yields no URLs. Frees the body. */
  readSitemap(input: SitemapInput): Promise<SitemapLinks>;
  /** The store has the links of these conversions, so later ones need not report them. A hint. */
  committed(conversions: readonly number[]): void;
  close(): Promise<void>;
}

/** Resolves when the promise does, which is when the model has answered. Rejects when the page must not wait any more. */
export type UntilAnswered = (wait: Promise<unknown>) => Promise<void>;

export interface Teacher {
  /** Learns from an answer of the model, off the main thread. Rejects if nothing can be learned from the page. */
  teach(input: TeachInput): Promise<Taught>;
}

/** Undefined: the answer is no object. */
export type Taught = { readonly lesson: Lesson | undefined };

export interface TeachInput {
  readonly job: JobBrief;
  readonly page: { readonly url: string; readonly html: string };
  /** What the model said. */
  readonly given: unknown;
  readonly samples: readonly PackedSample[];
  readonly rules: LearnedRules;
  /** What was learned from pages that are not among the samples. */
  readonly base: LearnedRules;
}

/** A page whose answer is known, with its HTML deflated. */
export interface PackedSample {
  readonly url: string;
  readonly html: Uint8Array;
  readonly answer: Answer;
}

export interface PageInput {
  readonly job: JobBrief;
  readonly requestUrl: string;
  /** A client waits for it: it comes before tasks that are not urgent. @default false */
  readonly isUrgent?: boolean | undefined;
  readonly fetchedUrl: string;
  readonly depth: number;
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  readonly body: OwnedBytes;
  /** The body is HTML in UTF-8, as rendered by a browser. @default false */
  readonly isRendered?: boolean;
  /** A certificate could not be verified on the way. @default false */
  readonly isUnverified?: boolean;
  /** Set for a file that becomes a page. */
  readonly file?: FileKind;
  /** The page as an earlier job knew it; null if that had none. Absent if the job has no `since`. */
  readonly earlier?: { readonly hash: string } | null;
  /** Set if the lines of the page's text are wanted. */
  readonly lines?: { readonly numbers: CountedNumbers };
  /** See `Finding.selfFed`. @default false */
  readonly isSelfFed?: boolean;
  /** Set if the job learns from a model. */
  readonly learning?: Learning;
}

export type ConvertedPage =
  | ({
      readonly kind: 'page';
      readonly page: PageRecord;
      /** The body without its content codings, if the job keeps it. */
      readonly unpacked?: Uint8Array;
      /** Set if the model is to be asked about the page. */
      readonly asks?: Asks;
    } & FoundOnPage)
  | ({ readonly kind: 'short'; readonly detail: string } & FoundOnPage)
  /** The page contains only an immediate redirect. `target`: an absolute http(s) URL. */
  | { readonly kind: 'moved'; readonly target: string }
  /** The body is a file of another kind. */
  | { readonly kind: 'binary'; readonly detail: string }
  | { readonly kind: 'error'; readonly error: CrawlError };

interface FoundOnPage {
  /** Without links that are known to be in the store. */
  readonly links: readonly Link[];
  readonly lines?: Uint32Array;
  /** What the owner of the job should know about the page. */
  readonly remarks?: readonly CountedCode[];
  /** Characters of its content, as plain text; 0 if there are only menus and footers. Absent for files. */
  readonly ownLength?: number;
  /** Why a browser could show more of the page. Absent if the page has its text. */
  readonly browser?: BrowserNeed;
  /** Pass this to {@link Converter.committed} once the links are stored. Absent if there are no links to store. */
  readonly conversion?: number;
}

export interface SitemapInput {
  readonly job: JobBrief;
  readonly url: string;
  /** Depth of the URLs in the sitemap. */
  readonly depth: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: OwnedBytes;
  /** Bytes of the unpacked sitemap. */
  readonly bytesMax: number;
  /** The text may be Markdown, such as `llms.txt`: its links count too. @default false */
  readonly mayBeMarkdown?: boolean;
}

export interface SitemapLinks {
  readonly urls: readonly Link[];
  readonly sitemaps: readonly string[];
  /** Why there is nothing, or less than the file contains, in words. */
  readonly problem?: string;
}
