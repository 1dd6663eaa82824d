import type { OwnedBytes } from './owned-bytes.ts';
import type { RequestHeaders } from './job.ts';
import type { CrawlError } from './request.ts';

/** Names the public web where the name of a private network could stand. */
export const publicWeb = '';

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
  /** Somebody waits for it. @default false */
  readonly isUrgent?: boolean | undefined;
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
  /** Resources of a page that is rendered may be posted to. @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | undefined;
  /** Sent with a POST. */
  readonly body?: Uint8Array | undefined;
  /** The whole head of the answer is returned, and the body also where the status says that it failed. @default false */
  readonly wantsHead?: boolean | undefined;
  /**
   * The private network that this fetch may enter besides the public web, by its name: see {@link DestinationPolicy.networkOf}.
   * @default none
   */
  readonly enter?: string | undefined;
  /** Sent beside our own, and instead of those of ours that have the same name. */
  readonly headers?: RequestHeaders | undefined;
}

/** Room for the body of one answer. */
export interface BodyMemory {
  /** Whether so many bytes in all may be held. Where not, nothing more is to be read until `resume` is called, once. */
  hold(bytes: number, resume: () => void): boolean;
}

export type FetchResult = FetchedBody | FetchedRedirect | FetchFailure;

/** What every answer that arrived has. */
interface Answered {
  /** The first 128 `Set-Cookie` headers; of one that is longer than {@link cookieLineMax}, one character more. Absent where there is none. */
  readonly setCookies?: readonly string[];
}

/** Characters of a `Set-Cookie` header: a cookie has up to 4,096, and attributes. */
export const cookieLineMax = 8_192;

export interface FetchedBody extends Answered {
  readonly kind: 'body';
  /** The private network that the answer came from. Absent where it came from the public web. */
  readonly network?: string;
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  /** Still packed as `contentEncoding` says: unpacking costs CPU and belongs off the main thread. */
  readonly body: OwnedBytes;
  /** Only with {@link FetchOptions.wantsHead}. */
  readonly head?: AnswerHead;
  /** From the request to the head of the answer. Absent where this process was too busy meanwhile to tell its own time from the host's. */
  readonly latencyMs?: number;
}

export interface FetchedHeaders {
  readonly contentType: string;
  /** `gzip`, `deflate` (with or without the wrapper of zlib), `br`, `zstd`, two of them with a space between in the order in which they were applied, or empty. */
  readonly contentEncoding: string;
  /** `X-Robots-Tag`, one line a header, up to 16 KiB. Empty when absent. */
  readonly robotsTag: string;
  /** As sent: seconds or an HTTP date (RFC 9110, 10.2.3), up to 1,024 characters. Empty when absent. */
  readonly retryAfter: string;
  /** All `Link` headers, joined by commas (RFC 8288, 3), up to 16 KiB, escaped as a `location`. Empty when absent. */
  readonly link: string;
  /** `5; url=/next`, up to 16 KiB, escaped as a `location`. Not in an RFC, but all browsers follow it. Empty when absent. */
  readonly refresh: string;
  /** As sent, quotes included (RFC 9110, 8.8.3), up to 1,024 characters. Empty when absent. */
  readonly etag: string;
  /** As sent: an HTTP date (RFC 9110, 8.8.2), up to 1,024 characters. Empty when absent. */
  readonly lastModified: string;
  /** Languages as sent, parted by commas (RFC 9110, 8.5), up to 1,024 characters. Empty when absent. */
  readonly contentLanguage: string;
}

export interface FetchedRedirect extends Answered {
  readonly kind: 'redirect';
  /** As in {@link FetchedBody}. */
  readonly network?: string;
  readonly statusCode: number;
  /** The `Location` header as sent, but that bytes beyond ASCII are percent-encoded. */
  readonly location: string;
  /** Only with {@link FetchOptions.wantsHead}. */
  readonly head?: AnswerHead;
}

/** The headers of an answer as sent, names in lower case, one pair a header; of a long head those that are read, and no others. */
export type AnswerHead = readonly (readonly [name: string, value: string])[];

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

/** Says what may be requested before anything is resolved or dialled. */
export interface DestinationPolicy {
  /**
   * Undefined when a job may have the URL as its start URL, or as its webhook; else what is wrong with the URL, without saying
   * what is behind it.
   */
  refusal(url: URL): string | undefined;
}

/** Says in which network a host is. */
export interface Networks {
  /** Names of the private networks that the operator opened. Where there is none, there is nothing to decide. */
  readonly privateNetworks: readonly string[];
  /**
   * The network that all addresses of the host are in, for the port of the URL: the name of a private network, or
   * {@link publicWeb}. Undefined where there is none, or the name cannot be resolved now. Never rejects.
   */
  networkOf(url: URL): Promise<string | undefined>;
}
