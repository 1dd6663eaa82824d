import { randomBytes } from 'node:crypto';
import { migrations, migrationsOf } from '../../shared/schema.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import type { Connections } from './connections.ts';

/** Milliseconds since the epoch by the clock of the database: the only clock that counts across processes. */
export const nowSql = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** A time that the caller can give instead. */
export const givenNow = (parameter: string): string => `coalesce(${parameter}::bigint, ${nowSql})`;

/** Advisory lock of processes that start to use a database. Any number that nobody else is likely to use. */
export const migrationLock = 8_340_217_551;

/**
 * Migrates a database to the newest schema; refuses one that a newer program made. Processes that start at the same
 * time wait for each other. Returns the secret, which is created with the database.
 */
export async function migrate(connections: Connections): Promise<Uint8Array> {
  return connections.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL)', []);
    const [row] = await tx.query<{ version: number }>('SELECT version FROM schema_version', []);
    const version = row?.version ?? 0;
    if (version > migrations.length) {
      throw new ExitError(
        exitCodes.databaseNewer,
        `The database was made by a newer version of hayrake (schema ${version}, this program knows ${migrations.length}). ` +
          'Install that version, or use another database.',
      );
    }
    // A migration can rewrite a table of many million rows.
    await tx.script('SET LOCAL statement_timeout = 0');
    for (const sql of migrationsOf('postgres', version)) await tx.script(sql);
    if (!row) await tx.query('INSERT INTO schema_version VALUES ($1)', [migrations.length]);
    else if (version < migrations.length) await tx.query('UPDATE schema_version SET version = $1', [migrations.length]);
    failPoint('start.migrating');
    await tx.query("INSERT INTO setting (name, value) VALUES ('secret', $1) ON CONFLICT DO NOTHING", [randomBytes(32)]);
    const [secret] = await tx.query<{ value: Uint8Array }>("SELECT value FROM setting WHERE name = 'secret'", []);
    if (!secret) throw new Error('the secret was not stored');
    return new Uint8Array(secret.value);
  });
}
