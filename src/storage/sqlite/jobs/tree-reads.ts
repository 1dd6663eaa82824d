import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasEnded } from '../../../core/job.ts';
import type { TreeCounts, TreeQuery } from '../../../core/ports/stores.ts';
import { type CountedState, TreeCounter } from '../../rules/jobs/url-tree.ts';
import type { StoredJobRow } from '../../rules/jobs/job-row.ts';
import type { Database, Statement } from '../file/database.ts';

/** URLs that are read at a time: 4 ms. */
const urlsPerStep = 5_000;

/**
 * Counts the URLs of a job by their segments. In code, because SQL of SQLite cannot split text: 0.8 us a URL. Other reads
 * of the thread run between two steps.
 */
export class TreeReads {
  readonly #db: Database;
  readonly #urls: Statement<[number, number, number, string, string], readonly [url: string, state: CountedState]>;

  constructor(db: Database) {
    this.#db = db;
    this.#urls = db.prepareArrays(
      "SELECT url, state FROM ledger INDEXED BY ledger_in_order WHERE job = ? AND id > ? AND id <= ? AND kind = 'page' AND url >= ? AND url < ?",
    );
  }

  /**
   * URLs that are discovered meanwhile are not counted. The states of a running job can change between two steps, so its
   * counts are not of one moment. Rejects once the database is closed.
   */
  async count(jobId: string, { prefix, depth }: TreeQuery): Promise<TreeCounts | undefined> {
    const job = this.#db.get<StoredJobRow>('SELECT * FROM job WHERE id = ?', jobId);
    if (!job) return undefined;
    const leftAs = hasEnded(job.status) ? 'discarded' : 'queued';
    const counter = new TreeCounter(prefix, depth);
    const last = this.#db.get<{ id: number | null }>(findLast, job.seq)?.id ?? 0;
    for (let after = 0; after < last;) {
      const end = Math.min(
        last,
        this.#db.get<{ id: number }>(findStepEnd, job.seq, after, urlsPerStep - 1)?.id ?? last,
      );
      for (const [url, state] of this.#urls.iterate(job.seq, after, end, prefix ?? '', afterAll(prefix)))
        counter.add(url, state === 'queued' ? leftAs : state);
      after = end;
      // The message of another read comes in with the next turn.
      if (after < last) await nextTurn();
    }
    return counter.counts();
  }
}

const findLast = 'SELECT max(id) AS id FROM ledger INDEXED BY ledger_in_order WHERE job = ?';
const findStepEnd =
  'SELECT id FROM ledger INDEXED BY ledger_in_order WHERE job = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?';

/** Sorts after every URL with the prefix. A prefix ends with a slash, and a zero follows the slash. */
function afterAll(prefix: string | undefined): string {
  return prefix === undefined ? 'i' : `${prefix.slice(0, -1)}0`;
}
