import { getPublicSuffix } from 'tough-cookie';
import { hostName } from '../../core/host-key.ts';

/**
 * The registrable domain of a host name, by the public suffix list: `example.co.uk` for `a.b.example.co.uk`. Undefined
 * for an address, and for a public suffix itself, such as `github.io`.
 */
export function registrableDomain(name: string): string | undefined {
  // An address has no domain: two addresses with equal ends are unrelated.
  if (/^[\d.]+$/u.test(name) || name.startsWith('[')) return undefined;
  return getPublicSuffix(name, { allowSpecialUseDomain: true, ignoreError: true });
}

/**
 * Returns true if two URLs belong to one site: the same host, or one registrable domain, such as `api.example.com` and
 * `www.example.com`.
 */
export function isSameSite(a: URL, b: URL): boolean {
  const [hostOfA, hostOfB] = [hostName(a), hostName(b)];
  if (hostOfA === hostOfB) return true;
  const domain = registrableDomain(hostOfA);
  return domain !== undefined && domain === registrableDomain(hostOfB);
}
