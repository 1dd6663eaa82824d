/** Checks whether names of the web can be resolved. */
import type { Diagnosis } from '../core/ports/diagnosis.ts';
import { diagnosesOf } from './diagnoses.ts';

/** A name that always exists, and one that never does (RFC 6761). */
const known = 'example.com';
const unknown = 'hayrake-doctor.invalid';
const remedy =
  'Check /etc/resolv.conf and the network. Jobs on names of your own network, or on IP addresses, may still work.';

/** `resolve` returns how many addresses a name has, and rejects if no name server answers. */
export async function examineNames(resolve: (name: string) => Promise<number>): Promise<Diagnosis> {
  const { ok, warn } = diagnosesOf('name resolution');
  const startedAt = performance.now();
  try {
    const addresses = await resolve(known);
    const ms = Math.round(performance.now() - startedAt);
    if (await resolve(unknown).then(Boolean, () => false))
      return warn(
        'The name server returns addresses for names that do not exist.',
        'Use another name server, or hosts that do not exist are crawled at that address.',
      );
    return ok(`${known} has ${addresses} ${addresses === 1 ? 'address' : 'addresses'}, in ${ms} ms`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return warn(`${known} cannot be resolved${code}.`, remedy);
  }
}

/** With HAYRAKE_PROXY_RESOLVES, this machine resolves only the names of receivers of webhooks. */
export const namesOfProxy = diagnosesOf('name resolution').warn(
  'The proxy resolves names, so jobs reach what it reaches, private addresses too.',
  'Configure the proxy to refuse private addresses, or unset HAYRAKE_PROXY_RESOLVES if this machine can resolve.',
);
