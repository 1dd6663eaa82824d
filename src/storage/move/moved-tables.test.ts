import { expect, test } from 'vitest';
import { Database } from '../sqlite/file/database.ts';
import { migrate } from '../sqlite/file/schema.ts';
import { movedTables } from './moved-tables.ts';

/** Columns that are not moved: each becomes something else in PostgreSQL, or is created there. */
const others = new Set([
  'page.id',
  'body.id',
  'screenshot.id',
  'raw_page.id',
  'raw_segment.id',
  'host.fence',
  'host.leased',
  'host.ready_at',
  'host.in_line',
  'host.noted_at',
  'work.claimed',
]);
/** The secret, which is moved separately, the row that a ping writes, and which process learns a site now. */
const otherTables = new Set(['setting', 'sqlite_sequence', 'learner']);

test('movedTables: move every column of the SQLite store, except those that are listed here', () => {
  const db = new Database(':memory:', { busyMs: 0 });
  migrate(db);
  const columns = db
    .prepare<[], { tableName: string; name: string }>(
      "SELECT s.name AS tableName, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'",
    )
    .all()
    .filter(({ tableName }) => !otherTables.has(tableName))
    .map(({ tableName, name }) => `${tableName}.${name}`);
  db.close();
  expect(columns.length).toBeGreaterThan(90);
  const moved = new Set(movedTables.flatMap(({ from, columns: taken }) => taken.map(({ name }) => `${from}.${name}`)));
  expect(columns.filter((column) => !moved.has(column) && !others.has(column))).toEqual([]);
});
