import type { RequestHeaders } from './job.ts';
import type { CrawlError } from './request.ts';

/** Gets one URL over the web. */
export interface Fetcher {
  /**
   * One request, one answer: redirects are returned, not followed, since the caller judges every hop. Never throws for
   * what the network or the other side does; those are {@link FetchFailure}s. Ends within `deadlineMs` in any case, but for
   * what it waits for room for its body.
   */
  fetch(url: string, options: FetchOptions): Promise<FetchResult>;
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** Asked when the connection is there, right before the request is sent: it is not where this answers false. */
  readonly maySend?: () => boolean;
  /** Wall clock for the whole exchange, less what it waited for {@link memory}. */
  readonly deadlineMs: number;
  /** Bytes of the body as sent (still packed). */
  readonly bodyBytesMax: number;
  /** Where room for the body is asked for while it is read. @default there is enough */
  readonly memory?: BodyMemory;
  /** What to do with a longer body: give up on it, or return what was read. @default 'fail' */
  readonly oversize?: 'fail' | 'cut';
  /**
   * Which bodies are read, by their type: those of pages, also those of files that can become pages, or all. Of the others only the
   * head is returned. @default 'pages'
   */
  readonly wants?: 'pages' | 'files' | 'all';
  /** Sent beside our own, and instead of those of ours that have the same name. */
  readonly headers?: RequestHeaders | undefined;
}

/** Room for the body of one answer. */
export interface BodyMemory {
  /** Whether so many bytes in all may be held. Where not, nothing more is to be read until `resume` is called, once. */
  hold(bytes: number, resume: () => void): boolean;
}

export type FetchResult = FetchedBody | FetchedRedirect | FetchFailure;

export interface FetchedBody {
  readonly kind: 'body';
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  /** Still packed as `contentEncoding` says: unpacking costs CPU and belongs off the main thread. */
  readonly body: Uint8Array;
  /** From the request to the head of the answer. Absent where this process was too busy meanwhile to tell its own time from the host's. */
  readonly latencyMs?: number;
}

export interface FetchedHeaders {
  readonly contentType: string;
  /** `gzip`, `br`, two of them with a space between in the order in which they were applied, or empty. */
  readonly contentEncoding: string;
  /** `X-Robots-Tag`, one line a header. Empty when absent. */
  readonly robotsTag: string;
  /** As sent: seconds or an HTTP date (RFC 9110, 10.2.3). Empty when absent. */
  readonly retryAfter: string;
  /** All `Link` headers, joined by commas (RFC 8288, 3), up to 16 KiB, escaped as a `location`. Empty when absent. */
  readonly link: string;
  /** `5; url=/next`, escaped as a `location`. Not in an RFC, but all browsers follow it. Empty when absent. */
  readonly refresh: string;
  /** As sent, quotes included (RFC 9110, 8.8.3), up to 1,024 characters. Empty when absent. */
  readonly etag: string;
  /** As sent: an HTTP date (RFC 9110, 8.8.2), up to 1,024 characters. Empty when absent. */
  readonly lastModified: string;
  /** Languages as sent, parted by commas (RFC 9110, 8.5). Empty when absent. */
  readonly contentLanguage: string;
}

export interface FetchedRedirect {
  readonly kind: 'redirect';
  readonly statusCode: number;
  /** The `Location` header as sent, but that bytes beyond ASCII are percent-encoded. */
  readonly location: string;
}

export interface FetchFailure {
  readonly kind: 'failure';
  readonly error: CrawlError;
  /** Another attempt may work. */
  readonly retryable: boolean;
  /**
   * Whose trouble it is, where it shows: true for our own side's (no network, no name server), false where somebody out
   * there did answer.
   */
  readonly isLocal?: boolean;
}

/** Says what may be asked for before anything is resolved or dialled. */
export interface DestinationPolicy {
  /** Undefined when the URL may be tried; else what is wrong with it, without saying what is behind it. */
  refusal(url: URL): string | undefined;
}
