import type { Session, SessionStore } from '../../core/ports/stores.ts';
import {
  sessionOf,
  type SessionRow,
  sessionTokenColumns,
  type SessionTokenRow,
  sessionWithTokenOf,
} from '../rules/service/session-row.ts';
import { one, type OperationsOf, send } from './operation.ts';
import { raw, sql } from './sql.ts';

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
      const row = yield* one<SessionTokenRow>(
        sql`SELECT ${raw(sessionTokenColumns)} FROM session s LEFT JOIN token t ON t.id = s.token WHERE s.hash = ${hash} AND s.kind = 'browser'`,
      );
      return row && sessionWithTokenOf(row);
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
