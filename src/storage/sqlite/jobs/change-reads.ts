import type { ChangeQuery, ChangeSlice } from '../../../core/ports/changes.ts';
import {
  changeColumns,
  changeReading,
  type ChangeRow,
  changeSlice,
  type ChangeState,
  isUnknownSql,
} from '../../rules/jobs/change-rows.ts';
import { areResultsGone, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import type { Database, Statement } from '../file/database.ts';

type JobState = Omit<ChangeState, 'gone'> &
  Pick<StoredJobRow, 'seq' | 'org' | 'since' | 'results_gone_at'> & { readonly swept: number };

/** Reads the changes of a job, together with its state. */
export class ChangeReads {
  readonly #db: Database;
  readonly #jobs: Statement<[string], JobState>;
  readonly #numbered: Statement<[number | null, number, number, string, number], ChangeRow>;
  readonly #unknown: Statement<[number | null, number, number, number], ChangeRow>;

  constructor(db: Database) {
    this.#db = db;
    this.#jobs = db.prepare(
      'SELECT seq, org, since, status, end_reason, created_at, results_gone_at, swept FROM job WHERE id = ?',
    );
    const from = `SELECT ${changeColumns} FROM ledger l LEFT JOIN ledger e ON e.job = ? AND e.key = l.key WHERE l.job = ?`;
    // mutant change-twice, promise 17: `l.change_number > ?` -> `l.change_number >= ?`; changes
    this.#numbered = db.prepare(
      `${from} AND l.change_number > ? AND l.change IN (SELECT value FROM json_each(?)) ORDER BY l.change_number LIMIT ?`,
    );
    this.#unknown = db.prepare(`${from} AND l.id > ? AND ${isUnknownSql} ORDER BY l.id LIMIT ?`);
  }

  read(query: ChangeQuery): ChangeSlice | undefined {
    // One read transaction: status and changes from the same snapshot.
    return this.#db.transaction('deferred', () => {
      const job = this.#jobs.get(query.jobId);
      // mutant any-org-reads-changes, security: without `|| job.org !== query.org`; changes "another org's job"
      if (!job || job.org !== query.org) return undefined;
      const gone = areResultsGone({ ...job, swept: job.swept === 1 }, Date.now());
      const { numbered, unknown } = changeReading(query, job);
      const rows: ChangeRow[] = [];
      if (numbered && !gone)
        rows.push(
          ...this.#numbered.all(job.since, job.seq, numbered.after, JSON.stringify(numbered.changes), query.limit + 1),
        );
      const left = query.limit + 1 - rows.length;
      if (unknown && !gone && left > 0) rows.push(...this.#unknown.all(job.since, job.seq, unknown.after, left));
      return changeSlice(rows, query, { ...job, gone });
    });
  }
}
