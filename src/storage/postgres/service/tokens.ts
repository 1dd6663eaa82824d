import type { Token, TokenQuery, TokenStore } from '../../../core/ports/stores.ts';
import { tokenOf, type TokenRow } from '../../rules/service/token-row.ts';
import { pauseOf } from '../schedules/schedules.ts';
import type { Connections } from '../connection/connections.ts';

export function tokensOf(connections: Connections): TokenStore {
  return {
    async add(token: Token, hash: string, max = Number.MAX_SAFE_INTEGER): Promise<boolean> {
      const { id, org, name = '', permissions, createdAt, expiresAt } = token;
      const sql = `INSERT INTO token (id, hash, org, name, permissions, created_at, expires_at)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint WHERE (SELECT count(*) FROM token
        WHERE org = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $6)) < $8::bigint`;
      const values = [id, hash, org, name, permissions.join(' '), createdAt, expiresAt, max];
      return (await connections.run(sql, values)) > 0;
    },
    async find(hash: string): Promise<Token | undefined> {
      const [row] = await connections.query<TokenRow>('SELECT * FROM token WHERE hash = $1', [hash]);
      return row && tokenOf(row);
    },
    async get(id: string): Promise<Token | undefined> {
      const [row] = await connections.query<TokenRow>('SELECT * FROM token WHERE id = $1', [id]);
      return row && tokenOf(row);
    },
    async list(): Promise<readonly Token[]> {
      return (await connections.query<TokenRow>('SELECT * FROM token ORDER BY created_at, id')).map(tokenOf);
    },
    async page({ org, before, limit }: TokenQuery): Promise<readonly Token[]> {
      const { createdAt = Number.MAX_SAFE_INTEGER, id = '' } = before ?? {};
      const sql = `SELECT * FROM token WHERE (created_at, id) < ($1, $2) ${org === undefined ? '' : 'AND org = $4'} ORDER BY created_at DESC, id DESC LIMIT $3`;
      const values = [createdAt, id, limit, ...(org === undefined ? [] : [org])];
      return (await connections.query<TokenRow>(sql, values)).map(tokenOf);
    },
    async revoke(id: string, now: number, org?: string): Promise<boolean> {
      const sql =
        'UPDATE token SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 AND org = coalesce($3::text, org)';
      return connections.transaction(async (tx) => {
        const isRevoked = (await tx.run(sql, [id, now, org ?? null])) > 0;
        if (isRevoked) await pauseOf(tx, id, 'token_revoked');
        return isRevoked;
      });
    },
  };
}
