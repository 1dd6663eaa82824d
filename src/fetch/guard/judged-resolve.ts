import { isIP } from 'node:net';
import { DestinationNotAllowedError } from './destination-error.ts';
import type { DestinationRule } from './destination-rule.ts';
import { isLocalhost } from './private-names.ts';
import type { Resolve } from './resolver.ts';

export interface JudgedResolveOptions {
  /** The port to connect to. */
  readonly port: number;
  readonly rule: Pick<DestinationRule, 'allows'>;
  readonly resolve: Resolve;
}

/**
 * Resolves a name and judges all its addresses: one refused address refuses the name, with a
 * {@link DestinationNotAllowedError}. A literal address is judged directly, without a lookup.
 */
export function createJudgedResolve({ port, rule, resolve }: JudgedResolveOptions): Resolve {
  return (host, callback) => {
    const family = isIP(host);
    if (family !== 0) {
      const isAllowed = rule.allows(host, port);
      callback(isAllowed ? null : new DestinationNotAllowedError(), isAllowed ? [{ address: host, family }] : []);
      return;
    }
    resolve(host, (error, answered) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      // `localhost` has an address of each family, and the operator might have opened only one.
      const addresses = isLocalhost(host) ? answered.filter(({ address }) => rule.allows(address, port)) : answered;
      const areAllowed = addresses.length > 0 && addresses.every(({ address }) => rule.allows(address, port));
      callback(areAllowed ? null : new DestinationNotAllowedError(), areAllowed ? addresses : []);
    });
  };
}
