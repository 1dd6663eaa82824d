import type { Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { connectMs, type GuardedConnectorOptions } from './guarded-connector.ts';
import { createJudgedResolve } from './judged-resolve.ts';
import { ProxyError } from './proxy-error.ts';
import { openTunnel, type Proxy } from './proxy-tunnel.ts';
import type { Resolve, ResolvedAddress } from './resolver.ts';

export interface ProxyConnectorOptions extends GuardedConnectorOptions {
  readonly proxy: Proxy;
}

/** Of one name, before the connection is given up. */
const addressesTriedMax = 3;

/**
 * Connects through the operator's proxy, http and https alike, under the same judgement as without one: names are
 * resolved here, their answers judged here, and the proxy is told an address that was judged, so that it has no name to
 * resolve to something else. It is not connected to at all for a destination that is refused.
 *
 * The TLS of https is spoken with the site, through the proxy, under the site's name.
 */
export function createProxyConnector(options: ProxyConnectorOptions): buildConnector.connector {
  const judgedResolve = createJudgedResolve(options);
  // Its own timer would begin only here. One origin has one server name.
  const startTls = buildConnector({ timeout: 0, maxCachedSessions: 1 });

  const open = async (target: buildConnector.Options, signal: AbortSignal): Promise<Socket> => {
    const addresses = await addressesOf(target.hostname, judgedResolve, signal);
    for (const address of addressesToTry(addresses)) {
      const tunnel = await openTunnel(options, address, options.port, signal);
      if (tunnel !== undefined) {
        return target.protocol === 'https:' ? await secure(startTls, target, tunnel, signal) : tunnel;
      }
    }
    throw new ProxyError('PROXY_REFUSED');
  };

  const connect = async (target: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const overdue = new AbortController();
    // Must not keep a process alive that has closed everything else.
    const timer = setTimeout(() => overdue.abort(), connectMs).unref();
    let socket: Socket;
    try {
      socket = await open(target, overdue.signal);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    } finally {
      clearTimeout(timer);
    }
    callback(null, socket);
  };
  return (target, callback) => void connect(target, callback);
}

function addressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
  return new Promise((onAnswer, onError) => {
    signal.addEventListener('abort', () => onError(new errors.ConnectTimeoutError()), { once: true });
    resolve(host, (error, addresses) => (error === null ? onAnswer(addresses) : onError(error)));
  });
}

/** Both families among the first, since the proxy may have only one of them. */
function addressesToTry(addresses: readonly ResolvedAddress[]): readonly ResolvedAddress[] {
  const [first] = addresses;
  const otherFamily = addresses.filter(({ family }) => family !== first?.family).slice(0, 1);
  return [...new Set([...addresses.slice(0, 1), ...otherFamily, ...addresses])].slice(0, addressesTriedMax);
}

function secure(
  startTls: buildConnector.connector,
  target: buildConnector.Options,
  tunnel: Socket,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((onSecure, onError) => {
    const fail = (error: Error): void => {
      tunnel.destroy();
      onError(error);
    };
    signal.addEventListener('abort', () => fail(new errors.ConnectTimeoutError()), { once: true });
    startTls({ ...target, httpSocket: tunnel }, (...[error, socket]) =>
      error === null ? onSecure(socket) : fail(error),
    );
  });
}
