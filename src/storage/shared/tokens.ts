import type { Token, TokenQuery, TokenStore } from '../../core/ports/stores.ts';
import { tokenOf, type TokenRow } from '../rules/service/token-row.ts';
import { all, one, type OperationsOf, run, type Steps } from './operation.ts';
import { pauseOf } from './schedules.ts';
import { raw, sql } from './sql.ts';

export const tokens: OperationsOf<TokenStore> = {
  add: {
    kind: 'write',
    *steps(token: Token, hash: string, max = Number.MAX_SAFE_INTEGER) {
      const { id, org, name = '', permissions, createdAt, expiresAt } = token;
      const added = yield* run(sql`
        INSERT INTO token (id, hash, org, name, permissions, created_at, expires_at)
        SELECT CAST(${id} AS text), CAST(${hash} AS text), CAST(${org} AS text), CAST(${name} AS text),
          CAST(${permissions.join(' ')} AS text), CAST(${createdAt} AS bigint), CAST(${expiresAt} AS bigint)
        WHERE (SELECT count(*) FROM token
          WHERE org = ${org} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${createdAt})) < ${max}`);
      return added > 0;
    },
  },
  find: { kind: 'read', steps: (hash: string) => tokenWhere(sql`hash = ${hash}`) },
  get: { kind: 'read', steps: (id: string) => tokenWhere(sql`id = ${id}`) },
  list: {
    kind: 'read',
    *steps() {
      return (yield* all<TokenRow>(sql`SELECT * FROM token ORDER BY created_at, id`)).map(tokenOf);
    },
  },
  page: {
    kind: 'read',
    *steps({ org, before, limit }: TokenQuery) {
      const { createdAt = Number.MAX_SAFE_INTEGER, id = '' } = before ?? {};
      const ofOrg = org === undefined ? raw('') : sql`AND org = ${org}`;
      const rows = yield* all<TokenRow>(
        sql`SELECT * FROM token WHERE (created_at, id) < (${createdAt}, ${id}) ${ofOrg} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      );
      return rows.map(tokenOf);
    },
  },
  revoke: {
    kind: 'write',
    makesRoom: true,
    *steps(id: string, now: number, org?: string) {
      const revoked = yield* run(
        sql`UPDATE token SET revoked_at = coalesce(revoked_at, ${now}) WHERE id = ${id} AND org = coalesce(CAST(${org ?? null} AS text), org)`,
      );
      if (revoked > 0) yield* pauseOf(id, 'token_revoked');
      return revoked > 0;
    },
  },
};

function* tokenWhere(condition: ReturnType<typeof sql>): Steps<Token | undefined> {
  const row = yield* one<TokenRow>(sql`SELECT * FROM token WHERE ${condition}`);
  return row && tokenOf(row);
}
