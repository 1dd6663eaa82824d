import type { IncomingMessage } from 'node:http';
import { UserError } from '../../core/errors.ts';
import { isLoopback } from '../../core/process/loopback.ts';
import { headersMax } from '../limits.ts';

/**
 * Throws a `UserError` for a request whose target and `Host` (RFC 9112, 3.2) leave its recipient open, or name another
 * one.
 *
 * When listening on loopback, accepts loopback host names only. Any other `Host` means DNS rebinding: a page in a
 * browser points its own name here, and the browser takes the responses for the page's own.
 */
export function refuseMisdirected(request: IncomingMessage, listensOn: string): void {
  const hosts = request.headersDistinct['host'] ?? [];
  const [host] = hosts;
  if (hosts.length > 1 || (host === undefined && request.httpVersion === '1.1'))
    throw new UserError('bad_request', 'Send exactly one `Host` header.');
  if (/^[a-z][a-z0-9+.-]*:/i.test(request.url ?? ''))
    throw new UserError('bad_request', 'The request line has a full URL, as for a proxy. Send only the path.');
  if (request.rawHeaders.length > 2 * headersMax)
    throw new UserError('headers_too_large', `The request has more than ${headersMax} headers. Send fewer.`);
  if (host !== undefined && isLoopback(listensOn) && !isOwnName(nameOf(host), listensOn))
    throw new UserError(
      'misdirected_request',
      `This service listens on ${listensOn} only, and \`Host\` names a different service. Send \`Host: localhost\`; a proxy in front must set it.`,
    );
}

function nameOf(host: string): string {
  return host.replace(/:\d{0,5}$/, '').toLowerCase();
}

function isOwnName(name: string, listensOn: string): boolean {
  return isLoopback(name.replace(/^\[(.*)\]$/, '$1')) || name === listensOn.toLowerCase();
}
