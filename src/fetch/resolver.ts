import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** All addresses of a name, in the order to try them. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Asks the operating system, so that /etc/hosts and its search rules hold as for any other program. */
export const resolveBySystem: Resolve = (hostname, callback) => lookup(hostname, { all: true }, callback);

/** As a socket asks for names. */
export function lookupBy(resolve: Resolve): LookupFunction {
  return (hostname, options, answer) => {
    // Never at once, as a remembered answer would be: a connection that fails at once, such as one over IPv6 where there is
    // none, would end a TLS socket before anybody listens for its error, and that error would end the process.
    const callback: typeof answer = (...result) => process.nextTick(answer, ...result);
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
 * Answers within `ms`, as if no name server had answered in time. The operating system would wait for longer, with every
 * name server that it knows, and then it would look as if the host did not accept a connection.
 */
export function hurryResolve(resolve: Resolve, ms: number): Resolve {
  return (hostname, callback) => {
    let isOver = false;
    const answer: typeof callback = (...result) => {
      clearTimeout(timer);
      if (!isOver) callback(...result);
      isOver = true;
    };
    const timer = setTimeout(() => {
      answer(Object.assign(new Error('No name server has answered.'), { code: 'ETIMEOUT' }), []);
    }, ms).unref();
    resolve(hostname, answer);
  };
}

/** No longer, so that a name that moves is followed, and one that is moved inside is judged anew. */
const cachedMs = 60_000;
/** About 200 bytes each. */
const cachedNamesMax = 10_000;

/**
 * Remembers answers, and asks once when many ask at the same time: `getaddrinfo` runs on four threads for the whole
 * process, so that a slow name server would else hold up every other host. Failures are not remembered.
 */
export function cacheResolve(resolve: Resolve, now: () => number = Date.now): Resolve {
  const answers = new Map<string, { readonly addresses: readonly ResolvedAddress[]; readonly expiresAt: number }>();
  const waiting = new Map<string, Parameters<Resolve>[1][]>();

  return (hostname, callback) => {
    const answer = answers.get(hostname);
    if (answer !== undefined && answer.expiresAt > now()) {
      callback(null, answer.addresses);
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
      answers.delete(hostname);
      if (error === null) {
        forgetOldest(answers);
        answers.set(hostname, { addresses, expiresAt: now() + cachedMs });
      }
      for (const waiter of callbacks) {
        waiter(error, addresses);
      }
    });
  };
}

function forgetOldest(answers: Map<string, unknown>): void {
  if (answers.size >= cachedNamesMax) {
    for (const oldest of answers.keys()) {
      answers.delete(oldest);
      return;
    }
  }
}
