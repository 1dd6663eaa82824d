// How this program connects to the web, and under which user agent.
import type { Config } from './config.ts';
import { crawlerMarker } from './core/product-token.ts';
import { parsePrivateNetworks } from './fetch/address-policy.ts';
import { createEgress, type Egress } from './fetch/egress.ts';
import { version } from './version.ts';

export function egressOf({ allowPrivate, allowPorts, proxy }: Config): Egress {
  return createEgress({
    allowPrivate: parsePrivateNetworks(allowPrivate),
    allowPorts,
    ...(proxy !== undefined && { proxy }),
  });
}

export function userAgent({ contact }: Config): string {
  return `${crawlerMarker}${version}${contact === undefined ? '' : ` (+${contact})`}`;
}
