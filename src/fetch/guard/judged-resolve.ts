import { isIP } from 'node:net';
import { DestinationNotAllowedError } from './destination-error.ts';
import type { DestinationRule } from './destination-rule.ts';
import { isLocalhost } from './private-names.ts';
import type { Resolve, ResolvedAddress } from './resolver.ts';

export interface Judgement {
  /** The port to connect to. */
  readonly port: number;
  readonly rule: Pick<DestinationRule, 'allows'>;
}

export interface JudgedResolveOptions extends Judgement {
  readonly resolve: Resolve;
}

/**
 * Resolves a name and judges all its addresses: one refused address refuses the name, with a
 * {@link DestinationNotAllowedError}. A literal address is judged directly, without a lookup.
 */
export function createJudgedResolve({ port, rule, resolve }: JudgedResolveOptions): Resolve {
  const resolveAny = withLiterals(resolve);
  return (host, callback) => {
    resolveAny(host, (error, answered) => {
      const addresses = error === null ? openAddresses(host, answered, { port, rule }) : [];
      callback(error ?? (addresses.length === 0 ? new DestinationNotAllowedError() : null), addresses);
    });
  };
}

/** A resolver that also takes literal addresses, which are their own answer. */
export function withLiterals(resolve: Resolve): Resolve {
  return (host, callback) => {
    const family = isIP(host);
    if (family === 0) resolve(host, callback);
    else callback(null, [{ address: host, family }]);
  };
}

/** Returns those of a host's addresses that may be connected to; none if one of them refuses the name. */
export function openAddresses(
  host: string,
  answered: readonly ResolvedAddress[],
  { port, rule }: Judgement,
): readonly ResolvedAddress[] {
  const open = answered.filter(({ address }) => rule.allows(address, port));
  // `localhost` has an address of each family, and the operator might have opened only one.
  return isLocalhost(host) || open.length === answered.length ? open : [];
}
