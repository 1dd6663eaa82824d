import type { Session, SessionStore } from '../../core/ports/stores.ts';
import { one, type OperationsOf, send } from './operation.ts';
import { sql } from './sql.ts';
import { oneToken } from './tokens.ts';

interface SessionRow {
  readonly kind: string;
  readonly token: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** More than there are sessions. */
const noLimit = 1_000_000_000;

export const sessions: OperationsOf<SessionStore> = {
  add: {
    kind: 'write',
    *steps({ kind, token, createdAt, expiresAt }: Session, hash: string, max: number) {
      yield* send(sql`DELETE FROM session WHERE expires_at <= ${createdAt}`);
      yield* send(sql`
        DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE token = ${token} AND kind = ${kind}
          ORDER BY created_at DESC LIMIT ${noLimit} OFFSET ${max - 1})`);
      yield* send(
        sql`INSERT INTO session (hash, kind, token, created_at, expires_at) VALUES (${hash}, ${kind}, ${token}, ${createdAt}, ${expiresAt})`,
      );
    },
  },
  find: {
    kind: 'read',
    *steps(hash: string) {
      const row = yield* one<SessionRow>(sql`SELECT * FROM session WHERE hash = ${hash} AND kind = 'browser'`);
      return row && { session: sessionOf(row), token: yield* oneToken(sql`id = ${row.token}`) };
    },
  },
  takeCode: {
    kind: 'write',
    *steps(hash: string) {
      const row = yield* one<SessionRow>(sql`DELETE FROM session WHERE hash = ${hash} AND kind = 'code' RETURNING *`);
      return row && sessionOf(row);
    },
  },
  extend: {
    kind: 'write',
    steps: (hash: string, expiresAt: number) =>
      send(sql`UPDATE session SET expires_at = ${expiresAt} WHERE hash = ${hash} AND kind = 'browser'`),
  },
  remove: {
    kind: 'write',
    steps: (hash: string) => send(sql`DELETE FROM session WHERE hash = ${hash} AND kind = 'browser'`),
  },
};

function sessionOf(row: SessionRow): Session {
  const kind = row.kind === 'code' ? 'code' : 'browser';
  return { kind, token: row.token, createdAt: row.created_at, expiresAt: row.expires_at };
}
