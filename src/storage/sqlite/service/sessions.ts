import type { Database } from '../file/database.ts';
import type { Session, SessionStore } from '../../../core/ports/stores.ts';
import {
  sessionOf,
  type SessionRow,
  sessionTokenColumns,
  type SessionTokenRow,
  sessionWithTokenOf,
} from '../../rules/service/session-row.ts';

export function addSession(db: Database, session: Session, hash: string, max: number): void {
  const { kind, token, createdAt, expiresAt } = session;
  db.prepare('DELETE FROM session WHERE expires_at <= ?').run(createdAt);
  db.prepare(
    'DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE token = ? AND kind = ? ORDER BY created_at DESC LIMIT -1 OFFSET ?)',
  ).run(token, kind, max - 1);
  db.prepare('INSERT INTO session (hash, kind, token, created_at, expires_at) VALUES (?, ?, ?, ?, ?)').run(
    hash,
    kind,
    token,
    createdAt,
    expiresAt,
  );
}

export function findSession(db: Database, hash: string): Awaited<ReturnType<SessionStore['find']>> {
  const row = db
    .prepare<[string], SessionTokenRow>(
      `SELECT ${sessionTokenColumns} FROM session s LEFT JOIN token t ON t.id = s.token WHERE s.hash = ? AND s.kind = 'browser'`,
    )
    .get(hash);
  return row && sessionWithTokenOf(row);
}

export function takeLoginCode(db: Database, hash: string): Session | undefined {
  // mutant code-twice, security: `DELETE FROM session` -> `UPDATE session SET kind = kind`; sqlite-store "login code once"
  const row = db
    .prepare<[string], SessionRow>("DELETE FROM session WHERE hash = ? AND kind = 'code' RETURNING *")
    .get(hash);
  return row && sessionOf(row);
}

export function extendSession(db: Database, hash: string, expiresAt: number): void {
  db.prepare("UPDATE session SET expires_at = ? WHERE hash = ? AND kind = 'browser'").run(expiresAt, hash);
}

export function removeSession(db: Database, hash: string): void {
  db.prepare("DELETE FROM session WHERE hash = ? AND kind = 'browser'").run(hash);
}
