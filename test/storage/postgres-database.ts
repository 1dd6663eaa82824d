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
    look: async () => {
      const connections = new Connections({ url, applicationName: 'test', max: 1 });
      // A plain one frees the places of removed rows, and leaves their bytes there until they are written over.
      await connections.query('VACUUM FULL');
      const tables = await connections.query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      const rows = new Map<string, readonly Record<string, unknown>[]>();
      for (const { name } of tables) rows.set(name, await connections.query(`SELECT * FROM ${name}`));
      // Tables, what lies outside their rows, and indexes.
      await connections.query('CHECKPOINT');
      const files = await connections.query<{ name: string; bytes: Uint8Array }>(
        `SELECT relname AS name, pg_read_binary_file(pg_relation_filepath(oid)) AS bytes FROM pg_class
          WHERE relkind IN ('r', 't', 'i') AND relname NOT LIKE 'pg\\_%' OR relkind IN ('t', 'i') AND relnamespace = 'pg_toast'::regnamespace`,
      );
      await connections.close();
      return { rows, files: new Map(files.map(({ name, bytes }) => [name, bytes])) };
    },
    remove: async () => {
      for (const store of stores) await store.close();
      await remove();
    },
  };
}
