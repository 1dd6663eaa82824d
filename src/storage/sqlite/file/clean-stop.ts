// Records if the last process that crawled stopped in order. Commits go to the write-ahead log first. If the log is
// lost after a crash, its commits are lost too, and the database looks intact without them. The mark is in its file:
//
//   absent  ──crawling begins──►  running  ──a stop in order──►  absent
//                                   │ a crash, then another command opens the database
//                                   ├──the log is there──►  merged: that command can merge the log and remove it
//                                   └──the log is gone──►  lost
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { lockForCrawling } from './crawl-lock.ts';
import { databaseFile } from './database-file.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

export type StopMark = 'running' | 'merged' | 'lost';

const name = 'stop_mark';

export function readMark(db: Database): StopMark | undefined {
  const row = db.get<{ value: Uint8Array }>('SELECT value FROM setting WHERE name = ?', name);
  return row && (Buffer.from(row.value).toString() as StopMark);
}

/** Call in a transaction. Undefined removes the mark. */
export function writeMark(db: Database, mark: StopMark | undefined): void {
  if (mark === undefined) db.run('DELETE FROM setting WHERE name = ?', name);
  else db.run('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)', name, Buffer.from(mark));
}

/** Call before the database is opened, which creates a log. */
export function hasLog(dir: string): boolean {
  return existsSync(path.join(dir, `${databaseFile}-wal`));
}

/** The message about the last stop if commits can be lost, otherwise undefined. */
export function lossAfter(mark: StopMark | undefined, hadLog: boolean, dir: string): string | undefined {
  if (mark === undefined || mark === 'merged' || (mark === 'running' && hadLog)) return undefined;
  return (
    `the last process that crawled with ${dir} did not shut down cleanly, and ${databaseFile}-wal is missing: pages and jobs of its last minutes may be lost. ` +
    `The remaining data is used from now on. If the file was moved, stop hayrake and put the directory back as it was, with all its files; otherwise restore a backup, or crawl the last jobs again`
  );
}

/**
 * For a command that opens the database to read it. If it is the last to close it, SQLite merges the log and removes
 * it. Notes that the log was there, so that the next start does not take it for lost. Writes only after a crash.
 */
export function noteLogOfCrash(dir: string, db: Database, hadLog: boolean): void {
  if (readMark(db) !== 'running') return;
  let unlock: () => void;
  try {
    unlock = lockForCrawling(dir);
  } catch (error) {
    // A process is crawling.
    if (error instanceof ExitError && error.exitCode === exitCodes.directoryInUse) return;
    throw error;
  }
  try {
    const writer = openDatabase(dir, 'writer');
    try {
      writer.transaction('immediate', () => writeMark(writer, hadLog ? 'merged' : 'lost'));
    } finally {
      writer.close();
    }
  } finally {
    unlock();
  }
}
