import { getPublicSuffix } from 'tough-cookie';
import { hostName } from '../../core/host-key.ts';

/**
 * Returns true if two URLs belong to one site: the same host, or one registrable domain, such as `api.example.com` and
 * `www.example.com`.
 */
export function isSameSite(a: URL, b: URL): boolean {
  const [hostOfA, hostOfB] = [hostName(a), hostName(b)];
  if (hostOfA === hostOfB) return true;
  const domain = domainOf(hostOfA);
  return domain !== undefined && domain === domainOf(hostOfB);
}

/** The registrable domain; undefined for an address, and for a public suffix itself. */
function domainOf(host: string): string | undefined {
  // An address has no domain: two addresses with equal ends are unrelated.
  if (/^[\d.]+$/u.test(host) || host.startsWith('[')) return undefined;
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true });
}
