// Which URLs are refused before their name is resolved.
import { isIP } from 'node:net';
import { publicWeb } from '../../core/ports/fetcher.ts';
import { destinationNotAllowed } from './destination-error.ts';
import type { DestinationRules } from './destination-rule.ts';
import { isLocalhost, isMetadataName, isPrivateName, isWebName } from './private-names.ts';

/** Returns why a URL may not be fetched, if it may enter these networks besides the public web. */
export function refusalOf(
  url: URL,
  networks: readonly string[],
  { rules, proxyResolves }: { readonly rules: DestinationRules; readonly proxyResolves: boolean },
): string | undefined {
  const port = portOf(url);
  const host = literalOf(url.hostname);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return 'Only http and https URLs can be fetched.';
  }
  if (url.username !== '' || url.password !== '') {
    return 'URLs with a user name or password are not fetched.';
  }
  const isAllowed = (address: string): boolean =>
    (proxyResolves ? networks : [publicWeb, ...networks]).some((network) => rules.of(network).allows(address, port));
  if (isIP(host) !== 0) {
    return isAllowed(host) ? undefined : destinationNotAllowed;
  }
  if (isLocalhost(host)) {
    return isAllowed('127.0.0.1') || isAllowed('::1') ? undefined : destinationNotAllowed;
  }
  if (isMetadataName(host)) {
    return destinationNotAllowed;
  }
  if (proxyResolves) return isWebName(host) && rules.isPublicPort(port) ? undefined : destinationNotAllowed;
  // The name can lead into an open network, which shows only when it is resolved.
  const mayBeAllowed = networks.length > 0 || (!isPrivateName(host) && rules.isPublicPort(port));
  return mayBeAllowed ? undefined : destinationNotAllowed;
}

/** Returns a URL's host without the brackets of IPv6. */
export function literalOf(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}
