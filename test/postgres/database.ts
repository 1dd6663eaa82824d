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

export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
