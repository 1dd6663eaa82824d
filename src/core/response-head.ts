// What a response says before its body.

/**
 * Response headers as sent, names in lower case, one pair per header. A long head is cut to the headers that hayrake
 * reads.
 */
export type ResponseHead = readonly (readonly [name: string, value: string])[];

export interface FetchedHeaders {
  readonly contentType: string;
  /**
   * `gzip`, `deflate` (with or without the zlib wrapper), `br`, `zstd`, two of them in the order of application with a
   * space between, or empty.
   */
  readonly contentEncoding: string;
  /** `X-Robots-Tag`, one line per header, up to 16 KiB. Empty when absent. */
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
  /** Languages as sent, separated by commas (RFC 9110, 8.5), up to 1,024 characters. Empty when absent. */
  readonly contentLanguage: string;
  /** A firewall says that the response is a test whether a person is there (`cf-mitigated`, `x-amzn-waf-action`). */
  readonly isChallenge?: true;
}
