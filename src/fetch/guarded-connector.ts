import { isIP, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { DestinationNotAllowedError } from './destination-error.ts';
import { createJudgedResolve, type JudgedResolveOptions } from './judged-resolve.ts';
import { lookupBy } from './resolver.ts';

export interface GuardedConnectorOptions extends JudgedResolveOptions {
  /** Told of every socket, to count it. */
  readonly onSocket: (socket: Socket) => void;
}

/** From the name to a finished TLS handshake. */
export const connectMs = 10_000;
/** Per address of a name with several, before the next is tried. */
const attemptMs = 1_000;

/**
 * Connects to nothing that the rule refuses, judged three times, since each place alone can be passed by:
 *
 * 1. a literal address, for which a socket never asks its `lookup`;
 * 2. the answer to the name, all of it: one refused address refuses the name, and only what was judged is dialled;
 * 3. the peer the socket did reach, before the first byte is written, be it a TLS greeting.
 *
 * One connector an origin, so that the answer to a name can be judged together with the port.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { rule, port, onSocket } = options;
  const connect = buildConnector({
    timeout: connectMs,
    lookup: lookupBy(createJudgedResolve(options)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    // One origin has one server name.
    maxCachedSessions: 1,
  });
  const isPeerAllowed = (socket: Socket): boolean => rule.allows(socket.remoteAddress ?? '', socket.remotePort ?? 0);

  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !rule.allows(target.hostname, port)) {
      callback(new DestinationNotAllowedError(), null);
      return;
    }
    const socket: unknown = connect(target, (...answer) => {
      const [error, connected] = answer;
      if (error !== null || isPeerAllowed(connected)) {
        callback(...answer);
        return;
      }
      connected.destroy();
      callback(new DestinationNotAllowedError(), null);
    });
    if (socket instanceof Socket) {
      onSocket(socket);
      // Before the listener of TLS, which would send its greeting.
      socket.prependOnceListener('connect', () => {
        if (!isPeerAllowed(socket)) {
          socket.destroy(new DestinationNotAllowedError());
        }
      });
    }
  };
}
