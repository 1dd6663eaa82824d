// The schema of each store in one file, as a new database has it: it shows what the migrations lead to. `npm run schema`
// rewrites the files.
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { Database } from '../../src/storage/sqlite/file/database.ts';
import { migrate } from '../../src/storage/sqlite/file/schema.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';

const missing = await postgresMissing();
const header = '-- What the migrations in schema.ts lead to. Rewritten by `npm run schema`.\n\n';

test('src/storage/sqlite/file/schema.sql is the schema of a new SQLite database', async () => {
  const db = new Database(':memory:', { busyMs: 0 });
  onTestFinished(() => db.close());
  migrate(db);
  const statements = db
    .prepare<[], { sql: string }>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY tbl_name, type <> 'table', name`,
    )
    .all()
    // As indented in schema.ts.
    .map(({ sql }) => `${sql.replaceAll(/^ {2}/gm, '')};`);
  await expect(header + inTables(statements)).toMatchFileSnapshot('../../src/storage/sqlite/file/schema.sql');
});

test.skipIf(missing !== undefined)(
  'src/storage/postgres/connection/schema.sql is the schema of a new PostgreSQL database (needs PostgreSQL)',
  async () => {
    const { url, remove } = await createTestDatabase();
    onTestFinished(remove);
    await (await openPostgresStore({ url, connections: 1 })).close();
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query<{ sql: string }>(ofPostgres);
    const statements = inTables(rows.map(({ sql }) => sql));
    await expect(header + statements).toMatchFileSnapshot('../../src/storage/postgres/connection/schema.sql');
  },
);

/** An empty line before each table. */
function inTables(statements: readonly string[]): string {
  return `${statements.join('\n').replaceAll(/\n(?=CREATE (UNLOGGED )?TABLE)/g, '\n\n')}\n`;
}

const columnSql = `
  SELECT a.attrelid, a.attnum, '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE "' || c.collname || '"' ELSE '' END
    || CASE WHEN a.attstorage <> t.typstorage THEN ' STORAGE ' || CASE a.attstorage WHEN 'e' THEN 'external' ELSE a.attstorage::text END ELSE '' END
    || CASE a.attcompression WHEN 'p' THEN ' COMPRESSION pglz' WHEN 'l' THEN ' COMPRESSION lz4' ELSE '' END
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
    || CASE WHEN a.attidentity = 'a' THEN ' GENERATED ALWAYS AS IDENTITY'
            WHEN a.attgenerated = 's' THEN ' GENERATED ALWAYS AS ' || pg_get_expr(d.adbin, d.adrelid) || ' STORED'
            ELSE coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') END AS line
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_collation c ON c.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attnum > 0 AND NOT a.attisdropped`;

/** Of PostgreSQL 18 on, also what makes a column not null is a constraint: it stands beside the column. */
const constraintSql = `
  SELECT conrelid, 10000 + row_number() OVER (ORDER BY contype DESC, conname), '  ' || pg_get_constraintdef(oid)
  FROM pg_constraint WHERE conrelid <> 0 AND contype <> 'n'`;

/** Statements in the order of tables. What an identity or a constraint makes is not repeated. */
const ofPostgres = `
  WITH line (relation, place, line) AS (${columnSql} UNION ALL ${constraintSql}),
  own AS (SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  SELECT sql FROM (
    SELECT '' AS name, 0 AS kind, relname AS part, 'CREATE SEQUENCE ' || relname || ';' AS sql FROM own
    WHERE relkind = 'S' AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = own.oid AND deptype = 'i')
    UNION ALL
    SELECT relname, 1, '', 'CREATE ' || CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE ' || relname || E' (\\n'
      || (SELECT string_agg(line, E',\\n' ORDER BY place) FROM line WHERE relation = own.oid)
      || E'\\n)' || coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '') || ';' FROM own WHERE relkind = 'r'
    UNION ALL
    SELECT i.tablename, 2, i.indexname, i.indexdef || ';' FROM pg_indexes i
    WHERE i.schemaname = 'public' AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = ('public.' || i.indexname)::regclass)
    UNION ALL
    SELECT relname, 3, '', 'The schema file does not show this kind of relation: ' || relkind::text FROM own WHERE relkind NOT IN ('S', 'r', 'i')
  ) statement ORDER BY name COLLATE "C", kind, part COLLATE "C"`;
