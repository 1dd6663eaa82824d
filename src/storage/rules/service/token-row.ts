import type { Permission } from '../../../core/permissions.ts';
import type { Token } from '../../../core/ports/stores.ts';

export interface TokenRow {
  readonly id: string;
  readonly org: string;
  /** Empty if it has none. */
  readonly name: string;
  readonly permissions: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly expires_at: number | null;
}

export function tokenOf(row: TokenRow): Token {
  return {
    id: row.id,
    org: row.org,
    ...(row.name !== '' && { name: row.name }),
    permissions: row.permissions.split(' ') as Permission[],
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    expiresAt: row.expires_at,
  };
}
