import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ExitError, exitCodes } from '../../../core/errors.ts';
import { Database, sqliteCode, sqliteCodes } from './database.ts';
import { ownFile } from './database-file.ts';
import { explained } from './faults.ts';

/** A command that reads after a crash holds the lock for a moment: see `clean-stop.ts`. */
const lockMs = 1_000;

/**
 * Makes this process the only one that crawls with a data directory, until the returned function is called or the
 * process dies, however it dies.
 *
 * Node has no file locks of its own, so SQLite takes one: an open exclusive transaction on an empty database is an
 * operating system lock (fcntl) that ends with the process. The text file next to it only names the owner.
 */
export function lockForCrawling(dir: string): () => void {
  const owner = path.join(dir, 'crawling.owner');
  let lock: Database | undefined;
  try {
    lock = new Database(ownFile(dir, 'crawling.lock'), { busyMs: lockMs });
    lock.exec('BEGIN EXCLUSIVE');
    writeFileSync(owner, `process ${process.pid}`, { mode: 0o600 });
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) !== sqliteCodes.busy) throw explained(error, dir);
    throw new ExitError(
      exitCodes.directoryInUse,
      `${dir} is in use by another crawling hayrake (${ownerOf(owner)}). Stop that process first, or use another directory with --data.`,
    );
  }
  const held = lock;
  return () => held.close();
}

/** True if a process crawls with the data directory now. */
export function isCrawled(dir: string): boolean {
  let lock: Database | undefined;
  try {
    lock = new Database(ownFile(dir, 'crawling.lock'), { busyMs: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    if (sqliteCode(error) !== sqliteCodes.busy) throw explained(error, dir);
    return true;
  } finally {
    lock?.close();
  }
}

function ownerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 100);
  } catch {
    // The other process has taken the lock and not written its name yet.
    return 'process not yet known';
  }
}
