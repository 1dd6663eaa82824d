// What each table and index of a database takes, and how much of it is dead.
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { Client } from 'pg';

/** As a table in Markdown. */
export function sizesOf(place: string): Promise<string> | string {
  return place.startsWith('postgres://') ? ofPostgres(place) : ofSqlite(place);
}

async function ofPostgres(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<Record<string, string | number>>(
      `SELECT s.relname AS name, pg_relation_size(s.relid)::bigint / 1000000 AS heap, pg_indexes_size(s.relid)::bigint / 1000000 AS indexes,
         pg_total_relation_size(s.relid)::bigint / 1000000 AS total, s.n_live_tup AS live, s.n_dead_tup AS dead, s.autovacuum_count AS vacuums,
         round(coalesce((to_jsonb(s) ->> 'total_autovacuum_time')::numeric, 0)) AS ms, s.n_tup_upd AS updates, s.n_tup_hot_upd AS hot
       FROM pg_stat_user_tables s WHERE pg_total_relation_size(s.relid) > 1000000 ORDER BY total DESC`,
    );
    const { rows: indexes } = await client.query<Record<string, string | number>>(
      `SELECT indexrelname AS name, pg_relation_size(indexrelid)::bigint / 1000000 AS size FROM pg_stat_user_indexes
       WHERE pg_relation_size(indexrelid) > 1000000 ORDER BY size DESC`,
    );
    return [
      '| table | heap MB | indexes MB | with TOAST MB | live rows | dead rows | autovacuums | ms | updates | HOT |',
      '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
      ...tables.map((row) => `| ${Object.values(row).join(' | ')} |`),
      '',
      '| index | MB |',
      '|---|--:|',
      ...indexes.map((row) => `| ${Object.values(row).join(' | ')} |`),
      '',
    ].join('\n');
  } finally {
    await client.end();
  }
}

function ofSqlite(directory: string): string {
  const db = new DatabaseSync(path.join(directory, 'hayrake.db'), { readOnly: true });
  try {
    const parts = db
      .prepare(
        'SELECT name, sum(pgsize) / 1000000 AS size, sum(unused) / 1000000 AS unused FROM dbstat GROUP BY name HAVING sum(pgsize) > 1000000 ORDER BY size DESC',
      )
      .all();
    const free = db
      .prepare('SELECT freelist_count * page_size / 1000000 AS mb FROM pragma_freelist_count, pragma_page_size')
      .get();
    return [
      '| table or index | MB | of these unused |',
      '|---|--:|--:|',
      ...parts.map((row) => `| ${Object.values(row).join(' | ')} |`),
      '',
      `Free pages: ${String(free?.['mb'])} MB`,
      '',
    ].join('\n');
  } finally {
    db.close();
  }
}
