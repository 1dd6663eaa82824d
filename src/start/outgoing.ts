// How this program connects to the web, and under which user agent.
import { affordable } from '../api/guard/connection-limits.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../core/ports/log.ts';
import type { Store } from '../core/ports/stores.ts';
import { crawlerMarker } from '../core/product-token.ts';
import { parsePrivateNetworks } from '../fetch/guard/address-policy.ts';
import { createEgress, type Egress } from '../fetch/guard/egress.ts';
import { version } from '../version.ts';
import { shareListeners } from './own-listeners.ts';

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

export interface OwnNetworks {
  readonly egress: Egress;
  /** A receiver of webhooks is always resolved and judged here. */
  readonly forWebhooks: Egress;
  close(): Promise<void>;
}

/** The ways out of a process that crawls. They lead to no listener of this service. */
export async function openNetworks(
  config: Config,
  store: Pick<Store, 'noteListener'>,
  { ownPort, signal, log }: { ownPort: number | undefined; signal: AbortSignal; log: Log },
): Promise<OwnNetworks> {
  const egress = egressOf(config);
  const forWebhooks = config.proxyResolves ? egressOf({ ...config, proxyResolves: false }) : egress;
  const all = new Set([egress, forWebhooks]);
  for (const each of all) {
    if (ownPort !== undefined) each.setOwnPort(ownPort);
    await shareListeners(store, { egress: each, signal, log });
  }
  return {
    egress,
    forWebhooks,
    async close() {
      for (const each of all) await each.close();
    },
  };
}

export function userAgent({ contact }: Config): string {
  return `${crawlerMarker}${version}${contact === undefined ? '' : ` (+${contact})`}`;
}
