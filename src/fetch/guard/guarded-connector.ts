import { isIP, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { DestinationNotAllowedError } from './destination-error.ts';
import { createJudgedResolve, type JudgedResolveOptions } from './judged-resolve.ts';
import { lookupBy } from './resolver.ts';

export interface GuardedConnectorOptions extends JudgedResolveOptions {
  /** Called for every socket, to count it. */
  readonly onSocket: (socket: Socket) => void;
  /** Which certificates are trusted. @default those that Node trusts */
  readonly secureContext?: SecureContext;
  /** Accept any certificate; `authorized` of the socket says whether it is valid. @default false */
  readonly anyCertificate?: boolean;
  /** Offer HTTP/2 besides HTTP/1.1; `alpnProtocol` of the socket says which one the host chose. @default false */
  readonly allowH2?: boolean;
}

/** From the name to a finished TLS handshake. */
export const connectMs = 10_000;
/** Per address of a name with several, before trying the next. */
const attemptMs = 1_000;

/**
 * Refuses every connection that the rule forbids. It judges three times, because each single check can be bypassed:
 *
 * 1. a literal address, for which a socket never calls its `lookup`;
 * 2. all addresses of a name: one refused address refuses the name, and only judged addresses are dialled;
 * 3. the peer that the socket reached, before the first byte is written, TLS greeting included.
 *
 * One connector per origin, so that the addresses of a name can be judged together with the port.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { rule, port, onSocket } = options;
  const connect = buildConnector({
    timeout: connectMs,
    lookup: lookupBy(createJudgedResolve(options)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    ...tlsOptions(options),
  });
  const isPeerAllowed = (socket: Socket): boolean => rule.allows(socket.remoteAddress ?? '', socket.remotePort ?? 0);

  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !rule.allows(target.hostname, port)) {
      callback(new DestinationNotAllowedError(), null);
      return;
    }
    const socket: unknown = connect(target, (...response) => {
      const [error, connected] = response;
      if (error !== null || isPeerAllowed(connected)) {
        callback(...response);
        return;
      }
      connected.destroy();
      callback(new DestinationNotAllowedError(), null);
    });
    if (socket instanceof Socket) {
      onSocket(socket);
      // Runs before the TLS listener, which would send its greeting.
      socket.prependOnceListener('connect', () => {
        if (!isPeerAllowed(socket)) {
          socket.destroy(new DestinationNotAllowedError());
        }
      });
    }
  };
}

/** Options of TLS for the connections to one origin. */
export function tlsOptions({
  secureContext,
  anyCertificate = false,
  allowH2 = false,
}: GuardedConnectorOptions): buildConnector.BuildOptions {
  return {
    // An origin has one server name. Node does not compare the name again when it resumes a session.
    maxCachedSessions: anyCertificate ? 0 : 1,
    allowH2,
    rejectUnauthorized: !anyCertificate,
    ...(secureContext && { secureContext }),
  };
}
