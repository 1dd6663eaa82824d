import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Store } from '../../src/core/ports/stores.ts';
import { Database } from '../../src/storage/sqlite/file/database.ts';
import { databaseFile } from '../../src/storage/sqlite/file/database-file.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import type { OpenDatabase } from './test-data.ts';

/** A data directory of its own, and the stores that a test opens on it. */
export async function createDatabase(): Promise<OpenDatabase> {
  const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-store-'));
  const stores: Store[] = [];
  return {
    open: async ({ crawling = false, ...options } = {}) => {
      const store = openSqliteStore(dir, { crawling, ...options });
      stores.push(store);
      return store;
    },
    count: async (table) => {
      const db = new Database(path.join(dir, databaseFile), { busyMs: 5_000, readOnly: true });
      const rows = db.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? -1;
      db.close();
      return rows;
    },
    look: async () => {
      const db = new Database(path.join(dir, databaseFile), { busyMs: 5_000, readOnly: true });
      const tables = db.all<{ readonly name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      );
      const rows = new Map(
        tables.map(({ name }) => [name, db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${name}`).all()]),
      );
      db.close();
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return { rows, files: new Map(files.map(({ name }) => [name, readFileSync(path.join(dir, name))])) };
    },
    remove: async () => {
      for (const store of stores) await store.close();
      rmSync(dir, { recursive: true });
    },
  };
}
