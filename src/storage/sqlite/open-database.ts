import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { ExitError, exitCodes } from '../../core/errors.ts';
import { Database, sqliteCode, sqliteCodes } from './database.ts';
import { migrate } from './schema.ts';

export const databaseFile = 'hayrake.db';

/**
 * Opens the database of a data directory, making both where they are missing.
 *
 * Write-ahead log with `synchronous=FULL`: what was committed survives a power cut. Other processes may hold the write
 * lock for as long as one commit takes; five seconds of patience is far more than that.
 */
export function openDatabase(dir: string, role: 'writer' | 'reader'): Database {
  let db: Database | undefined;
  try {
    const file = ownFile(dir, databaseFile);
    db = new Database(file, { busyMs: 5_000 });
    db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('journal_size_limit = 67108864');
    migrate(db);
    if (role === 'reader') db.pragma('query_only = ON');
    else db.pragma('wal_autocheckpoint = 4000');
    return db;
  } catch (error) {
    db?.close();
    throw explained(error, dir);
  }
}

/**
 * SQLite before 3.51.3 can corrupt a write-ahead log when two connections write or checkpoint at the same moment. Rare, and
 * rarer here, where one connection writes; but whoever runs on such a Node should know.
 */
export function hasWalBug(sqliteVersion: string): boolean {
  const [major = 0, minor = 0, patch = 0] = sqliteVersion.split('.').map(Number);
  return major * 1_000_000 + minor * 1_000 + patch < 3_051_003;
}

export const walBugWarning =
  "the SQLite of this Node is older than 3.51.3 and has a rare bug that can damage the database. Node 24's newest release has a newer one.";

/**
 * A file of the data directory, made where it is missing, for its owner alone: SQLite's own files take its mode. One that
 * is there is not opened, since closing it again would let go of this process's locks on it (fcntl).
 */
export function ownFile(dir: string, name: string): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = path.join(dir, name);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return file;
}

/** A storage error as one sentence with the exit code that the contract gives it. */
export function explained(error: unknown, dir: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = sqliteCode(error);
  if (code === undefined) return 'code' in error ? unusable(error, dir) : error;
  if (code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase) {
    return new ExitError(
      exitCodes.databaseDamaged,
      `The database in ${dir} is damaged (${error.message}). Restore it from a backup, or use another data directory.`,
    );
  }
  return new ExitError(
    exitCodes.storageFailed,
    `The database in ${dir} cannot be used: ${error.message} (SQLite ${code}).`,
  );
}

function unusable(error: Error, dir: string): ExitError {
  return new ExitError(exitCodes.storageFailed, `The data directory ${dir} cannot be used: ${error.message}.`);
}
