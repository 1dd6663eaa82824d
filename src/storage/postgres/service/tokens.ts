import type { Token, TokenStore } from '../../../core/ports/stores.ts';
import { tokenOf, type TokenRow } from '../../rules/service/token-row.ts';
import type { Connections } from '../connection/connections.ts';

export function tokensOf(connections: Connections): TokenStore {
  return {
    async add(token: Token, hash: string): Promise<void> {
      await connections.query(
        'INSERT INTO token (id, hash, org, name, permissions, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
        [token.id, hash, token.org, token.name, token.permissions.join(' '), token.createdAt, token.expiresAt],
      );
    },
    async find(hash: string): Promise<Token | undefined> {
      const [row] = await connections.query<TokenRow>('SELECT * FROM token WHERE hash = $1', [hash]);
      return row && tokenOf(row);
    },
    async list(): Promise<readonly Token[]> {
      return (await connections.query<TokenRow>('SELECT * FROM token ORDER BY created_at, id')).map(tokenOf);
    },
    async revoke(id: string, now: number): Promise<boolean> {
      const sql = 'UPDATE token SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1';
      return (await connections.run(sql, [id, now])) > 0;
    },
  };
}
