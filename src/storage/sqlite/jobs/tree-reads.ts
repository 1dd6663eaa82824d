import { hasEnded } from '../../../core/job.ts';
import type { TreeCounts, TreeQuery } from '../../../core/ports/stores.ts';
import { type CountedState, TreeCounter } from '../../rules/jobs/url-tree.ts';
import type { StoredJobRow } from '../../rules/jobs/job-row.ts';
import type { Database, Statement } from '../file/database.ts';
import { WholeJobs } from './whole-jobs.ts';

/** Counts the URLs of a job by their segments. In code, because SQL of SQLite cannot split text: 0.8 us a URL. */
export class TreeReads {
  readonly #jobs: WholeJobs<StoredJobRow>;
  readonly #urls: Statement<[number, string, string], readonly [url: string, state: CountedState]>;

  constructor(db: Database) {
    this.#jobs = new WholeJobs(db, '*');
    this.#urls = db.prepareArrays(
      "SELECT url, state FROM ledger INDEXED BY ledger_in_order WHERE job = ? AND kind = 'page' AND url >= ? AND url < ?",
    );
  }

  count(jobId: string, { prefix, depth }: TreeQuery): TreeCounts | undefined {
    const job = this.#jobs.get(jobId);
    if (!job) return undefined;
    const leftAs = hasEnded(job.status) ? 'discarded' : 'queued';
    const counter = new TreeCounter(prefix, depth);
    for (const [url, state] of this.#urls.iterate(job.seq, prefix ?? '', afterAll(prefix)))
      counter.add(url, state === 'queued' ? leftAs : state);
    return counter.counts();
  }
}

/** Sorts after every URL with the prefix. A prefix ends with a slash, and a zero follows the slash. */
function afterAll(prefix: string | undefined): string {
  return prefix === undefined ? 'i' : `${prefix.slice(0, -1)}0`;
}
