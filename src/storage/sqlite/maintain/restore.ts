import { constants, copyFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BackupSummary } from '../../../core/ports/backup.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { failed, summaryOf, syncFile } from './backup.ts';
import { whatIsWrong } from './check-database.ts';
import { lockForCrawling } from '../file/crawl-lock.ts';
import {
  companions,
  databaseFile,
  putInPlace,
  removeDatabase,
  removeRestoreCopies,
  restoreCopyName,
  sizeOf,
} from '../file/database-file.ts';
import { Database, sqliteCode, sqliteCodes } from '../file/database.ts';
import { explained } from '../file/faults.ts';
import { identitySetting } from '../../rules/pages/segment-objects.ts';
import { createSchema, knownVersion } from '../file/schema.ts';

/** In a crafted file, these can have any type. */
interface SchemaObject {
  readonly type: unknown;
  readonly name: unknown;
  readonly sql: unknown;
}

/**
 * Makes a backup the database of a data directory that has none. It checks a copy of the file, which is in place under
 * another name. So nobody can change it between check and use, and it becomes the database completely or not at all.
 */
export function restore(file: string, dir: string): BackupSummary {
  refuseSource(file);
  const unlock = lockForCrawling(dir);
  const copy = restoreCopyName(dir);
  const target = path.join(dir, databaseFile);
  try {
    removeRestoreCopies(dir);
    refuseDatabase(dir, target);
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    syncFile(copy);
    const summary = checked(copy, file);
    forgetObjects(copy);
    if (!putInPlace(copy, target)) throw hasDatabase(dir);
    return summary;
  } catch (error) {
    throw explained(error, dir);
  } finally {
    removeDatabase(copy);
    unlock();
  }
}

function refuseSource(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw failed(`There is no file ${file}.`);
  if (!stats.isFile()) throw failed(`${file} is not a file.`);
  for (const suffix of ['-wal', '-journal']) {
    if ((sizeOf(file + suffix) ?? 0) === 0) continue;
    throw failed(
      `${file} is not a backup but a live database, with a part of it in ${file}${suffix}. Back up its directory instead: hayrake backup FILE --data DIR.`,
    );
  }
}

function refuseDatabase(dir: string, target: string): void {
  for (const suffix of ['', ...companions]) {
    if (sizeOf(target + suffix) !== undefined) throw hasDatabase(dir);
  }
}

function hasDatabase(dir: string): ExitError {
  return failed(`${dir} already has a database. Restore into an empty directory, with --data.`);
}

/** Another database: the one that the backup is of can still use its objects. See `hayrake blobs adopt`. */
function forgetObjects(copy: string): void {
  const db = new Database(copy, { busyMs: 0 });
  try {
    db.run('DELETE FROM setting WHERE name = ?', identitySetting);
  } finally {
    db.close();
  }
  syncFile(copy);
}

/** Opens the file for reading only and trusts nothing: the schema is compared before any SQL of it runs. */
function checked(copy: string, file: string): BackupSummary {
  const db = new Database(copy, { busyMs: 0, readOnly: true });
  try {
    db.defend();
    db.pragma('cell_size_check = ON');
    const version = knownVersion(db);
    const odd = oddIn(db, version);
    if (odd !== undefined) throw failed(`${file} is not a backup made by hayrake: ${odd}.`);
    const wrong = whatIsWrong(db, Date.now());
    if (wrong !== undefined) throw unreadable(file, wrong);
    return summaryOf(db, copy);
  } catch (error) {
    if (error instanceof ExitError && error.exitCode === exitCodes.databaseNewer)
      throw new ExitError(exitCodes.databaseNewer, error.message.replace(copy, file));
    const code = sqliteCode(error);
    if (code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase)
      throw unreadable(file, error instanceof Error ? error.message : '');
    throw error;
  } finally {
    db.close();
  }
}

function unreadable(file: string, how: string): ExitError {
  return new ExitError(exitCodes.databaseDamaged, `${file} is damaged, or not a backup (${how}). Restore another one.`);
}

/** A schema object that the file has and a database of its version does not have, or the other way round. */
function oddIn(db: Database, version: number): string | undefined {
  if (version < 1) return 'it has no tables';
  const fresh = new Database(':memory:', { busyMs: 0 });
  try {
    createSchema(fresh, version);
    const expected = new Map(schemaOf(fresh).map((object) => [keyOf(object), object]));
    for (const object of schemaOf(db)) {
      const ours = expected.get(keyOf(object));
      if (!ours || ours.sql !== object.sql) return `its ${keyOf(object)} is not part of the schema`;
      expected.delete(keyOf(object));
    }
    const [missing] = expected.values();
    return missing && `its ${keyOf(missing)} is missing`;
  } finally {
    fresh.close();
  }
}

/** A crafted file can have any number of objects. A limit above the real number is enough to find a wrong one. */
function schemaOf(db: Database): SchemaObject[] {
  return db.all<SchemaObject>('SELECT type, name, sql FROM sqlite_schema LIMIT 1000');
}

function keyOf({ type, name }: SchemaObject): string {
  return `${String(type).slice(0, 10)} ${JSON.stringify(String(name).slice(0, 100))}`;
}
