import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeOutboxContract } from '../../../test/storage/outbox-contract.ts';
import type { Store } from '../../core/stores.ts';
import { Database } from './database.ts';
import { databaseFile } from './database-file.ts';
import { openSqliteStore } from './sqlite-store.ts';

describeOutboxContract('SQLite', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-outbox-'));
  const stores: Store[] = [];
  return {
    open: async ({ crawling = false } = {}) => {
      const store = openSqliteStore(dir, { crawling });
      stores.push(store);
      return store;
    },
    pass: (ms) => {
      const db = new Database(path.join(dir, databaseFile), { busyMs: 5_000 });
      db.prepare<[number]>('UPDATE delivery SET next_at = next_at - ?').run(ms);
      db.prepare<[number]>('UPDATE webhook_key SET rotated_at = rotated_at - ?').run(ms);
      db.close();
    },
    remove: async () => {
      for (const store of stores) await store.close();
      rmSync(dir, { recursive: true });
    },
  };
});
