// How this program connects to the web, and under which user agent.
import { affordable } from '../api/guard/connection-limits.ts';
import type { Config } from '../config/config.ts';
import { crawlerMarker } from '../core/product-token.ts';
import { parsePrivateNetworks } from '../fetch/guard/address-policy.ts';
import { createEgress, type Egress } from '../fetch/guard/egress.ts';
import { version } from '../version.ts';

/** Sockets that are kept open between requests, if the process can open files enough. */
const keptSocketsMax = 512;

export function egressOf({ allowPrivate, allowPorts, proxies, proxyRule, proxyResolves, caFile }: Config): Egress {
  return createEgress({
    // The other half of what is affordable is for requests in flight.
    keptSocketsMax: Math.floor(affordable(2 * keptSocketsMax) / 2),
    allowPrivate: parsePrivateNetworks(allowPrivate),
    allowPorts,
    authorities: caFile,
    proxies: proxies.flatMap(({ name, url }) => (name === undefined ? [url] : [])),
    namedProxies: new Map(proxies.flatMap(({ name, url }) => (name === undefined ? [] : [[name, url] as const]))),
    proxyRule,
    proxyResolves,
  });
}

export function userAgent({ contact }: Config): string {
  return `${crawlerMarker}${version}${contact === undefined ? '' : ` (+${contact})`}`;
}
