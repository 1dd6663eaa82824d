import type { Diagnosis } from '../../../core/ports/diagnosis.ts';
import type { Database } from './database.ts';
import { migrations, migrationsOf } from '../../shared/schema.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';

/** Migrates a database to the newest schema. Refuses one that a newer program made. */
export function migrate(db: Database): void {
  if (isNewest(db)) return;
  db.transaction('immediate', () => {
    // Read again under the lock: another process can have been faster.
    for (const sql of migrationsOf('sqlite', schemaVersion(db))) db.exec(sql);
    failPoint('start.migrating');
    db.pragma(`user_version = ${migrations.length}`);
  });
}

/** Gives an empty database the schema of this version. */
export function createSchema(db: Database, version: number): void {
  for (const sql of migrationsOf('sqlite', 0, version)) db.exec(sql);
}

/** True if a database has every table and column that this program knows. Refuses one that a newer program made. */
export function isNewest(db: Database): boolean {
  return knownVersion(db) === migrations.length;
}

/** The version of a database. Refuses one that a newer program made. */
export function knownVersion(db: Database): number {
  const version = schemaVersion(db);
  if (version > migrations.length) {
    throw new ExitError(
      exitCodes.databaseNewer,
      `The database ${db.file} was made by a newer version of hayrake (schema ${version}, this program knows ${migrations.length}). ` +
        'Install that version, or use another data directory.',
    );
  }
  return version;
}

/** The diagnosis about the version of a database. */
export function schemaDiagnosis(db: Database): Diagnosis {
  const name = 'database';
  const version = schemaVersion(db);
  if (version > migrations.length)
    return {
      name,
      state: 'fail',
      message: `It was made by a newer hayrake (schema ${version}, this program knows ${migrations.length}).`,
      remedy: 'Install that version, or use another data directory.',
    };
  const upgrade = version < migrations.length ? ', which the next start upgrades' : '';
  return { name, state: 'ok', message: `SQLite, schema ${version}${upgrade}` };
}

function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version'));
}
