import type { TokenStore } from '../../core/ports/stores.ts';
import type { Pauser } from '../../core/schedule.ts';

/**
 * Why the token that wrote a schedule vouches for nothing any more; undefined if it does. The token of the operator, and the
 * owner of the machine, are in no table: they vouch.
 */
export async function expiredWriter(tokens: TokenStore, id: string, now: number): Promise<Pauser | undefined> {
  if (id === '' || id.startsWith('operator_')) return undefined;
  const token = await tokens.get(id);
  if (!token || token.revokedAt !== null) return 'token_revoked';
  return token.expiresAt !== null && token.expiresAt <= now ? 'token_expired' : undefined;
}
