// The connections of the service, by proxy and by network.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Agent, Client, Pool, type Dispatcher, type buildConnector } from 'undici';
import { publicWeb } from '../../core/ports/fetcher.ts';
import { parserBytesMax, withWholeHeads } from '../response/response-heads.ts';
import { Http2Fallback } from '../http2/http2-fallback.ts';
import type { Carrier, WebRequest } from '../http2/request-headers.ts';
import type { DestinationRules } from './destination-rule.ts';
import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.ts';
import { createProxyConnector } from './proxy-connector.ts';
import type { Proxy } from './proxy-tunnel.ts';
import { portOf } from './refusal.ts';
import type { Resolve } from './resolver.ts';

/** One connection at a time to a host whose certificate may be wrong: each request learns whether it is. */
class AnyCertificateClient extends Client {
  readonly #carrier: Carrier;

  constructor(origin: URL, options: Client.Options) {
    const carrier = { isUnverified: false };
    const { connect } = options;
    if (typeof connect !== 'function') throw new TypeError('The client needs a guarded connector.');
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...response) => {
          const [, socket] = response;
          carrier.isUnverified = socket instanceof TLSSocket && !socket.authorized;
          callback(...response);
        }),
    });
    this.#carrier = carrier;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions & Pick<WebRequest, 'onCarrier'>,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    options.onCarrier?.(this.#carrier);
    return super.dispatch(options, handler);
  }
}

/** The connections into one network. */
export interface Way {
  /** A private network, or {@link publicWeb}. */
  readonly network: string;
  readonly dispatcher: Http2Fallback;
}

export type ProxyFor = ((host: string) => Proxy) | undefined;

/** Through one proxy, or through those for requests that name none. */
export interface Ways {
  readonly toPublicWeb: Way;
  readonly into: ReadonlyMap<string, Way>;
  /** They accept any certificate. */
  readonly insecureInto: ReadonlyMap<string, Way>;
}

type Handshake = Pick<GuardedConnectorOptions, 'anyCertificate' | 'allowH2'>;

/** A socket idle for this long is closed; the Agent forgets an origin without sockets. */
const idleMs = 4_000;
/** Upper limit for the keep-alive time that a server announces. */
const idleMsMax = 15_000;
/** Silence before the head and within the body. Exchanges have stricter limits of their own. */
const headersMs = 60_000;
const bodyMs = 60_000;

interface WayParts {
  readonly rules: DestinationRules;
  readonly resolve: Resolve;
  readonly onSocket: (socket: Socket) => void;
  readonly trust: Pick<GuardedConnectorOptions, 'secureContext'> | false;
  readonly proxyResolves: boolean;
}

/** Returns what makes the connections through one proxy, or directly. */
export function wayMaker({ rules, resolve, onSocket, trust, proxyResolves }: WayParts): (proxyFor: ProxyFor) => Ways {
  const connectorTo = (proxyFor: ProxyFor, origin: URL, network: string, how: Handshake): buildConnector.connector => {
    // Without an address to judge, only those that the operator opened are judged as open.
    const rule = proxyResolves && network === publicWeb ? nothingAllowed : rules.of(network);
    const connectorOptions = { port: portOf(origin), rule, resolve, onSocket, ...how, ...trust };
    return proxyFor === undefined
      ? createGuardedConnector(connectorOptions)
      : createProxyConnector({ ...connectorOptions, proxyFor, proxyResolves });
  };

  const http1Into = (proxyFor: ProxyFor, network: string, anyCertificate: boolean): Dispatcher =>
    new Agent({
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMsMax,
      headersTimeout: headersMs,
      bodyTimeout: bodyMs,
      maxHeaderSize: parserBytesMax,
      factory(origin, poolOptions: Pool.Options) {
        return new Pool(origin, {
          ...poolOptions,
          connect: withWholeHeads(connectorTo(proxyFor, new URL(origin), network, { anyCertificate })),
          ...(anyCertificate && {
            factory: (of: URL, options: Client.Options) => new AnyCertificateClient(of, options),
          }),
        });
      },
    });
  return (proxyFor) => {
    const wayInto = (network: string, anyCertificate = false): Way => {
      const http2To = (origin: URL): buildConnector.connector =>
        connectorTo(proxyFor, origin, network, { anyCertificate, allowH2: true });
      return { network, dispatcher: new Http2Fallback(http1Into(proxyFor, network, anyCertificate), http2To) };
    };
    return {
      toPublicWeb: wayInto(publicWeb),
      into: new Map(rules.names.map((network) => [network, wayInto(network)])),
      insecureInto: new Map(rules.names.map((network) => [network, wayInto(network, true)])),
    };
  };
}

export function waysIn({ toPublicWeb, into, insecureInto }: Ways): Way[] {
  return [toPublicWeb, ...into.values(), ...insecureInto.values()];
}

const nothingAllowed = { allows: () => false };
