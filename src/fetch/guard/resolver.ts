import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { monotonicNow } from '../../core/process/monotonic-time.ts';

/** All addresses of a name, in the order to try them. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Uses the operating system, so that /etc/hosts and its search rules apply as for any other program. */
export const resolveBySystem: Resolve = (hostname, callback) => lookup(hostname, { all: true }, callback);

/** Adapts a resolver to the `lookup` option of a socket. */
export function lookupBy(resolve: Resolve): LookupFunction {
  return (hostname, options, response) => {
    // Never synchronously, as a cached result would be. A connection that fails at once, such as over IPv6 on a machine
    // without it, would end a TLS socket before anything listens for its error, and that error would end the process.
    const callback: typeof response = (...result) => process.nextTick(response, ...result);
    resolve(hostname, (error, addresses) => {
      const first = error === null ? addresses[0] : undefined;
      if (first === undefined) {
        callback(error ?? Object.assign(new Error('The name has no address.'), { code: 'ENODATA' }), []);
      } else if (options.all === true) {
        callback(null, [...addresses]);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/**
 * Fails after `ms`, as if no name server had responded in time. The operating system would wait longer, for every name
 * server it knows, and then the host would seem not to accept the connection.
 */
export function hurryResolve(resolve: Resolve, ms: number): Resolve {
  return (hostname, callback) => {
    let isOver = false;
    const response: typeof callback = (...result) => {
      clearTimeout(timer);
      if (!isOver) callback(...result);
      isOver = true;
    };
    const timer = setTimeout(() => {
      response(Object.assign(new Error('No name server responded.'), { code: 'ETIMEOUT' }), []);
    }, ms).unref();
    resolve(hostname, response);
  };
}

/** Short, so that a name that moves is followed, and one that moves inside is judged again. */
const cachedMs = 60_000;
/** About 200 bytes each. */
const cachedNamesMax = 10_000;

/**
 * Caches addresses, and joins concurrent lookups of one name: `getaddrinfo` runs in libuv's thread pool (32 threads,
 * `main.ts`) for the whole process, so slow name servers would otherwise block all other hosts. Failures are not
 * cached.
 */
export function cacheResolve(resolve: Resolve, now: () => number = monotonicNow): Resolve {
  const responses = new Map<string, { readonly addresses: readonly ResolvedAddress[]; readonly expiresAt: number }>();
  const waiting = new Map<string, Parameters<Resolve>[1][]>();

  return (hostname, callback) => {
    const response = responses.get(hostname);
    if (response !== undefined && response.expiresAt > now()) {
      callback(null, response.addresses);
      return;
    }
    const others = waiting.get(hostname);
    if (others !== undefined) {
      others.push(callback);
      return;
    }
    const callbacks = [callback];
    waiting.set(hostname, callbacks);
    resolve(hostname, (error, addresses) => {
      waiting.delete(hostname);
      responses.delete(hostname);
      if (error === null) {
        forgetOldest(responses);
        responses.set(hostname, { addresses, expiresAt: now() + cachedMs });
      }
      for (const waiter of callbacks) {
        waiter(error, addresses);
      }
    });
  };
}

function forgetOldest(responses: Map<string, unknown>): void {
  if (responses.size >= cachedNamesMax) {
    for (const oldest of responses.keys()) {
      responses.delete(oldest);
      return;
    }
  }
}
