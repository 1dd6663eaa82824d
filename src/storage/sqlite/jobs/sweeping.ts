import path from 'node:path';
import type { Swept } from '../../../core/ports/stores.ts';
import { Sweeper } from '../../shared/sweeping.ts';
import type { Database } from '../file/database.ts';
import { damaged } from '../file/faults.ts';
import { runSteps } from '../file/run-steps.ts';

/** Rows of each table removed in one step: about 20 ms, so that crawling hardly notices. */
const rowsPerStep = 500;
/** Pages of the file released in one step: 8 MiB. */
const filePagesPerStep = 2_000;

/** Removes what nobody can read any more, then gives its space back. Every call is inside a transaction of the writer. */
export class Sweeping {
  readonly #db: Database;
  readonly #sweeper: Sweeper;

  constructor(db: Database) {
    this.#db = db;
    this.#sweeper = new Sweeper(rowsPerStep, (message) => damaged(path.dirname(db.file), message));
  }

  step(now: number): Swept {
    const { deleteUpTo, aheadMs } = runSteps(this.#db, this.#sweeper.judge(now));
    runSteps(this.#db, this.#sweeper.removeOld(deleteUpTo));
    const more = runSteps(this.#db, this.#sweeper.step(deleteUpTo)) || this.#giveSpaceBack();
    return { more, ...(aheadMs !== undefined && { clockAheadMs: aheadMs }) };
  }

  /** Removed rows leave free pages in the file. New pages of jobs use them first; the rest is cut off. */
  #giveSpaceBack(): boolean {
    this.#db.pragma(`incremental_vacuum(${filePagesPerStep})`);
    return Number(this.#db.pragma('freelist_count')) > 0;
  }
}
