// Databases on a server that runs.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Ends the sessions that use it. */
  remove(): Promise<void>;
}

/** A new, empty one. `serverUrl` is that of any database there. */
export async function createDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `hayrake_${randomBytes(8).toString('hex')}`;
  await runStatement(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, remove: () => runStatement(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Ends the sessions that use a database, and makes it as it was when it was new, or leaves it its tables without a row. */
export async function emptyDatabase(url: string, { keepsSchema = false }: EmptyOptions = {}): Promise<void> {
  await runStatement(url, `${endSessions}; ${keepsSchema ? deleteRows : dropSchema}`);
}

export interface EmptyOptions {
  /** The contract of the store takes a third less time this way. @default false */
  readonly keepsSchema?: boolean;
}

const endSessions =
  'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
const dropSchema = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public';
const deleteRows = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
END $$`;

export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
