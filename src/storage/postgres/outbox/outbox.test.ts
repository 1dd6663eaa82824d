import { describe } from 'vitest';
import { createTestDatabase, postgresMissing } from '../../../../test/postgres/test-database.ts';
import { describeOutboxContract } from '../../../../test/storage/outbox-contract.ts';
import { describeCrawlStatus } from '../../../../test/storage/crawl-status-contract.ts';
import { describeWorkContract } from '../../../../test/storage/work-contract.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { Connections } from '../connection/connections.ts';
import { openPostgresStore } from '../postgres-store.ts';

const missing = await postgresMissing();

async function createDatabase() {
  const { url, remove } = await createTestDatabase({ keepsSchema: true });
  const stores: Store[] = [];
  return {
    open: async () => {
      const store = await openPostgresStore({ url, connections: 4 });
      stores.push(store);
      return store;
    },
    pass: async (ms: number) => {
      const connections = new Connections({ url, max: 1, applicationName: 'test' });
      await connections.query('UPDATE work SET next_at = next_at - $1', [ms]);
      await connections.query('UPDATE webhook_key SET rotated_at = rotated_at - $1', [ms]);
      await connections.close();
    },
    remove: async () => {
      for (const store of stores) await store.close();
      await remove();
    },
  };
}

describe.skipIf(missing !== undefined)('on PostgreSQL (needs PostgreSQL)', () => {
  describeOutboxContract('PostgreSQL', createDatabase);
  describeWorkContract('PostgreSQL', createDatabase);

  describe('how a store on PostgreSQL stands', () => {
    describeCrawlStatus(createDatabase);
  });
});
