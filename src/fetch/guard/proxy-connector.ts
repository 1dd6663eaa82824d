import { isIP, type Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { connectMs, type GuardedConnectorOptions, tlsOptions } from './guarded-connector.ts';
import { DestinationNotAllowedError } from './destination-error.ts';
import { createJudgedResolve } from './judged-resolve.ts';
import { isLocalhost, isWebName } from './private-names.ts';
import { ProxyError } from './proxy-error.ts';
import { openTunnel, type Proxy } from './proxy-tunnel.ts';
import type { Resolve, ResolvedAddress } from './resolver.ts';

export interface ProxyConnectorOptions extends GuardedConnectorOptions {
  /** The proxy for a connection to the host. */
  readonly proxyFor: (host: string) => Proxy;
  /** The proxy gets names of the web as they are. @default false */
  readonly proxyResolves?: boolean;
}

/** Limit per name, before the connection is given up. */
const addressesTriedMax = 3;

/**
 * Connects through the operator's proxy, http and https alike, with the same checks as without one: names are resolved
 * and judged here, and the proxy gets a judged address, so it has no name to resolve differently. Only if the proxy is to
 * resolve, it gets names, and those are judged as names. For a refused destination the proxy is not contacted at all.
 *
 * TLS for https runs end to end with the site, through the proxy, under the site's name.
 */
export function createProxyConnector(options: ProxyConnectorOptions): buildConnector.connector {
  const judgedResolve = createJudgedResolve(options);
  // No timer here: it would start only at TLS.
  const startTls = buildConnector({ timeout: 0, ...tlsOptions(options) });

  const targetsOf = async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
    if (options.proxyResolves === true && isIP(host) === 0 && !isLocalhost(host)) {
      if (!isWebName(host)) throw new DestinationNotAllowedError();
      return [host];
    }
    const addresses = await addressesOf(host, judgedResolve, signal);
    return addressesToTry(addresses).map(({ address }) => address);
  };

  const open = async (target: buildConnector.Options, signal: AbortSignal): Promise<Socket> => {
    const tunnelOptions = { ...options, proxy: options.proxyFor(target.hostname) };
    for (const address of await targetsOf(target.hostname, signal)) {
      const tunnel = await openTunnel(tunnelOptions, address, options.port, signal);
      if (tunnel !== undefined) {
        return target.protocol === 'https:' ? await secure(startTls, target, tunnel, signal) : tunnel;
      }
    }
    throw new ProxyError('PROXY_REFUSED');
  };

  const connect = async (target: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const overdue = new AbortController();
    // Must not keep an otherwise finished process alive.
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
  return new Promise((onResponse, onError) => {
    signal.addEventListener('abort', () => onError(new errors.ConnectTimeoutError()), { once: true });
    resolve(host, (error, addresses) => (error === null ? onResponse(addresses) : onError(error)));
  });
}

/** Puts both families among the first, because the proxy might support only one. */
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
