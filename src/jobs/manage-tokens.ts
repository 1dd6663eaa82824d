// Tokens by the API. A caller manages the tokens of its org and can give no more than it has. The operator's own token
// manages those of all orgs.
import { defined } from '../core/defined.ts';
import { grouped } from '../core/grouped.ts';
import { z } from 'zod';
import { UserError } from '../core/errors.ts';
import { permissions, usualPermissions } from '../core/permissions.ts';
import type { Token, TokenStore } from '../core/ports/stores.ts';
import type { JobOwner } from './create-job.ts';
import type { Cursors } from './cursor.ts';
import { type Listed, listPage, type PageQuery } from './list-page.ts';
import { createTokenBelow } from './tokens.ts';

export const tokensPerOrgMax = 1_000;
export const tokenNameMax = 100;
/** Ten years. */
const lifetimeSecondsMax = 10 * 366 * 24 * 3_600;
const lifetimeSecondsMin = 60;

const orgMessage = 'Give 1 to 64 letters, digits, dots, dashes and underscores.';
export const orgName = z.string({ error: orgMessage }).regex(/^[A-Za-z0-9_.-]{1,64}$/, orgMessage);

export const tokenInput = z.strictObject({
  name: z
    .string()
    .max(tokenNameMax)
    // Terminals and lists show it.
    // Not as a pattern: few languages know this class of characters, and the document of the API lists patterns.
    .refine((text) => /^\P{C}*$/u.test(text), 'Give a name without control characters.')
    .default('')
    .describe('What the token is for.'),
  org: orgName.optional().describe('Default: your own. Another org needs `HAYRAKE_TOKEN`.'),
  permissions: z
    .array(z.enum(permissions))
    .min(1)
    .max(permissions.length)
    .default([...usualPermissions])
    .describe('What the token allows. You can only give permissions that you have.'),
  expires_in: z
    .int()
    .min(lifetimeSecondsMin)
    .max(lifetimeSecondsMax)
    .nullable()
    .default(null)
    .describe('Lifetime in seconds. `null`: until it is revoked, or until your own token expires.'),
});

/** The caller, with what its own token allows. */
export interface TokenManager extends JobOwner {
  /** When its own token expires; null if it does not. */
  readonly expiresAt: number | null;
  /** It has the token of the operator. */
  readonly isOperator?: boolean;
}

/**
 * Creates a token. Throws a `UserError` if the token would have an org, a permission or a lifetime that the caller lacks, or
 * if the org has {@link tokensPerOrgMax} valid ones.
 */
export async function addToken(
  tokens: TokenStore,
  caller: TokenManager,
  { name, org = caller.org, permissions: wanted, expires_in: seconds }: z.output<typeof tokenInput>,
  now = Date.now(),
): Promise<{ readonly token: string; readonly record: Token }> {
  if (org !== caller.org && caller.isOperator !== true)
    throw denied(
      'org',
      `Tokens of the org ${JSON.stringify(org)} can be created with \`HAYRAKE_TOKEN\` only, or with \`hayrake token create --org\`.`,
    );
  const missing = wanted.filter((permission) => !caller.permissions.includes(permission));
  if (missing.length > 0)
    throw denied(
      'permissions',
      `Your token lacks ${missing.map((each) => `\`${each}\``).join(', ')}, so it cannot give that to another. Leave it out.`,
    );
  const given = seconds === null ? null : now + seconds * 1000;
  if (given !== null && caller.expiresAt !== null && given > caller.expiresAt)
    throw denied('expires_in', 'The token would outlive your own. Give a shorter lifetime.');
  const created = await createTokenBelow(
    tokens,
    {
      org,
      permissions: [...new Set(wanted)],
      expiresAt: given ?? caller.expiresAt,
      name: name.trim(),
    },
    tokensPerOrgMax,
  );
  if (!created)
    throw new UserError(
      'too_many_tokens',
      `The org has ${grouped(tokensPerOrgMax)} valid tokens, which is its limit. Revoke one.`,
    );
  return created;
}

/** Lists the tokens of the caller's org, the newest first; for the operator those of all orgs, or of `org`. */
export async function listTokens(
  { tokens, cursors }: { readonly tokens: TokenStore; readonly cursors: Cursors },
  caller: TokenManager,
  { org, ...page }: PageQuery & { readonly org?: string | undefined },
): Promise<Listed<Token>> {
  if (org !== undefined && org !== caller.org && caller.isOperator !== true)
    throw denied('org', 'Your token sees the tokens of its own org only. Leave `org` out.');
  const list = { kind: 'tokens', org: caller.org, filter: org ?? '' } as const;
  const shown = caller.isOperator === true ? org : caller.org;
  const read = (after: string | undefined, limit: number): Promise<readonly Token[]> => {
    const [createdAt, id = ''] = after?.split(' ') ?? [];
    const before = createdAt === undefined ? undefined : { createdAt: Number(createdAt), id };
    return tokens.page(defined({ limit, org: shown, before }));
  };
  return listPage({ cursors, list, ...page }, read, ({ createdAt, id }) => `${createdAt} ${id}`);
}

/** Revokes a token at once, with its sessions. Repeating it changes nothing. Throws a `UserError` if there is none. */
export async function revokeToken(
  tokens: TokenStore,
  caller: TokenManager,
  id: string,
  now = Date.now(),
): Promise<void> {
  if (!(await tokens.revoke(id, now, caller.isOperator === true ? undefined : caller.org)))
    throw new UserError('token_not_found', 'Your org has no token with this id. GET /org/tokens lists them.');
}

function denied(field: string, message: string): UserError {
  return new UserError('permission_denied', message, [{ field, message }]);
}
