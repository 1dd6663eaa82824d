import { ExitError, exitCodes } from '../../../core/errors.ts';
import { writeMark } from '../file/clean-stop.ts';
import type { Database } from '../file/database.ts';

const name = 'crawler';

/**
 * Fences the process that crawls, in the database itself: if the lock file is deleted, a second process can start. Only
 * the last process that claimed the database can write; every commit of another one fails. Every method except
 * {@link claimed} runs inside a transaction.
 */
export class CrawlerFence {
  readonly #db: Database;
  readonly #dir: string;
  /** The boot id of this process. */
  readonly #bootId: string;
  #hasClaimed = false;

  constructor(db: Database, dir: string, bootId: string) {
    this.#db = db;
    this.#dir = dir;
    this.#bootId = bootId;
  }

  /** Claims the database at the first call. Throws an `ExitError` once another process has claimed it. */
  check(): void {
    if (!this.#hasClaimed) {
      this.#db.run('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)', name, Buffer.from(this.#bootId));
      writeMark(this.#db, 'running');
      return;
    }
    const owner = this.#db.get<{ value: Uint8Array }>('SELECT value FROM setting WHERE name = ?', name)?.value;
    if (owner !== undefined && Buffer.from(owner).toString() === this.#bootId) return;
    throw new ExitError(
      exitCodes.directoryInUse,
      `Another hayrake process has started to crawl with ${this.#dir}; crawling.lock was probably deleted. This process writes nothing more, and nothing is lost. Run one process per directory, and never delete that file.`,
    );
  }

  /** Call after each commit. */
  claimed(): void {
    if (this.#hasClaimed) return;
    this.#hasClaimed = true;
    // The mark must be in the database file before the log holds commits. If a reader blocks this, it follows later.
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Call when this process stops in order. */
  release(): void {
    if (!this.#hasClaimed) return;
    this.check();
    writeMark(this.#db, undefined);
  }
}
