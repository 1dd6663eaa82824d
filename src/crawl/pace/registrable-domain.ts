import { getPublicSuffix } from 'tough-cookie';

/**
 * The registrable domain of a host name, by the public suffix list: `example.co.uk` for `a.b.example.co.uk`. Undefined
 * for an address, and for a public suffix itself, such as `github.io`.
 */
export function registrableDomain(name: string): string | undefined {
  // An address has no domain: two addresses with equal ends are unrelated.
  if (/^[\d.]+$/u.test(name) || name.startsWith('[')) return undefined;
  return getPublicSuffix(name, { allowSpecialUseDomain: true, ignoreError: true });
}
