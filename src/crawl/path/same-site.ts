import { hostName } from '../../core/host-key.ts';
import { registrableDomain } from '../pace/registrable-domain.ts';

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
