import { request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { parseAddress } from './address-policy.ts';
import { ProxyError, type ProxyErrorCode } from './proxy-error.ts';
import { lookupBy, type Resolve } from './resolver.ts';
import { socksHandshake } from './socks-handshake.ts';

/** A proxy that the operator chose. Its own address is not judged. */
export interface Proxy {
  readonly kind: 'http' | 'socks5';
  /** IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Undefined without credentials. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

const usualPorts = { http: 80, socks5: 1080 } as const;

/** Parses `http://[user:password@]host[:port]` or `socks5://...`, the password percent-encoded as in any URL. */
export function readProxy({ protocol, hostname, port, username, password }: URL): Proxy {
  const kind = protocol === 'socks5:' ? 'socks5' : 'http';
  const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  return {
    kind,
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? usualPorts[kind] : Number(port),
    login: login.user === '' && login.password === '' ? undefined : login,
  };
}

export interface TunnelOptions {
  readonly proxy: Proxy;
  /** Resolves the name of the proxy. */
  readonly resolve: Resolve;
  /** Called for every socket, to count it. */
  readonly onSocket: (socket: Socket) => void;
}

/** Limit for the head of the proxy's response. */
const headBytesMax = 16 * 1024;
/** Per address of a proxy with several, before trying the next. */
const attemptMs = 1_000;

/**
 * Requests a connection from the proxy to a judged address, or to a name that it is to resolve: CONNECT (RFC 9110,
 * 9.3.6), or SOCKS 5. Resolves with the socket, on which nothing else has been sent, or with undefined if the proxy does
 * not open this connection. Throws a {@link ProxyError} if trying another address is pointless.
 */
export function openTunnel(
  { proxy, resolve, onSocket }: TunnelOptions,
  target: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const response = Promise.withResolvers<Socket | undefined>();
  const socket = connect({
    host: proxy.host,
    port: proxy.port,
    lookup: lookupBy(resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    noDelay: true,
  });
  onSocket(socket);
  let trouble: ProxyErrorCode = 'PROXY_UNREACHABLE';
  const dialled: string[] = [];
  socket.on('connectionAttempt', (address) => dialled.push(address));
  // Runs before the first byte is written, which contains the password.
  socket.once('connect', () => {
    if (dialled.some((address) => isSameAddress(address, socket.remoteAddress ?? ''))) {
      trouble = 'PROXY_BROKEN';
    } else {
      socket.destroy();
    }
  });
  const fail = (): void => response.reject(new ProxyError(signal.aborted ? 'PROXY_TIMEOUT' : trouble));
  socket.once('close', fail);

  if (proxy.kind === 'socks5') {
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    if (signal.aborted) socket.destroy();
    // The end of the socket says it.
    socket.on('error', () => {});
    socket.once('connect', () => {
      socksHandshake(socket, proxy.login, { host: target, port }).then(
        (isOpen) => {
          if (!isOpen) socket.destroy();
          response.resolve(isOpen ? socket : undefined);
        },
        (error: unknown) => {
          // The connection's own errors say what is wrong. An error of the socket shows when the socket closes.
          if (error instanceof ProxyError) response.reject(error);
          socket.destroy();
        },
      );
    });
    return response.promise;
  }

  const authority = `${isIP(target) === 6 ? `[${target}]` : target}:${port}`;
  request({
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      connection: 'keep-alive',
      ...(proxy.login && { 'proxy-authorization': basic(proxy.login) }),
    },
    createConnection: () => socket,
    maxHeaderSize: headBytesMax,
    signal,
  })
    .once('connect', ({ statusCode = 0 }, _socket, rest) => {
      if (statusCode >= 200 && statusCode < 300) {
        // Bytes that the other end already sent.
        if (rest.length > 0) socket.unshift(rest);
        response.resolve(socket);
        return;
      }
      socket.destroy();
      if (statusCode === 407) response.reject(new ProxyError('PROXY_DENIED'));
      else response.resolve(undefined);
    })
    .on('error', fail)
    .end();
  return response.promise;
}

/** RFC 7617. */
function basic({ user, password }: NonNullable<Proxy['login']>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function isSameAddress(one: string, other: string): boolean {
  const address = parseAddress(one)?.toString();
  return address !== undefined && address === parseAddress(other)?.toString();
}
