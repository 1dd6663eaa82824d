import { createTestDatabase } from '../postgres/test-database.ts';
import type { Store } from '../../src/core/ports/stores.ts';
import { Connections } from '../../src/storage/postgres/connection/connections.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import type { OpenDatabase } from './test-data.ts';

/** A database of its own, and the stores that a test opens on it. */
export async function createDatabase(): Promise<OpenDatabase> {
  const { url, remove } = await createTestDatabase({ keepsSchema: true });
  const stores: Store[] = [];
  return {
    open: async ({ jobUrlsMax } = {}) => {
      const store = await openPostgresStore({ url, connections: 4, ...(jobUrlsMax !== undefined && { jobUrlsMax }) });
      stores.push(store);
      return store;
    },
    count: async (table) => {
      const connections = new Connections({ url, applicationName: 'test', max: 1 });
      const [row] = await connections.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
      await connections.close();
      return row?.rows ?? -1;
    },
    remove: async () => {
      for (const store of stores) await store.close();
      await remove();
    },
  };
}
