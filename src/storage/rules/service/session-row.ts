import type { Session, Token } from '../../../core/ports/stores.ts';
import { tokenOf, type TokenRow } from './token-row.ts';

export interface SessionRow {
  readonly kind: string;
  readonly token: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** A session joined to its token, whose columns are null if there is none. */
export type SessionTokenRow = SessionRow & {
  readonly [Name in keyof TokenRow as `token_${Name}`]: TokenRow[Name] | null;
};

/** The columns of a {@link SessionTokenRow}, of `session` as `s` and `token` as `t`. */
export const sessionTokenColumns =
  's.*, t.id AS token_id, t.org AS token_org, t.name AS token_name, t.permissions AS token_permissions, t.created_at AS token_created_at, t.revoked_at AS token_revoked_at, t.expires_at AS token_expires_at';

export function sessionOf(row: SessionRow): Session {
  const kind = row.kind === 'code' ? 'code' : 'browser';
  return { kind, token: row.token, createdAt: row.created_at, expiresAt: row.expires_at };
}

export function sessionWithTokenOf(row: SessionTokenRow): {
  readonly session: Session;
  readonly token: Token | undefined;
} {
  const { token_id: id, token_org: org, token_permissions: permissions, token_created_at: createdAt } = row;
  const token =
    id === null || org === null || permissions === null || createdAt === null
      ? undefined
      : tokenOf({
          id,
          org,
          name: row.token_name ?? '',
          permissions,
          created_at: createdAt,
          revoked_at: row.token_revoked_at,
          expires_at: row.token_expires_at,
        });
  return { session: sessionOf(row), token };
}
