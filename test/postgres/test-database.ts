// For tests: a database of their own on the PostgreSQL of the run, which the first to ask has to wait for.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { createDatabase, emptyDatabase, type EmptyOptions, type TestDatabase } from './database.ts';
import type { SharedServer } from './shared-server.ts';

let asked: Promise<SharedServer> | undefined;

/** Databases of this file of tests that nobody uses, since emptying one is quicker than making one: by whether they have tables. */
const idle = { empty: [] as string[], migrated: [] as string[] };

/** An empty database, or with `keepsSchema` perhaps one with empty tables. Its `remove` ends the sessions that use it, and may be called twice. */
export async function createTestDatabase(options: EmptyOptions = {}): Promise<TestDatabase> {
  const pool = options.keepsSchema === true ? idle.migrated : idle.empty;
  const shared = await sharedServer();
  if ('missing' in shared) throw new Error(shared.missing);
  const url = pool.pop() ?? (await createDatabase(shared.url)).url;
  let isRemoved = false;
  return {
    url,
    remove: async () => {
      if (isRemoved) return;
      isRemoved = true;
      await emptyDatabase(url, options);
      pool.push(url);
    },
  };
}

/** Why no PostgreSQL can be started here, to skip tests with; undefined where one runs. In CI that is an error: nothing is skipped. */
export async function postgresMissing(): Promise<string | undefined> {
  const shared = await sharedServer();
  if (!('missing' in shared)) return undefined;
  if ((process.env['CI'] ?? '') !== '') throw new Error(shared.missing);
  return shared.missing;
}

async function sharedServer(): Promise<SharedServer> {
  asked ??= text(connect(inject('sharedPostgresPort'), '127.0.0.1')).then((json) => JSON.parse(json) as SharedServer);
  return asked;
}
