import { isIP } from 'node:net';
import { DestinationNotAllowedError } from './destination-error.ts';
import type { DestinationRule } from './destination-rule.ts';
import { isLocalhost } from './private-names.ts';
import type { Resolve } from './resolver.ts';

export interface JudgedResolveOptions {
  /** That will be connected to. */
  readonly port: number;
  readonly rule: Pick<DestinationRule, 'allows'>;
  readonly resolve: Resolve;
}

/**
 * Resolves a name and judges the answer, all of it: one refused address refuses the name, with a
 * {@link DestinationNotAllowedError}. A literal address is its own answer, and is asked of nobody.
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
      // `localhost` has an address of each family, of which the operator may have reopened one.
      const addresses = isLocalhost(host) ? answered.filter(({ address }) => rule.allows(address, port)) : answered;
      const areAllowed = addresses.length > 0 && addresses.every(({ address }) => rule.allows(address, port));
      callback(areAllowed ? null : new DestinationNotAllowedError(), areAllowed ? addresses : []);
    });
  };
}
