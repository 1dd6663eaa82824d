import type { Config } from '../config/config.ts';
import type { TokenStore } from '../core/ports/stores.ts';
import { operatorTokenId } from '../jobs/sessions.ts';
import { defaultOrg, isValid, tokenHash } from '../jobs/tokens.ts';

/**
 * The token whose rights a login link gives: the operator's, or else the oldest valid one that can create jobs, in the
 * default org first. Undefined if there is none. `name`: the token in words.
 */
export async function loginToken(
  config: Config,
  tokens: TokenStore,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  if (config.token !== undefined) return { id: operatorTokenId(tokenHash(config.token)), name: 'HAYRAKE_TOKEN' };
  const valid = (await tokens.list()).filter((token) => isValid(token, Date.now()));
  const found =
    valid.find(({ org, permissions }) => org === defaultOrg && permissions.includes('write')) ??
    valid.find(({ permissions }) => permissions.includes('write')) ??
    valid[0];
  return found && { id: found.id, name: `token ${found.id} of org ${found.org}` };
}
