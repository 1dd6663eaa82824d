import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe } from 'vitest';
import { describeCrawlStatus } from '../../../../test/storage/crawl-status-contract.ts';
import type { Store } from '../../../core/ports/stores.ts';
import { openSqliteStore } from '../sqlite-store.ts';

describe('a store on SQLite, for those who watch over it', () => {
  describeCrawlStatus(async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-store-'));
    const stores: Store[] = [];
    return {
      open: async ({ crawling = false } = {}) => {
        const store = openSqliteStore(dir, { crawling });
        stores.push(store);
        return store;
      },
      remove: async () => {
        for (const store of stores) await store.close();
        rmSync(dir, { recursive: true });
      },
    };
  });
});
