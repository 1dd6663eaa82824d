import { ExitError, exitCodes } from '../../core/errors.ts';
import { writeMark } from './clean-stop.ts';
import type { Database, Statement } from './database.ts';

const name = 'crawler';

/**
 * Fences the process that crawls, in the database itself: a lock file can be deleted, and then a second process takes its place.
 * The last one to claim the database is the one that may write; every commit of another fails. Every method runs inside a
 * transaction, but for {@link claimed}.
 */
export class CrawlerFence {
  readonly #db: Database;
  readonly #dir: string;
  /** The boot id of this process. */
  readonly #bootId: string;
  readonly #owner: Statement<[string], { value: Uint8Array }>;
  #hasClaimed = false;

  constructor(db: Database, dir: string, bootId: string) {
    this.#db = db;
    this.#dir = dir;
    this.#bootId = bootId;
    this.#owner = db.prepare('SELECT value FROM setting WHERE name = ?');
  }

  /** Claims the database the first time. Throws an `ExitError` once another process has claimed it. */
  check(): void {
    if (!this.#hasClaimed) {
      this.#db
        .prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)')
        .run(name, Buffer.from(this.#bootId));
      writeMark(this.#db, 'running');
      return;
    }
    const owner = this.#owner.get(name)?.value;
    if (owner !== undefined && Buffer.from(owner).toString() === this.#bootId) return;
    throw new ExitError(
      exitCodes.directoryInUse,
      `Another hayrake crawls with ${this.#dir} since this one began: was crawling.lock deleted? Nothing more is written here, and nothing is lost. Run one process for each directory, and leave that file alone.`,
    );
  }

  /** After each commit. */
  claimed(): void {
    if (this.#hasClaimed) return;
    this.#hasClaimed = true;
    // The mark has to stand in the file before the log has anything to lose. A reader may be in the way: then it follows later.
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** This process stops in order. */
  release(): void {
    if (!this.#hasClaimed) return;
    this.check();
    writeMark(this.#db, undefined);
  }
}
