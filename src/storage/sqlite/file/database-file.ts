import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../../../core/process/make-directory.ts';
import { Database } from './database.ts';
import { damaged } from './faults.ts';

export const databaseFile = 'hayrake.db';

/** Files that SQLite keeps next to a database. */
export const companions = ['-wal', '-shm', '-journal'] as const;

/**
 * The database file of a data directory. A missing one is created under a temporary name first. So an empty file with
 * the final name is never a new database, but always the remains of one.
 */
export function databaseIn(dir: string, prepare: (db: Database) => void): string {
  makeDirectory(dir, 0o700);
  const file = path.join(dir, databaseFile);
  if (sizeOf(file) === undefined) {
    // SQLite would create an empty database and discard the log, which holds data of its own.
    const isLogAlone = (sizeOf(`${file}-wal`) ?? 0) > 0 && sizeOf(file) === undefined;
    if (isLogAlone) throw damaged(dir, `${databaseFile} is missing, but its log exists`);
    create(dir, file, prepare);
  }
  if (sizeOf(file) === 0) throw damaged(dir, `${databaseFile} is empty`);
  return file;
}

/** True if the directory has a database, or what is left of one. */
export function hasDatabase(dir: string): boolean {
  return ['', ...companions].some((suffix) => sizeOf(path.join(dir, `${databaseFile}${suffix}`)) !== undefined);
}

/** Readable by its owner only: SQLite's other files get its mode. */
function create(dir: string, file: string, prepare: (db: Database) => void): void {
  const made = temporaryName(dir);
  try {
    closeSync(openSync(made, 'wx', 0o600));
    const db = new Database(made, { busyMs: 0 });
    try {
      prepare(db);
    } finally {
      // Closing the last connection merges the log, so the database is one file.
      db.close();
    }
    putInPlace(made, file);
  } finally {
    removeDatabase(made);
  }
}

/** Gives a complete database its name. Returns false if another process was faster and the name is taken. */
export function putInPlace(made: string, file: string): boolean {
  try {
    linkSync(made, file);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  syncDirectory(path.dirname(file));
  return true;
}

export function temporaryName(dir: string, name: string = databaseFile): string {
  return path.join(dir, `.${name}.${randomBytes(8).toString('hex')}.new`);
}

/** The name of a copy that `restore` makes. Only a process that holds the lock of the directory makes one. */
export function restoreCopyName(dir: string): string {
  return temporaryName(dir, 'restore');
}

/** Removes copies that a killed `restore` left. Call while holding the lock of the directory. */
export function removeRestoreCopies(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isFile() && restoreCopy.test(entry.name)) rmSync(path.join(dir, entry.name), { force: true });
  }
}

const restoreCopy = /^\.restore\.[0-9a-f]{16}\.new(?:-wal|-shm|-journal)?$/;

/** Advice if other users of the machine can read the directory or the database. Both are created for the owner only. */
export function whatOthersCanRead(dir: string): string | undefined {
  const file = path.join(dir, databaseFile);
  const open = [dir, file].find((name) => ((statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & othersRead) !== 0);
  return open && `other users of this machine can read ${open}: chmod -R go-rwx ${dir}`;
}

/** Group and others. */
const othersRead = 0o044;

export function removeDatabase(file: string): void {
  for (const suffix of ['', ...companions]) rmSync(`${file}${suffix}`, { force: true });
}

/** Makes renames and links in the directory survive a power cut. */
export function syncDirectory(dir: string): void {
  const descriptor = openSync(dir, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined if there is no such file. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/**
 * Creates a file of the data directory, for its owner only, if it is missing. An existing file is not opened, because
 * closing it again would release this process's locks on it (fcntl).
 */
export function ownFile(dir: string, name: string): string {
  makeDirectory(dir, 0o700);
  const file = path.join(dir, name);
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
  return file;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
