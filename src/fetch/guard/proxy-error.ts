/**
 * The operator's proxy failed. Contains neither its address, nor its password, nor any text it sent, which could repeat
 * both.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode) {
    super(`The operator's proxy failed (${code}).`);
    this.code = code;
  }
}

export type ProxyErrorCode =
  | 'PROXY_UNREACHABLE'
  /** It requires other credentials, or any at all. */
  | 'PROXY_DENIED'
  /** It opened a connection to none of the addresses. */
  | 'PROXY_REFUSED'
  /** It sent something that is not a response to CONNECT. */
  | 'PROXY_BROKEN'
  | 'PROXY_TIMEOUT'
  /** The operator has no proxy of this name any more. */
  | 'PROXY_REMOVED';
