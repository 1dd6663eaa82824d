// For tests: a database of their own on the PostgreSQL of the run, which the first to ask has to wait for.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { createDatabase, type TestDatabase } from './database.ts';
import type { SharedServer } from './shared-server.ts';

let asked: Promise<SharedServer> | undefined;

/** A new, empty database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const shared = await sharedServer();
  if ('missing' in shared) throw new Error(shared.missing);
  return createDatabase(shared.url);
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
