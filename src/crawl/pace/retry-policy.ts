import type { FetchResult } from '../../core/ports/fetcher.ts';
import type { CrawlError, Outcome } from '../../core/request.ts';
import { readRetryAfter } from '../../core/retry-after.ts';

/** Attempts at one request in all. */
export const attemptsMax = 4;
/** A longer pause that a site requests is cut to this. */
const pauseMaxMs = 3_600_000;

export interface RetryPolicy {
  /** Pause before the second attempt; each further one is four times as long. */
  readonly baseMs: number;
}

/**
 * What to do after a failed attempt: retry later, or give up. The pause is random between half and full length, so that
 * requests that failed together do not come back together.
 */
export function afterFailure(
  failure: { readonly error: CrawlError; readonly retryable: boolean; readonly retryAfterMs?: number },
  attempts: number,
  policy: RetryPolicy,
  random: number,
): Outcome {
  const { error, retryable, retryAfterMs } = failure;
  if (!retryable || attempts + 1 >= attemptsMax) return { kind: 'failed', error };
  const pause = Math.round(policy.baseMs * 4 ** attempts * (0.5 + random / 2));
  return { kind: 'retry', afterMs: Math.min(pauseMaxMs, Math.max(pause, retryAfterMs ?? 0)), error };
}

/** Statuses that mean "not now" rather than "no" (RFC 9110, 15.5.9 and 15.6; RFC 6585, 4; RFC 8470, 5.2). */
export function isPassing(statusCode: number): boolean {
  if (statusCode === 408 || statusCode === 425 || statusCode === 429) return true;
  return statusCode >= 500 && statusCode < 600 && statusCode !== 501 && statusCode !== 505;
}

/** The pause that a "not now" response requests. */
export function pauseAskedFor(result: FetchResult, now: number): number | undefined {
  if (result.kind !== 'body' || !isPassing(result.statusCode)) return undefined;
  return retryAfterMs(result.headers.retryAfter, now);
}

/** `Retry-After` as a pause, capped at an hour; undefined if there is none or it cannot be read. */
export function retryAfterMs(header: string, now: number): number | undefined {
  return readRetryAfter(header, now, pauseMaxMs);
}
