import { describe } from 'vitest';
import { describeStoreContract } from '../../../test/storage/store-contract.ts';
import { createTestDatabase, postgresMissing } from '../../../test/postgres/test-database.ts';
import type { Store } from '../../core/ports/stores.ts';
import { Connections } from './connection/connections.ts';
import { openPostgresStore } from './postgres-store.ts';

const missing = await postgresMissing();

describe.skipIf(missing !== undefined)('on PostgreSQL (needs PostgreSQL)', () => {
  describeStoreContract('PostgreSQL', async () => {
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
  });
});
