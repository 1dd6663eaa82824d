import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Database } from './database.ts';
import { damaged } from './faults.ts';

export const databaseFile = 'hayrake.db';

/** What SQLite keeps beside a database. */
export const companions = ['-wal', '-shm', '-journal'] as const;

/**
 * The database file of a data directory, made whole where it is missing: under another name first, so that a file with
 * nothing in it never is a database to be, but always what is left of one.
 */
export function databaseIn(dir: string, prepare: (db: Database) => void): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = path.join(dir, databaseFile);
  if (sizeOf(file) === undefined) {
    // SQLite would begin anew and throw the log away, with what is in it alone.
    const isLogAlone = (sizeOf(`${file}-wal`) ?? 0) > 0 && sizeOf(file) === undefined;
    if (isLogAlone) throw damaged(dir, `${databaseFile} is missing, and its log is there`);
    create(dir, file, prepare);
  }
  if (sizeOf(file) === 0) throw damaged(dir, `${databaseFile} is empty`);
  return file;
}

/** For its owner alone: SQLite's own files take its mode. */
function create(dir: string, file: string, prepare: (db: Database) => void): void {
  const made = temporaryName(dir);
  try {
    closeSync(openSync(made, 'wx', 0o600));
    const db = new Database(made, { busyMs: 0 });
    try {
      prepare(db);
    } finally {
      // The last connection puts the log into the database, which is then one file.
      db.close();
    }
    putInPlace(made, file);
  } finally {
    removeDatabase(made);
  }
}

/** Gives a whole database its name. Answers false where another one has it: others may make one at the same time. */
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

/** Removes what a killed `restore` has left. To be called with the lock of the directory held. */
export function removeRestoreCopies(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isFile() && restoreCopy.test(entry.name)) rmSync(path.join(dir, entry.name), { force: true });
  }
}

const restoreCopy = /^\.restore\.[0-9a-f]{16}\.new(?:-wal|-shm|-journal)?$/;

/** What to do where other users of the machine can read the directory or the database. hayrake makes both for their owner alone. */
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

/** What was renamed or linked there stays so after a power cut. */
export function syncDirectory(dir: string): void {
  const descriptor = openSync(dir, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined where there is no such file. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/**
 * A file of the data directory, made where it is missing, for its owner alone. One that is there is not opened, since
 * closing it again would let go of this process's locks on it (fcntl).
 */
export function ownFile(dir: string, name: string): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
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
