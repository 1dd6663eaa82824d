// The one error of the client, for what the service refuses and for what happens on the way to it.
import type { components } from './openapi.ts';

export type Problem = components['schemas']['Problem'];

/**
 * Codes of the client itself. All others come from the service.
 *
 * - `connection_failed`: no response. The service does not run, or the address or the certificate is wrong.
 * - `timeout`: the service sent nothing for `timeoutMs`, or `wait` took longer than its `timeoutMs`.
 * - `response_cut`: the response ended early, or is no JSON.
 * - `unexpected_response`: a response that hayrake does not send. The address is that of something else.
 * - `redirected`: the address redirects. The client follows no redirect, so that the token goes nowhere else.
 */
export type ClientCode = 'connection_failed' | 'timeout' | 'response_cut' | 'unexpected_response' | 'redirected';

/** Stable. `docs/errors.md` lists those of the service; new ones can be added. */
export type ErrorCode = ClientCode | Problem['code'] | (string & {});

export interface ErrorFields {
  /** The HTTP status; 0 without a response. */
  readonly status?: number;
  /** The fields that are wrong, with `invalid_body` and `invalid_parameter`. */
  readonly details?: readonly { readonly field: string; readonly message: string }[];
  /** Identifies the request in the log of the service. */
  readonly requestId?: string | undefined;
  /** What `Retry-After` says, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** With `page_damaged`: the number of the page. */
  readonly page?: number | undefined;
  /** With `page_damaged`: where to continue. */
  readonly cursor?: string | undefined;
}

/** Compare `code`, never `message`. An aborted call throws the reason of its signal instead. */
export class HayrakeError extends Error {
  override readonly name = 'HayrakeError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: NonNullable<ErrorFields['details']>;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly page: number | undefined;
  readonly cursor: string | undefined;

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = fields.status ?? 0;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.page = fields.page;
    this.cursor = fields.cursor;
  }
}
