import type { OutgoingHttpHeaders } from 'node:http2';
import type { Dispatcher } from 'undici';

/** What a request can learn of its connection. */
export interface Carrier {
  /** The certificate of the host is not valid. */
  readonly isUnverified: boolean;
}

/** A request as undici takes it. */
export interface WebRequest extends Dispatcher.DispatchOptions {
  readonly origin: string;
  /** A list has names and values in turn. */
  readonly headers: string[] | Record<string, string>;
  readonly body?: Uint8Array;
  /** Called before the connection is made: look at the carrier when the response has come. */
  readonly onCarrier?: (carrier: Carrier) => void;
}

/** Headers of a single connection, which HTTP/2 forbids (RFC 9113, 8.2.2), and the host, which has a field of its own. */
const left = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

export function requestHeaders({ origin, path, method, headers, body }: WebRequest): OutgoingHttpHeaders {
  const { host, protocol } = new URL(origin);
  const list = Array.isArray(headers) ? headers : Object.entries(headers).flat();
  const named: Record<string, string> = {};
  for (let at = 0; at + 1 < list.length; at += 2) {
    const [name = '', value = ''] = list.slice(at, at + 2);
    if (!left.has(name.toLowerCase())) named[name.toLowerCase()] = value;
  }
  return {
    ':method': method,
    ':path': path,
    ':scheme': protocol.slice(0, -1),
    ':authority': host,
    ...named,
    ...(body !== undefined && { 'content-length': body.byteLength }),
  };
}
