import { chmodSync, closeSync, fsyncSync, openSync, realpathSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BackupSummary } from '../../../core/ports/backup.ts';
import { type Damage, inWords } from '../../../core/ports/check.ts';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { damageIn, whatIsWrong } from './check-database.ts';
import { hasLog, noteLogOfCrash, writeMark } from '../file/clean-stop.ts';
import {
  companions,
  databaseFile,
  removeDatabase,
  sizeOf,
  syncDirectory,
  temporaryName,
} from '../file/database-file.ts';
import { Database, sqliteCode, sqliteCodes } from '../file/database.ts';
import { damaged, explained } from '../file/faults.ts';
import { knownVersion } from '../file/schema.ts';

export interface BackupOptions {
  readonly overwrite: boolean;
  /** Does not read pages to check them: checks only the structure of the copy, and that every job adds up. */
  readonly isQuick: boolean;
}

/**
 * Copies the database of a data directory, as it is at this moment, into one file. The copy is checked before it gets
 * its name. Works while a process crawls: `VACUUM INTO` reads one snapshot on its own connection, and leaves out
 * deleted data. Blocks until it is done.
 */
export function backUp(dir: string, file: string, options: BackupOptions): BackupSummary {
  const source = path.join(dir, databaseFile);
  if (sizeOf(source) === undefined) throw failed(`There is no database in ${dir}.`);
  refuseTarget(dir, file, options.overwrite);
  const copy = temporaryName(path.dirname(file), path.basename(file));
  try {
    const hadLog = hasLog(dir);
    const db = new Database(source, { busyMs: 5_000 });
    try {
      if (knownVersion(db) < 1) throw damaged(dir, 'it has no tables');
      noteLogOfCrash(dir, db, hadLog);
      closeSync(openSync(copy, 'wx', 0o600));
      db.run('VACUUM INTO ?', copy);
    } finally {
      db.close();
    }
    removeMark(copy);
    const summary = checked(copy, dir, options.isQuick);
    syncFile(copy);
    refuseTarget(dir, file, options.overwrite);
    renameSync(copy, file);
    syncDirectory(path.dirname(file));
    return summary;
  } catch (error) {
    if (sqliteCode(error) === sqliteCodes.full)
      throw new ExitError(
        exitCodes.storageFailed,
        `There is not enough space for the backup in ${path.dirname(file)}.`,
      );
    throw explained(error, dir);
  } finally {
    removeDatabase(copy);
  }
}

function refuseTarget(dir: string, file: string, overwrite: boolean): void {
  const parent = path.dirname(file);
  if (statSync(parent, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw failed(`There is no directory ${parent}.`);
  const isOwnFile = [databaseFile, ...companions.map((suffix) => databaseFile + suffix)].includes(path.basename(file));
  if (isOwnFile && realpathSync(parent) === realpathSync(dir))
    throw failed(`${file} is the database itself. Write the backup to another file.`);
  const existing = statSync(file, { throwIfNoEntry: false });
  if (!existing) return;
  if (!existing.isFile()) throw failed(`${file} is not a file.`);
  if (!overwrite) throw failed(`${file} already exists. Choose another name, or replace it with --force.`);
}

/** The copy has everything that was committed, and no process runs on it. */
function removeMark(copy: string): void {
  const db = new Database(copy, { busyMs: 0 });
  try {
    writeMark(db, undefined);
  } finally {
    db.close();
  }
}

/** A summary of the copy, if nothing is wrong with it: a backup that nobody can restore is worse than none. */
function checked(copy: string, dir: string, isQuick: boolean): BackupSummary {
  const db = new Database(copy, { busyMs: 0, readOnly: true });
  try {
    const now = Date.now();
    const wrong = whatIsWrong(db, now);
    if (wrong !== undefined) throw damaged(dir, wrong);
    if (!isQuick) refuseDamage(damageIn(db, now), dir);
    return summaryOf(db, copy);
  } finally {
    db.close();
  }
}

function refuseDamage({ damaged: found, damagedParts }: Damage, dir: string): void {
  const [first] = found;
  if (!first) return;
  const others = damagedParts > 1 ? ` and ${damagedParts - 1} more` : '';
  throw new ExitError(
    exitCodes.databaseDamaged,
    `The database in ${dir} is damaged: ${inWords(first)}${others}. No backup was made. Keep the earlier backups, and run \`hayrake check\` to find all damaged pages. --quick makes a backup without reading the pages.`,
  );
}

export function summaryOf(db: Database, file: string): BackupSummary {
  const counts = db.get<{ jobs: number; pages: number }>(
    'SELECT (SELECT count(*) FROM job) AS jobs, (SELECT count(*) FROM page) AS pages',
  );
  return { jobs: counts?.jobs ?? 0, pages: counts?.pages ?? 0, bytes: sizeOf(file) ?? 0 };
}

/** Syncs a file to disk, and makes it readable by its owner only. */
export function syncFile(file: string): void {
  chmodSync(file, 0o600);
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function failed(message: string): ExitError {
  return new ExitError(exitCodes.failed, message);
}
