import type { TokenQuery, TokenStore } from '../../core/ports/stores.ts';
import { type Token, tokenColumns } from '../../core/token.ts';
import { columnNames, fromRow, type Row, valuesOf } from '../rules/resource-rows.ts';
import { all, lockOrg, one, type OperationsOf, run, send, type Steps } from './operation.ts';
import { pauseOf } from './schedules.ts';
import { list, raw, type Sql, sql } from './sql.ts';

export const tokens: OperationsOf<TokenStore> = {
  add: {
    kind: 'write',
    *steps(token: Token, hash: string, max = Number.MAX_SAFE_INTEGER) {
      const { org, createdAt } = token;
      yield* lockOrg(org);
      const valid = yield* one<{ tokens: number }>(
        sql`SELECT count(*) AS tokens FROM token WHERE org = ${org} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${createdAt})`,
      );
      if ((valid?.tokens ?? 0) >= max) return false;
      const columns = raw(columnNames(tokenColumns));
      yield* send(sql`INSERT INTO token (${columns}, hash) VALUES (${list(valuesOf(tokenColumns, token))}, ${hash})`);
      return true;
    },
  },
  find: { kind: 'read', steps: (hash: string) => oneToken(sql`hash = ${hash}`) },
  get: { kind: 'read', steps: (id: string) => oneToken(sql`id = ${id}`) },
  list: { kind: 'read', steps: () => tokensWhere(sql`TRUE ORDER BY created_at, id`) },
  page: {
    kind: 'read',
    steps({ org, before, limit }: TokenQuery) {
      const { createdAt = Number.MAX_SAFE_INTEGER, id = '' } = before ?? {};
      const ofOrg = org === undefined ? raw('') : sql`AND org = ${org}`;
      return tokensWhere(
        sql`(created_at, id) < (${createdAt}, ${id}) ${ofOrg} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      );
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

export function* oneToken(condition: Sql): Steps<Token | undefined> {
  return (yield* tokensWhere(condition))[0];
}

function* tokensWhere(condition: Sql): Steps<Token[]> {
  const rows = yield* all<Row>(sql`SELECT * FROM token WHERE ${condition}`);
  return rows.map((row) => fromRow(tokenColumns, row));
}
