import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Token, TokenStore } from '../core/ports/stores.ts';

/** The org of users who name none. */
export const defaultOrg = 'default';

/** Returns `hr_`, 256 random bits, and a checksum, so that scanners for leaked secrets can recognise a token. */
export function newToken(): string {
  const random = randomBytes(32).toString('base64url');
  return `hr_${random}${crc32(random).toString(16).padStart(8, '0')}`;
}

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** True if the token is neither revoked nor expired. */
export function isValid({ revokedAt, expiresAt }: Token, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

/** Creates a token and stores its hash. The token itself is returned once and not stored. */
export async function createToken(
  tokens: TokenStore,
  owner: NewToken,
): Promise<{ readonly token: string; readonly record: Token }> {
  const created = await createTokenBelow(tokens, owner, undefined);
  if (!created) throw new Error('a token without a limit was not stored');
  return created;
}

export type NewToken = Pick<Token, 'org' | 'permissions'> & Partial<Pick<Token, 'name' | 'expiresAt'>>;

/** The same, unless the org has `max` valid tokens: then it returns undefined. */
export async function createTokenBelow(
  tokens: TokenStore,
  owner: NewToken,
  max: number | undefined,
): Promise<{ readonly token: string; readonly record: Token } | undefined> {
  const token = newToken();
  const record: Token = {
    id: `t_${randomBytes(6).toString('hex')}`,
    name: '',
    createdAt: Date.now(),
    revokedAt: null,
    expiresAt: null,
    ...owner,
  };
  return (await tokens.add(record, tokenHash(token), max)) ? { token, record } : undefined;
}
