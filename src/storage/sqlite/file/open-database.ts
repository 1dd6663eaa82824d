import path from 'node:path';
import { Database } from './database.ts';
import { databaseFile, databaseIn } from './database-file.ts';
import { explained } from './faults.ts';
import { migrate } from './schema.ts';

/** Far longer than the commit for which another process can hold the write lock. */
export const busyMs = 5_000;

/**
 * Opens the database of a data directory, creating both if they are missing.
 *
 * Write-ahead log with `synchronous=FULL`: committed data survives a power cut.
 */
export function openDatabase(dir: string, role: 'writer' | 'reader'): Database {
  let db: Database | undefined;
  try {
    db = new Database(databaseIn(dir, prepare), { busyMs });
    prepare(db);
    if (role === 'reader') db.pragma('query_only = ON');
    else {
      db.pragma('wal_autocheckpoint = 4000');
      // What is removed, and what a row was before, must stay neither in its old place nor in free pages of the file.
      db.pragma('secure_delete = ON');
    }
    return db;
  } catch (error) {
    db?.close();
    throw explained(error, dir);
  }
}

/**
 * Another connection to a database that this process has already opened. It creates and prepares nothing, so it can be
 * opened while the disk is full, or while another process holds the write lock.
 */
export function openForReading(dir: string): Database {
  return new Database(path.join(dir, databaseFile), { busyMs, readOnly: true });
}

function prepare(db: Database): void {
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('journal_size_limit = 67108864');
  migrate(db);
}

/**
 * SQLite before 3.51.3 can corrupt a write-ahead log if two connections write or checkpoint at the same moment. Rare,
 * and rarer here, where one connection writes, but operators of such a Node should know.
 */
export function hasWalBug(sqliteVersion: string): boolean {
  const [major = 0, minor = 0, patch = 0] = sqliteVersion.split('.').map(Number);
  return major * 1_000_000 + minor * 1_000 + patch < 3_051_003;
}

export const walBugWarning =
  'the SQLite of this Node is older than 3.51.3 and has a rare bug that can damage the database. Install the newest release of Node 24.';
