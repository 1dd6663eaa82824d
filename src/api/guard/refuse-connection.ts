import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type ErrorCode, UserError } from '../../core/errors.ts';
import { problemBody, problemStatus } from '../response/problem.ts';

/** Errors of Node's HTTP parser, by code; any other error means that the bytes are not HTTP. */
const parserErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time. Send it again without pauses.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers together exceed 16 KiB. Send shorter ones.'],
};
const notHttp = [
  'bad_request',
  'This is not a valid HTTP/1.1 request. Check its first line, its headers and its length.',
] as const;

/**
 * Responds on the socket itself to bytes that never became a request, then closes it: the next request could not be
 * found in what follows.
 */
export function refuseConnection(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = parserErrors[error.code ?? ''] ?? notHttp;
  const requestId = randomUUID();
  const body = problemBody(new UserError(code, message), { instance: '', requestId });
  const head = [
    // The reason phrase may be empty (RFC 9112, 4).
    `HTTP/1.1 ${problemStatus(code)} `,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  // Do not keep it half open: the other side might never close its end.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
