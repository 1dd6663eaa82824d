// Where an object store may be spoken to without TLS: on this machine, and in networks that the operator opened.
import { isIP, type LookupFunction } from 'node:net';
import type { PrivateNetwork } from '../guard/address-policy.ts';
import { createDestinationRules } from '../guard/destination-rule.ts';
import { lookupBy, resolveBySystem } from '../guard/resolver.ts';
import { plainTextRefusal, plainTextRefused } from './s3-errors.ts';

export function refusePlainText(endpoint: URL, networks: readonly PrivateNetwork[]): void {
  if (endpoint.protocol !== 'http:') return;
  const host = endpoint.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isOpen(host, portOf(endpoint), networks)) throw plainTextRefusal(endpoint);
}

/** A name must lead there as well. */
export function plainLookup(networks: readonly PrivateNetwork[], endpoint: URL): LookupFunction {
  return lookupBy((hostname, callback) =>
    resolveBySystem(hostname, (error, addresses) => {
      if (error !== null) callback(error, []);
      else if (addresses.every(({ address }) => isOpen(address, portOf(endpoint), networks))) callback(null, addresses);
      else callback(Object.assign(new Error('not allowed'), { code: plainTextRefused }), []);
    }),
  );
}

function isOpen(address: string, port: number, networks: readonly PrivateNetwork[]): boolean {
  const rules = createDestinationRules({ networks, allowPorts: [] });
  return isLoopback(address) || rules.names.some((name) => rules.of(name).allows(address, port));
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

function portOf({ port }: URL): number {
  return port === '' ? 80 : Number(port);
}
