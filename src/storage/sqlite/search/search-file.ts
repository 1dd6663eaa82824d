import { statSync } from 'node:fs';
import path from 'node:path';
import { ExitError, exitCodes, type StorageProblem } from '../../../core/errors.ts';
import { DamagedIndex, indexVersion } from '../../rules/search/search-engine.ts';
import { Database, extendedCode, extendedCodes, sqliteCode, sqliteCodes } from '../file/database.ts';
import { ownFile, removeDatabase, sizeOf } from '../file/database-file.ts';

export const searchFile = 'search.db';

/** A large job leaves many free pages. Released in one step: 8 MiB. */
const filePagesPerStep = 2_000;

/**
 * The file of the search index, next to the database. Several processes can use it. Each can remove it, and notices at
 * its next use if another one has.
 *
 * A rollback journal, not a write-ahead log: closing a removed database would remove the log of its successor. The file
 * survives the death of a process. After a power cut it can be damaged, which is noticed, or end earlier.
 */
export class SearchFile {
  readonly #dir: string;
  readonly #file: string;
  #db: Database | undefined;
  #inode = 0;
  #isDamaged = false;

  constructor(dir: string) {
    this.#dir = dir;
    this.#file = path.join(dir, searchFile);
  }

  /**
   * Runs on the index file. Undefined if it does not exist, unless it may be created. Throws {@link DamagedIndex} or an
   * `ExitError`, except for errors of other databases.
   */
  use<Result>(run: (db: Database) => Result, { create }: { readonly create: boolean }): Result | undefined {
    try {
      const db = this.#opened(create);
      return db && run(db);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** An error of its content was seen. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Gives the space of removed rows back to the disk, one step. Returns true if more is left. */
  shrink(): boolean {
    const left = this.use(
      (db) => {
        db.pragma(`incremental_vacuum(${filePagesPerStep})`);
        return Number(db.pragma('freelist_count'));
      },
      { create: false },
    );
    return (left ?? 0) > 0;
  }

  remove(): void {
    this.close();
    removeDatabase(this.#file);
    this.#isDamaged = false;
  }

  close(): void {
    try {
      this.#db?.close();
    } finally {
      this.#db = undefined;
    }
  }

  #opened(create: boolean): Database | undefined {
    const inode = statSync(this.#file, { throwIfNoEntry: false })?.ino;
    if (this.#db && inode === this.#inode) return this.#db;
    this.close();
    if (inode === undefined && !create) return undefined;
    ownFile(this.#dir, searchFile);
    this.#inode = statSync(this.#file).ino;
    this.#db = new Database(this.#file, { busyMs: 5_000 });
    this.#prepare(this.#db);
    return this.#db;
  }

  #prepare(db: Database): void {
    db.pragma('cell_size_check = ON');
    db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma('journal_mode = TRUNCATE');
    db.pragma('synchronous = NORMAL');
    if (Number(db.pragma('user_version')) === indexVersion) return;
    db.transaction('immediate', () => {
      const version = Number(db.pragma('user_version'));
      if (version === indexVersion) return;
      if (version !== 0) {
        this.#isDamaged = true;
        throw new DamagedIndex(`it has version ${version}`);
      }
      db.exec(`
        CREATE TABLE search_job (
          seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, indexed INTEGER NOT NULL DEFAULT 0, damaged INTEGER NOT NULL DEFAULT 0,
          erasures INTEGER NOT NULL DEFAULT 0, -- of the job when it began: later ones make it outdated
          last_crc INTEGER  -- of the last indexed page: an older database was restored if it has another one
        ) STRICT`);
      db.pragma(`user_version = ${indexVersion}`);
    });
  }

  /** Whatever is wrong with the content is damage: all statements are the program's own. */
  #explained(error: unknown): unknown {
    const code = sqliteCode(error);
    if (code === undefined || !(error instanceof Error)) return error;
    if (extendedCode(error) === extendedCodes.readOnlyMoved) {
      this.close();
      return new MovedIndex(error.message);
    }
    const problem = problems.get(code);
    if (problem === undefined) {
      this.#isDamaged = true;
      return new DamagedIndex(error.message);
    }
    const message = `The search index ${this.#file} cannot be used: ${error.message} (SQLite ${extendedCode(error) ?? code}). It can be deleted: the next search builds it again.`;
    return new ExitError(exitCodes.storageFailed, message, problem);
  }
}

/** Another process has removed the file. */
export class MovedIndex extends Error {
  override readonly name = 'MovedIndex';
}

const ioError = 10;

/** Errors of the system, not of the content. */
const problems: ReadonlyMap<number, StorageProblem> = new Map([
  [sqliteCodes.busy, 'unavailable'],
  [sqliteCodes.locked, 'unavailable'],
  [sqliteCodes.readOnly, 'storage_read_only'],
  [sqliteCodes.full, 'insufficient_storage'],
  [sqliteCodes.cannotOpen, 'unavailable'],
  [ioError, 'unavailable'],
]);

/** Size of the index file of a data directory; undefined if there is none. */
export function searchBytes(dir: string): number | undefined {
  return sizeOf(path.join(dir, searchFile));
}
