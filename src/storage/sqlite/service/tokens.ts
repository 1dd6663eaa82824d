import type { Database } from '../file/database.ts';
import type { Token } from '../../../core/ports/stores.ts';
import { tokenOf, type TokenRow } from '../../rules/service/token-row.ts';

export function addToken(db: Database, token: Token, hash: string): void {
  db.prepare(
    'INSERT INTO token (id, hash, org, name, permissions, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(token.id, hash, token.org, token.name, token.permissions.join(' '), token.createdAt, token.expiresAt);
}

export function revokeToken(db: Database, id: string, now: number): boolean {
  return db.prepare('UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?').run(now, id).changes > 0;
}

export function findToken(db: Database, hash: string): Token | undefined {
  const row = db.prepare<[string], TokenRow>('SELECT * FROM token WHERE hash = ?').get(hash);
  return row && tokenOf(row);
}

export function listTokens(db: Database): readonly Token[] {
  return db.prepare<[], TokenRow>('SELECT * FROM token ORDER BY created_at, id').all().map(tokenOf);
}
