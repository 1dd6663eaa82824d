import type { Fetcher, FetchOptions, FetchResult } from '../../core/ports/fetcher.ts';
import { acceptEncoding } from '../response/response-head.ts';
import type { Egress } from '../guard/egress.ts';
import type { WebRequest } from '../http2/request-headers.ts';
import { Exchange } from './exchange.ts';
import { fail } from './fetch-errors.ts';

export interface HttpFetcherOptions {
  readonly egress: Egress;
  /** The complete `User-Agent` header. */
  readonly userAgent: string;
}

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5';

/** Fetches over HTTP through the guard. Renders nothing, remembers no cookies, sends no referrer. */
export function createHttpFetcher({ egress, userAgent }: HttpFetcherOptions): Fetcher {
  // A site that negotiates gives its default language; some fail without the header.
  const own = { 'user-agent': userAgent, accept, 'accept-encoding': acceptEncoding, 'accept-language': '*' };
  const ownList = Object.entries(own).flat();

  return {
    fetch(text, options) {
      const url = URL.parse(text);
      if (url === null) {
        return Promise.resolve(fail('badUrl'));
      }
      const enter = options.enter === undefined ? [] : [options.enter];
      const refusal = egress.fetchRefusal(url, enter);
      if (refusal !== undefined) {
        const error = { reason: 'destination_not_allowed', message: refusal } as const;
        return Promise.resolve({ kind: 'failure', retryable: false, error });
      }
      if (options.signal.aborted) {
        return Promise.resolve(fail('stopped'));
      }
      // A list saves undici from building one; few jobs have headers of their own.
      const headers = options.headers === undefined ? ownList : Object.entries({ ...own, ...options.headers }).flat();
      return exchange(egress, url, headers, enter, options);
    },
  };
}

function exchange(
  egress: Egress,
  url: URL,
  headers: string[],
  enter: readonly string[],
  options: FetchOptions,
): Promise<FetchResult> {
  const { promise, resolve } = Promise.withResolvers<FetchResult>();
  const request: WebRequest = {
    method: options.method ?? 'GET',
    ...(options.body !== undefined && { body: options.body }),
    origin: url.origin,
    // As written: `search` would drop a trailing `?`.
    path: url.href.slice(url.origin.length).split('#', 1)[0] ?? '/',
    headers,
    reset: egress.isCrowded(),
    onCarrier: (carrier) => {
      handler.carrier = carrier;
    },
  };
  // Created before the name is resolved, so that the deadline counts from here.
  const handler = new Exchange(request.path, options, resolve);
  handler.send(request, egress.wayTo(url, enter, options.insecureTls, options.proxy));
  return promise;
}
