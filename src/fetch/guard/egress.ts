import { isIP, type Socket } from 'node:net';
import { type Addresses, type DestinationPolicy, type Networks, publicWeb } from '../../core/ports/fetcher.ts';
import type { PrivateNetwork } from './address-policy.ts';
import { DestinationNotAllowedError } from './destination-error.ts';
import { createDestinationRules, type DestinationRules } from './destination-rule.ts';
import { openAddresses, withLiterals } from './judged-resolve.ts';
import { isMetadataName, isWebName } from './private-names.ts';
import { proxyChoice, type ProxyRule } from './proxy-choice.ts';
import { ProxyError } from './proxy-error.ts';
import { readProxy } from './proxy-tunnel.ts';
import { literalOf, portOf, refusalOf } from './refusal.ts';
import { cacheResolve, hurryResolve, resolveBySystem, type Resolve, type ResolvedAddress } from './resolver.ts';
import { trustAuthorities } from './trusted-authorities.ts';
import { type Way, wayMaker, waysIn } from './ways.ts';

/** The only way out: every connection of this service to the web is judged and made here. */
export interface Egress extends DestinationPolicy, Networks, Addresses {
  /** Like {@link DestinationPolicy.refusal}, for a fetch that may enter only these private networks. */
  fetchRefusal(url: URL, enter: readonly string[]): string | undefined;
  /**
   * Returns the connections for a request to the URL, which may enter these private networks besides the public web.
   * Rejects with the name server's error, or with a `DestinationNotAllowedError`.
   *
   * Each network has its own connections: one made inside a network is never used for a request that must stay outside.
   * `insecureTls`: accept any certificate if the way leads into a private network. These connections are apart from the
   * others too. `proxy`: through the proxy of this name; the connections of each are apart. Rejects if there is none: a
   * request that was to take it never takes another way.
   *
   * Ignores proxies in the environment (`HTTP_PROXY` and the like), which would resolve names unseen by the guard.
   */
  wayTo(url: URL, enter: readonly string[], insecureTls?: boolean, proxy?: string): Way | Promise<Way>;
  /** Returns true if more sockets are open than worth keeping: close the next connections after their response. */
  isCrowded(): boolean;
  /** Sets the port that this service listens on. It is never connected to on this machine. */
  setOwnPort(port: number): void;
  /** Sets the listeners of this service's processes, replacing the previous ones. Nothing is fetched from them. */
  setListeners(listeners: readonly { readonly address: string; readonly port: number }[]): void;
  /** Ends all connections at once, including those in use. */
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Private networks that jobs may enter. */
  readonly allowPrivate: readonly PrivateNetwork[];
  /** Ports to reach on public addresses besides 80, 443 and 8000 to 8999. */
  readonly allowPorts: readonly number[];
  /** HTTP proxies to connect through. @default connects directly */
  readonly proxies?: readonly URL[];
  /** Further proxies, for requests that name them. @default none */
  readonly namedProxies?: ReadonlyMap<string, URL>;
  /** Which of them gets a connection. @default sticky */
  readonly proxyRule?: ProxyRule;
  /**
   * The proxies get names of the web, which are not resolved here. Addresses, `localhost` and names of private networks
   * are then refused unless `allowPrivate` has them. @default false: they get judged addresses
   */
  readonly proxyResolves?: boolean;
  /** PEM certificates of further authorities to trust, for sites and webhooks. @default none */
  readonly authorities?: readonly string[];
  /** @default uses the operating system */
  readonly resolve?: Resolve;
  /** With more sockets than this, idle and busy, a connection closes after its request. @default 512 */
  readonly keptSocketsMax?: number;
}

/** Default for {@link EgressOptions.keptSocketsMax}: half of the 1,024 files that a process can usually open. */
const usualKeptSocketsMax = 512;
/** Shorter than the connect timeout, which includes it. */
const resolveMs = 8_000;
export function createEgress(options: EgressOptions): Egress {
  const { keptSocketsMax = usualKeptSocketsMax } = options;
  const rules = createDestinationRules({ networks: options.allowPrivate, allowPorts: options.allowPorts });
  const resolve = hurryResolve(cacheResolve(options.resolve ?? resolveBySystem), resolveMs);
  const resolveAny = withLiterals(resolve);
  const [firstProxy, ...otherProxies] = (options.proxies ?? []).map(readProxy);
  const usualProxy = firstProxy && proxyChoice([firstProxy, ...otherProxies], options.proxyRule ?? 'sticky');
  const proxyResolves = firstProxy !== undefined && options.proxyResolves === true;
  const { authorities = [] } = options;
  const trust = authorities.length > 0 && { secureContext: trustAuthorities(authorities) };
  const openSockets = new Set<Socket>();
  let isClosed = false;

  const onSocket = (socket: Socket): void => {
    openSockets.add(socket);
    socket.once('close', () => openSockets.delete(socket));
    if (isClosed) socket.destroy();
  };

  const waysThrough = wayMaker({ rules, resolve, onSocket, trust, proxyResolves });
  const usualWays = waysThrough(usualProxy);
  const namedWays = new Map(
    Array.from(options.namedProxies ?? [], ([name, url]) => {
      const proxy = readProxy(url);
      return [name, waysThrough(() => proxy)];
    }),
  );

  const addressesOf = (host: string): Promise<readonly ResolvedAddress[]> =>
    new Promise((onAddresses, onError) => {
      resolveAny(host, (error, addresses) => (error === null ? onAddresses(addresses) : onError(error)));
    });

  async function networkAmong(url: URL, networks: readonly string[]): Promise<string> {
    const network = networkWith(url, await addressesOf(literalOf(url.hostname)), { networks, rules });
    if (network === undefined) throw new DestinationNotAllowedError();
    return network;
  }

  /** The URL's name is resolved by the proxy, so no address says which network it leads to. */
  function isNameForProxy(url: URL): boolean {
    const host = literalOf(url.hostname);
    return proxyResolves && isIP(host) === 0 && isWebName(host);
  }

  const refusalAmong = (url: URL, networks: readonly string[]): string | undefined =>
    refusalOf(url, networks, { rules, proxyResolves });

  return {
    privateNetworks: rules.names,
    proxyNames: [...namedWays.keys()],
    proxyResolves,
    refusal: (url) => refusalAmong(url, rules.names),
    fetchRefusal: refusalAmong,
    async networkOf(url) {
      if (isMetadataName(url.hostname)) return undefined;
      if (isNameForProxy(url)) return publicWeb;
      // Undefined on any error: the fetch that follows fails with the same error.
      return networkAmong(url, proxyResolves ? rules.names : [publicWeb, ...rules.names]).catch(() => undefined);
    },
    async addressOf(url) {
      // Resolving a refused name would show which internal names exist.
      if (refusalAmong(url, rules.names) !== undefined || isNameForProxy(url)) return undefined;
      const addresses = await addressesOf(literalOf(url.hostname)).catch(() => []);
      return addresses.map(({ address }) => address).toSorted()[0];
    },
    wayTo(url, enter, insecureTls = false, proxy) {
      const ways = proxy === undefined ? usualWays : namedWays.get(proxy);
      if (!ways) return Promise.reject(new ProxyError('PROXY_REMOVED'));
      if (enter.length === 0 || isNameForProxy(url)) return ways.toPublicWeb;
      // Who resolves by a proxy does not see which address answers.
      const inside = insecureTls && !proxyResolves ? ways.insecureInto : ways.into;
      const wayOf = (network: string): Way => inside.get(network) ?? ways.toPublicWeb;
      const networks = proxyResolves ? enter : [publicWeb, ...enter];
      const host = literalOf(url.hostname);
      const family = isIP(host);
      // An address needs no lookup. A refused one rejects below.
      const known = family === 0 ? undefined : networkWith(url, [{ address: host, family }], { networks, rules });
      return known === undefined ? networkAmong(url, networks).then(wayOf) : wayOf(known);
    },
    isCrowded: () => openSockets.size > keptSocketsMax,
    setOwnPort: (port) => rules.setOwnPort(port),
    setListeners: (listeners) => rules.setListeners(listeners),
    async close() {
      isClosed = true;
      const all = [usualWays, ...namedWays.values()].flatMap(waysIn);
      await Promise.all(all.map(({ dispatcher }) => dispatcher.destroy()));
      // The dispatchers do not know sockets that are still connecting.
      for (const socket of openSockets) socket.destroy();
    },
  };
}

/** Returns the first of the networks that contains all of these addresses of the host, on this port. */
function networkWith(
  url: URL,
  addresses: readonly ResolvedAddress[],
  { networks, rules }: { readonly networks: readonly string[]; readonly rules: DestinationRules },
): string | undefined {
  const host = literalOf(url.hostname);
  const port = portOf(url);
  return networks.find((network) => openAddresses(host, addresses, { port, rule: rules.of(network) }).length > 0);
}
