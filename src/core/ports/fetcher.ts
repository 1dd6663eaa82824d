import type { OwnedBytes } from '../bytes/owned-bytes.ts';
import type { RequestHeaders } from '../job.ts';
import type { ResponseHead, FetchedHeaders } from '../response-head.ts';
import type { CrawlError } from '../request.ts';

export type { ResponseHead, FetchedHeaders };

/** Names the public web in place of a private network. */
export const publicWeb = '';

/** Gets one URL over the web. */
export interface Fetcher {
  /**
   * Sends one request and returns one response: redirects are returned, not followed, because the caller judges every
   * hop. Never throws for errors of the network or the other side; those are {@link FetchFailure}s. Ends within
   * `deadlineMs`, plus the time that it waits for {@link BodyMemory}.
   */
  fetch(url: string, options: FetchOptions): Promise<FetchResult>;
}

/** Where a fetch may go besides the public web, and what it accepts there. */
export interface Entrance {
  /**
   * Name of the private network that this fetch may enter besides the public web: see {@link Networks.networkOf}.
   * @default none
   */
  readonly enter?: string | undefined;
  /**
   * Accept any certificate of a host in that private network. On the public web certificates are always verified.
   * @default false
   */
  readonly insecureTls?: boolean | undefined;
  /** The name of the operator's proxy that every connection takes. @default as the operator has set for all */
  readonly proxy?: string | undefined;
}

export interface FetchOptions extends Entrance {
  readonly signal: AbortSignal;
  /**
   * Called when the connection is ready, right before the request is sent. If it returns false, the request is not
   * sent.
   */
  readonly maySend?: () => boolean;
  /** Also read the bodies of error statuses. @default false */
  readonly wantsErrors?: boolean | undefined;
  /** A client waits for this fetch. @default false */
  readonly isUrgent?: boolean | undefined;
  /** Wall clock for the whole exchange, without the wait for {@link memory}. */
  readonly deadlineMs: number;
  /**
   * Wall clock to the head of the response, and then the longest time without a byte of its body. A body that still
   * arrives at the deadline is not worth another attempt. @default deadlineMs
   */
  readonly silenceMs?: number;
  /** Bytes of the body as sent (still compressed). */
  readonly bodyBytesMax: number;
  /** Grants room for the body while it is read. @default no limit */
  readonly memory?: BodyMemory;
  /** How to handle a longer body: fail, or return the bytes read so far. @default 'fail' */
  readonly oversize?: 'fail' | 'cut';
  /**
   * Which bodies to read, by their type: pages, pages and files that can become pages, or all. For other types only the
   * head is returned. @default 'pages'
   */
  readonly wants?: 'pages' | 'files' | 'all';
  /** A rendered page can POST to its resources. @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | undefined;
  /** Sent with a POST. */
  readonly body?: Uint8Array | undefined;
  /** Returns the whole head of the response, and the body also for an error status. @default false */
  readonly wantsHead?: boolean | undefined;
  /** Returns the whole head with a body. @default false */
  readonly keepsHead?: boolean | undefined;
  /** Sent besides our own headers. They replace ours of the same name. */
  readonly headers?: RequestHeaders | undefined;
}

/** Room for the body of one response. */
export interface BodyMemory {
  /**
   * Requests room for this many bytes in total. If it returns false, stop reading until it calls `resume`, which it
   * does once.
   */
  hold(bytes: number, resume: () => void): boolean;
}

export type FetchResult = FetchedBody | FetchedRedirect | FetchFailure;

/** Common to all responses. */
interface Answered {
  /**
   * The first 128 `Set-Cookie` headers. One longer than {@link cookieLineMax} is cut one character after that length.
   * Absent if there is none.
   */
  readonly setCookies?: readonly string[];
  /** The certificate of the host could not be verified: see {@link Entrance.insecureTls}. Absent otherwise. */
  readonly isUnverified?: true;
}

/** Characters of a `Set-Cookie` header: a cookie has up to 4,096, plus attributes. */
export const cookieLineMax = 8_192;

export interface FetchedBody extends Answered {
  readonly kind: 'body';
  /** The private network that the response came from. Absent for the public web. */
  readonly network?: string;
  readonly statusCode: number;
  readonly headers: FetchedHeaders;
  /** Still compressed as `contentEncoding` says: decompression costs CPU and belongs off the main thread. */
  readonly body: OwnedBytes;
  /** Only with {@link FetchOptions.wantsHead} or {@link FetchOptions.keepsHead}. */
  readonly head?: ResponseHead;
  /**
   * From the request to the head of the response. Absent if this process was too busy meanwhile to separate its own
   * delay from the host's.
   */
  readonly latencyMs?: number;
}

export interface FetchedRedirect extends Answered {
  readonly kind: 'redirect';
  /** As in {@link FetchedBody}. */
  readonly network?: string;
  readonly statusCode: number;
  /** The `Location` header as sent, except that bytes beyond ASCII are percent-encoded. */
  readonly location: string;
  /** Only with {@link FetchOptions.wantsHead}. */
  readonly head?: ResponseHead;
}

export interface FetchFailure {
  readonly kind: 'failure';
  readonly error: CrawlError;
  /** Another attempt can succeed. */
  readonly retryable: boolean;
  /**
   * Which side caused the failure, if known: true for ours (no network, no name server), false if a remote party did
   * respond.
   */
  readonly isLocal?: boolean;
}

/** Decides which URLs may be requested before anything is resolved or dialled. */
export interface DestinationPolicy {
  /** Names of the private networks that the operator opened. */
  readonly privateNetworks: readonly string[];
  /** Names of the proxies that a job can name. */
  readonly proxyNames: readonly string[];
  /** Names of the web are resolved by proxies, so nobody here knows which address answers. */
  readonly proxyResolves: boolean;
  /**
   * Returns undefined if a job may use the URL as a start URL or webhook. Otherwise returns what is wrong with the URL,
   * without revealing what it leads to.
   */
  refusal(url: URL): string | undefined;
}

/** Finds the network of a host. */
export interface Networks {
  /** Names of the private networks that the operator opened. If there are none, nothing has to be decided. */
  readonly privateNetworks: readonly string[];
  /**
   * Returns the network that contains all addresses of the host, for the port of the URL: the name of a private
   * network, or {@link publicWeb}. Undefined if there is none, or if the name cannot be resolved now. Never rejects.
   */
  networkOf(url: URL): Promise<string | undefined>;
}

/** Finds the server of a host. */
export interface Addresses {
  /**
   * Returns the first of the host's addresses in a fixed order, so that names of one server have the same one. Undefined
   * if nothing may be fetched there, or if the name cannot be resolved now. Never rejects.
   */
  addressOf(url: URL): Promise<string | undefined>;
}
