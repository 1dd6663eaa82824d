import type { SessionStore } from '../../../core/ports/stores.ts';
import {
  sessionOf,
  type SessionRow,
  sessionTokenColumns,
  type SessionTokenRow,
  sessionWithTokenOf,
} from '../../rules/service/session-row.ts';
import type { Connections } from '../connection/connections.ts';

export function sessionsOf(connections: Connections): SessionStore {
  return {
    async add({ kind, token, createdAt, expiresAt }, hash, max) {
      await connections.transaction(async (tx) => {
        await tx.run('DELETE FROM session WHERE expires_at <= $1', [createdAt]);
        await tx.run(
          'DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE token = $1 AND kind = $2 ORDER BY created_at DESC OFFSET $3)',
          [token, kind, max - 1],
        );
        await tx.run('INSERT INTO session (hash, kind, token, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)', [
          hash,
          kind,
          token,
          createdAt,
          expiresAt,
        ]);
      });
    },
    async find(hash) {
      const [row] = await connections.query<SessionTokenRow>(
        `SELECT ${sessionTokenColumns} FROM session s LEFT JOIN token t ON t.id = s.token WHERE s.hash = $1 AND s.kind = 'browser'`,
        [hash],
      );
      return row && sessionWithTokenOf(row);
    },
    async takeCode(hash) {
      const [row] = await connections.query<SessionRow>(
        "DELETE FROM session WHERE hash = $1 AND kind = 'code' RETURNING *",
        [hash],
      );
      return row && sessionOf(row);
    },
    async extend(hash, expiresAt) {
      await connections.run("UPDATE session SET expires_at = $2 WHERE hash = $1 AND kind = 'browser'", [
        hash,
        expiresAt,
      ]);
    },
    async remove(hash) {
      await connections.run("DELETE FROM session WHERE hash = $1 AND kind = 'browser'", [hash]);
    },
  };
}
