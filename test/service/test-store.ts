// Where the services of tests store: in a directory, or in a PostgreSQL database. HAYRAKE_TEST_STORE=postgres runs all on the latter.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** Where tests are skipped that are about the files of the embedded database. */
export function isOnPostgres(): boolean {
  return process.env['HAYRAKE_TEST_STORE'] === 'postgres';
}

export interface TestStore {
  readonly kind: 'sqlite' | 'postgres';
  /** A service always has one; with PostgreSQL it stays empty. */
  readonly directory: string;
  /** What has the program use it. */
  readonly env: Readonly<Record<string, string>>;
  /** One statement that both know, for what no test can wait for. */
  query<Row = unknown>(sql: string): Promise<Row[]>;
  /** Everything that is kept: the bytes of the files, or all rows as text. */
  content(): Promise<ReadonlyMap<string, string>>;
  remove(): Promise<void>;
}

/** A new, empty one. With `directory`, that one, which stays. */
export async function createTestStore(directory?: string): Promise<TestStore> {
  // What brings a directory is about its files.
  if (directory !== undefined) return storeIn(directory);
  const own = await mkdtemp(path.join(tmpdir(), 'hayrake-test-'));
  const removeOwn = (): Promise<void> => rm(own, { recursive: true, force: true });
  if (!isOnPostgres()) return { ...storeIn(own), remove: removeOwn };
  // Only here: programs that are no tests start services too.
  const { createTestDatabase } = await import('../postgres/test-database.ts');
  const database = await createTestDatabase({ keepsSchema: true });
  return {
    ...postgresStore(own, database.url),
    remove: async () => {
      await database.remove();
      await removeOwn();
    },
  };
}

/** In a directory, which stays. */
export function storeIn(directory: string): TestStore {
  return {
    kind: 'sqlite',
    directory,
    env: { HAYRAKE_DATA: directory },
    query: async <Row>(sql: string) => {
      const database = new DatabaseSync(path.join(directory, 'hayrake.db'));
      try {
        return database.prepare(sql).all() as Row[];
      } finally {
        database.close();
      }
    },
    content: async () => {
      await emptyLog(path.join(directory, 'hayrake.db'));
      const names = (await readdir(directory, { recursive: true })).filter((name) =>
        /\.(db|db-wal|db-shm|lock)$/.test(name),
      );
      const read = async (name: string) => [name, await readFile(path.join(directory, name), 'latin1')] as const;
      return new Map(await Promise.all(names.map(read)));
    },
    remove: async () => {},
  };
}

/** What is in the log is written over by later writes; here it is written back at once, as soon as nobody reads. */
async function emptyLog(file: string): Promise<void> {
  const database = new DatabaseSync(file);
  try {
    while (database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 0) await pause(10);
  } finally {
    database.close();
  }
}

/** On a database that is there already, which stays. */
export function postgresStore(directory: string, url: string): TestStore {
  const query = async <Row>(sql: string): Promise<Row[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row & object>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    kind: 'postgres',
    directory,
    env: { HAYRAKE_DATA: directory, HAYRAKE_DATABASE_URL: url },
    query,
    content: async () => {
      const tables = await query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      const content = new Map<string, string>();
      for (const { name } of tables) {
        const rows = await query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
        content.set(name, rows.map(({ row }) => row).join('\n'));
      }
      return content;
    },
    remove: async () => {},
  };
}
