import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/**
 * Trusts these certificates besides those that Node trusts by default (its own, and those of `NODE_EXTRA_CA_CERTS`). An
 * intermediate authority or the certificate of one host is trusted without its issuer.
 *
 * One context for all connections: reading the 150 default certificates takes milliseconds.
 */
export function trustAuthorities(certificates: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), ...certificates], allowPartialTrustChain: true });
}
