import { isIP, type Socket } from 'node:net';
import { Agent, Pool, type Dispatcher } from 'undici';
import type { DestinationPolicy } from '../core/fetcher.ts';
import { createAddressPolicy, type Cidr } from './address-policy.ts';
import { destinationNotAllowed } from './destination-error.ts';
import { createDestinationRule } from './destination-rule.ts';
import { createGuardedConnector } from './guarded-connector.ts';
import { isLocalhost, isMetadataName, isPrivateName } from './private-names.ts';
import { createProxyConnector } from './proxy-connector.ts';
import { readProxy } from './proxy-tunnel.ts';
import { cacheResolve, hurryResolve, resolveBySystem, type Resolve } from './resolver.ts';

/** The one way out: every connection of this service to the web is made here, and judged before it is. */
export interface Egress extends DestinationPolicy {
  /** Ignores the proxies of the environment (`HTTP_PROXY` and the like), which would resolve names behind the guard's back. */
  readonly dispatcher: Dispatcher;
  /** More sockets are open than are worth keeping: ask for the next ones to be closed after their answer. */
  isCrowded(): boolean;
  /** The port this service listens on, which is never connected to on this machine. */
  setOwnPort(port: number): void;
  /** Ends all connections at once, those in use too. */
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Private networks that may be reached, on any port. */
  readonly allowPrivate: readonly Cidr[];
  /** Ports to reach on public addresses besides 80, 443 and 8000 to 8999. */
  readonly allowPorts: readonly number[];
  /**
   * An HTTP proxy to connect through: `http://[user:password@]host[:port]`. It is told addresses that were judged here,
   * and no names. @default connects directly
   */
  readonly proxy?: URL;
  /** @default asks the operating system */
  readonly resolve?: Resolve;
}

/** Of idle and busy ones together. Half of the 1,024 files that a process may usually have open. */
const socketsKeptMax = 512;
/** A socket that was idle for this long is closed; an origin without sockets is forgotten by the Agent. */
const idleMs = 4_000;
/** However long a server would keep it. */
const idleMsMax = 15_000;
/** Less than the time for a connection, of which it is a part. */
const resolveMs = 8_000;
/** Idle timers: what bounds a fetch as a whole is its deadline. */
const headersMs = 30_000;
const bodyMs = 15_000;
const headerBytesMax = 32 * 1024;

export function createEgress(options: EgressOptions): Egress {
  const addresses = createAddressPolicy(options);
  const rule = createDestinationRule({ addresses, allowPorts: options.allowPorts });
  const resolve = hurryResolve(cacheResolve(options.resolve ?? resolveBySystem), resolveMs);
  const hasPrivate = options.allowPrivate.length > 0;
  const proxy = options.proxy === undefined ? undefined : readProxy(options.proxy);
  const openSockets = new Set<Socket>();
  let isClosed = false;

  const onSocket = (socket: Socket): void => {
    openSockets.add(socket);
    socket.once('close', () => openSockets.delete(socket));
    if (isClosed) socket.destroy();
  };

  const dispatcher = new Agent({
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMsMax,
    headersTimeout: headersMs,
    bodyTimeout: bodyMs,
    maxHeaderSize: headerBytesMax,
    factory(origin, poolOptions: Pool.Options) {
      const connectorOptions = { port: portOf(new URL(origin)), rule, resolve, onSocket };
      const connect =
        proxy === undefined
          ? createGuardedConnector(connectorOptions)
          : createProxyConnector({ ...connectorOptions, proxy });
      return new Pool(origin, { ...poolOptions, connect });
    },
  });

  return {
    dispatcher,
    isCrowded: () => openSockets.size > socketsKeptMax,
    setOwnPort: (port) => rule.setOwnPort(port),
    async close() {
      isClosed = true;
      await dispatcher.destroy();
      // The dispatcher does not know those that are still being connected.
      for (const socket of openSockets) socket.destroy();
    },
    refusal(url) {
      const port = portOf(url);
      const host = literalOf(url.hostname);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        return 'Only http and https URLs can be fetched.';
      }
      if (url.username !== '' || url.password !== '') {
        return 'A URL with a user name or password in it is not fetched.';
      }
      if (isIP(host) !== 0) {
        return rule.allows(host, port) ? undefined : destinationNotAllowed;
      }
      if (isLocalhost(host)) {
        return rule.allows('127.0.0.1', port) || rule.allows('::1', port) ? undefined : destinationNotAllowed;
      }
      if (isMetadataName(host)) {
        return destinationNotAllowed;
      }
      // The name may lead into a reopened network, where every port is open: known only when it is resolved.
      const mayBeAllowed = hasPrivate || (!isPrivateName(host) && rule.isPublicPort(port));
      return mayBeAllowed ? undefined : destinationNotAllowed;
    },
  };
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** Of a URL's host, which has brackets around IPv6. */
function literalOf(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
