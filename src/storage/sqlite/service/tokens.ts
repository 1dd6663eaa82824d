import type { Database } from '../file/database.ts';
import type { Token, TokenQuery } from '../../../core/ports/stores.ts';
import { tokenOf, type TokenRow } from '../../rules/service/token-row.ts';

export function addToken(db: Database, token: Token, hash: string, max = Number.MAX_SAFE_INTEGER): boolean {
  const { id, org, name = '', permissions, createdAt, expiresAt } = token;
  const sql = `INSERT INTO token (id, hash, org, name, permissions, created_at, expires_at) SELECT ?, ?, ?, ?, ?, ?, ?
    WHERE (SELECT count(*) FROM token WHERE org = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)) < ?`;
  return (
    db.prepare(sql).run(id, hash, org, name, permissions.join(' '), createdAt, expiresAt, org, createdAt, max).changes >
    0
  );
}

export function revokeToken(db: Database, id: string, now: number, org?: string): boolean {
  const sql = 'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND org = coalesce(?, org)';
  return db.prepare(sql).run(now, id, org ?? null).changes > 0;
}

export function findToken(db: Database, hash: string): Token | undefined {
  const row = db.prepare<[string], TokenRow>('SELECT * FROM token WHERE hash = ?').get(hash);
  return row && tokenOf(row);
}

export function getToken(db: Database, id: string): Token | undefined {
  const row = db.prepare<[string], TokenRow>('SELECT * FROM token WHERE id = ?').get(id);
  return row && tokenOf(row);
}

export function listTokens(db: Database): readonly Token[] {
  return db.prepare<[], TokenRow>('SELECT * FROM token ORDER BY created_at, id').all().map(tokenOf);
}

export function pageOfTokens(db: Database, { org, before, limit }: TokenQuery): readonly Token[] {
  const ofOrg = org === undefined ? '' : 'AND org = ?';
  const sql = `SELECT * FROM token WHERE (created_at, id) < (?, ?) ${ofOrg} ORDER BY created_at DESC, id DESC LIMIT ?`;
  const { createdAt = Number.MAX_SAFE_INTEGER, id = '' } = before ?? {};
  return db
    .prepare<(string | number)[], TokenRow>(sql)
    .all(createdAt, id, ...(org === undefined ? [] : [org]), limit)
    .map(tokenOf);
}
