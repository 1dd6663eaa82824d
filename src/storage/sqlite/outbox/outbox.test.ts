import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeOutboxContract, type OutboxDatabase } from '../../../../test/storage/outbox-contract.ts';
import { describeWorkContract } from '../../../../test/storage/work-contract.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { Database } from '../file/database.ts';
import { databaseFile } from '../file/database-file.ts';
import { openSqliteStore } from '../sqlite-store.ts';

async function createDatabase(): Promise<OutboxDatabase> {
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
      db.prepare<[number]>('UPDATE work SET next_at = next_at - ?').run(ms);
      db.prepare<[number]>('UPDATE webhook_key SET rotated_at = rotated_at - ?').run(ms);
      db.close();
    },
    remove: async () => {
      for (const store of stores) await store.close();
      rmSync(dir, { recursive: true });
    },
  };
}

describeOutboxContract('SQLite', createDatabase);
describeWorkContract('SQLite', createDatabase);
