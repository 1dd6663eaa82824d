import type { IncomingMessage } from 'node:http';
import { UserError } from '../../core/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { crawlerMarker } from '../../core/product-token.ts';

/** A site can send a crawler here any number of times. */
const logEveryMs = 60_000;

/**
 * Throws a `UserError` for a request of a hayrake crawler. The crawler's guard knows only the addresses of its own
 * process: a port forward, a proxy or another machine can still lead a job to the API or the metrics of the service.
 */
export function createCrawlerRefusal(log: Log): (request: IncomingMessage) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return ({ headers, socket, method, url }) => {
    if (headers['user-agent']?.startsWith(crawlerMarker) !== true) return;
    if (performance.now() - loggedAt >= logEveryMs) {
      loggedAt = performance.now();
      log.warn('refused a request from a hayrake crawler', {
        address: socket.remoteAddress,
        method,
        url: url?.slice(0, 200),
      });
    }
    throw new UserError(
      'crawler_refused',
      'This hayrake service refuses requests from hayrake crawlers. If you are an API client, send a different `User-Agent`.',
    );
  };
}
