// Outcomes of responses that are no page: error statuses, challenges, types that are not read.
import { blockingStatuses, statusError } from '../../core/reasons.ts';
import { hostKey } from '../../core/host-key.ts';
import type { FetchedBody } from '../../core/ports/fetcher.ts';
import type { Request } from '../../core/request.ts';
import { isRefusal } from '../pace/refusals.ts';
import { afterFailure, isPassing, pauseAskedFor } from '../pace/retry-policy.ts';
import type { PathParts, Step } from './request-path.ts';

const refusedAgainAfterMs = 1_000;
/** A few more than refusals in a row that stop the crawl of a host. */
const refusedAgainAfterRequests = 12;

export function httpError(request: Request, url: URL, response: FetchedBody, parts: PathParts): Step {
  const { statusCode, headers } = response;
  // A host that refuses with a status of its own is paused, and asked again.
  if (headers.isChallenge === true && !blockingStatuses.has(statusCode)) return challenged(request, statusCode, parts);
  const error = statusError(statusCode);
  const pauseMs = pauseAskedFor(response, Date.now());
  const againMs = isPassing(statusCode) ? pauseMs : refusedAgainMs(request, url, statusCode, parts);
  const retryable = isPassing(statusCode) || againMs !== undefined;
  return failed(request, { error, retryable, ...(againMs !== undefined && { retryAfterMs: againMs }) }, parts);
}

/**
 * When a URL that was refused is asked for once more: after the requests that tell whether the host refuses this page or
 * everything. Undefined if the host has never served such a URL.
 */
function refusedAgainMs({ attempts }: Request, url: URL, statusCode: number, { pacer }: PathParts): number | undefined {
  const { circuit, delayMs } = pacer.of(hostKey(url));
  if (attempts > 0 || !isRefusal(statusCode) || circuit.failures === 0) return undefined;
  return refusedAgainAfterMs + refusedAgainAfterRequests * delayMs;
}

export function challenged(request: Request, statusCode: number, parts: PathParts): Step {
  parts.remarks.push('blocked');
  const message = 'The site tests whether a person is there, in place of its page.';
  return failed(request, { error: { reason: 'challenge', message, statusCode }, retryable: false }, parts);
}

export function failed(request: Request, failure: Parameters<typeof afterFailure>[0], { options }: PathParts): Step {
  return { outcome: afterFailure(failure, request.attempts, options.retry, Math.random()), fetched: true };
}

export function notPage(detail: string, statusCode: number): Step {
  return { outcome: { kind: 'discarded', reason: 'content_type', detail, statusCode }, fetched: true };
}
