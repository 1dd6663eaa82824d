/** A page as its site sent it, for jobs with `store_raw`. */
import type { FileKind } from './bytes/file-kind.ts';
import type { ResponseHead, FetchedHeaders } from './response-head.ts';

export interface RawPage {
  readonly head: RawHead;
  /** The body of the response, without its content codings. */
  readonly received: Uint8Array;
  /** Of a page from the browser: the document after rendering, in UTF-8. */
  readonly rendered?: Uint8Array;
}

export interface RawHead {
  readonly url: string;
  /** After redirects. */
  readonly fetchedUrl: string;
  readonly depth: number;
  readonly fetchedAt: number;
  readonly statusCode: number;
  /** As sent; secrets are removed: see {@link withoutSecrets}. */
  readonly headers: ResponseHead;
  /** What a conversion reads of them. The body has no content coding any more. */
  readonly read: FetchedHeaders;
  /** Set for a file that became a page. */
  readonly file?: FileKind;
  readonly isUnverified?: true;
}

/** Some sites send the request's own headers back. */
const secretHeader = /^(?:set-cookie2?|cookie2?|proxy-.*|www-authenticate|authentication-info|authorization)$/i;

/** Replaces the values of headers that belong to a session or to a connection. */
export function withoutSecrets(head: ResponseHead): ResponseHead {
  return head.map(([name, value]) => [name, secretHeader.test(name) ? '[removed]' : value] as const);
}
