/**
 * The operator's proxy did not do its part. Holds neither its address nor its password, and nothing that it said: the
 * text of an answer may repeat both.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode) {
    super(`The operator's proxy did not do its part (${code}).`);
    this.code = code;
  }
}

export type ProxyErrorCode =
  | 'PROXY_UNREACHABLE'
  /** It wants other credentials, or any. */
  | 'PROXY_DENIED'
  /** It opened a connection to none of the addresses. */
  | 'PROXY_REFUSED'
  /** What it said is no answer to CONNECT. */
  | 'PROXY_BROKEN'
  | 'PROXY_TIMEOUT';
