import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describesOldDeliveries, insertOldJob, oldDeliveries } from '../../../../test/storage/old-deliveries.ts';
import { Database } from '../file/database.ts';
import { databaseFile } from '../file/database-file.ts';
import { createSchema } from '../file/schema.ts';
import { openSqliteStore } from '../sqlite-store.ts';

/** The last version in which events for webhooks had a table of their own. */
const before = 11;

test('events that the version before had stored are delivered, with the ids and the bytes that they had', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-work-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const db = new Database(path.join(dir, databaseFile), { busyMs: 0 });
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  createSchema(db, before);
  db.exec(insertOldJob);
  for (const { columns, values } of oldDeliveries('claimed')) {
    db.prepare<(string | number | null)[]>(
      `INSERT INTO delivery (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ).run(...values);
  }
  // The last row was removed, and its number is not assigned again.
  db.exec('DELETE FROM delivery WHERE id = 9');
  db.pragma(`user_version = ${before}`);
  db.close();
  const store = openSqliteStore(dir, { crawling: true });
  onTestFinished(() => store.close());
  await store.frontier.recover({ delayMs: 0 });
  await store.work.recover();
  expect(await describesOldDeliveries(store)).toBe(true);
});
