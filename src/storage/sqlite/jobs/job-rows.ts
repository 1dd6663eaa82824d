import { hasEnded } from '../../../core/job.ts';
import type { Database } from '../file/database.ts';
import { type JobRow, jobRowOf, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { counters, longNames, stateNames } from '../../shared/job-columns.ts';

/**
 * The job rows that a transaction works on: read once, changed in memory, written back once before the commit. A commit
 * of fifty pages of one job updates its row once instead of fifty times.
 */
export class JobRows {
  readonly #bySeq = new Map<number, JobRow>();
  readonly #changed = new Set<JobRow>();
  readonly #announce: (row: JobRow) => void;
  readonly #changedIds = new Set<string>();
  readonly #db: Database;

  /** `announce` is called with each changed row before it is written, and can change it. */
  constructor(db: Database, announce: (row: JobRow) => void) {
    this.#db = db;
    this.#announce = announce;
  }

  get(seq: number): JobRow | undefined {
    const known = this.#bySeq.get(seq);
    if (known) return known;
    const stored = this.#db.get<StoredJobRow>('SELECT * FROM job WHERE seq = ?', seq);
    return stored && this.#remember(stored);
  }

  getById(id: string): JobRow | undefined {
    const row = this.#db.get<StoredJobRow>('SELECT * FROM job WHERE id = ?', id);
    return row && (this.#bySeq.get(row.seq) ?? this.#remember(row));
  }

  /** Call after changing a row. */
  touch(row: JobRow): void {
    this.#changed.add(row);
    this.#changedIds.add(row.id);
  }

  /** Writes the changed rows and forgets all rows, so that SQL can change them in the database. */
  save(): void {
    for (const row of this.#changed) {
      this.#announce(row);
      const maps = { reasons: JSON.stringify(row.reasons), tally: JSON.stringify(row.tally) };
      this.#db.run(update, { ...row, ...maps, examples: JSON.stringify(row.examples) });
      if (!hasEnded(row.status)) continue;
      this.#db.run(blankHeaders, row.seq);
      this.#db.run('DELETE FROM job_headers WHERE job = ?', row.seq);
    }
    this.#bySeq.clear();
    this.#changed.clear();
  }

  /** Saves, and returns the ids of the jobs that changed since the last call. */
  flush(): string[] {
    this.save();
    const ids = [...this.#changedIds];
    this.#changedIds.clear();
    return ids;
  }

  /** Discards all changes. */
  forget(): void {
    this.#bySeq.clear();
    this.#changed.clear();
    this.#changedIds.clear();
  }

  #remember(stored: StoredJobRow): JobRow {
    const row = jobRowOf(stored);
    this.#bySeq.set(row.seq, row);
    return row;
  }
}

// Overwritten in place first: deleted data stays in the file until something else needs the space.
const blankHeaders =
  "UPDATE job_headers SET headers = printf('%.*c', length(CAST(headers AS BLOB)), ' ') WHERE job = ?";
const changing = [...counters, ...stateNames, ...longNames, 'reasons', 'tally', 'examples'];
const update = `UPDATE job SET ${changing.map((name) => `${name} = @${name}`).join(', ')} WHERE seq = @seq`;
