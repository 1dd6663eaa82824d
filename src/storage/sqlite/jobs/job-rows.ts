import { hasEnded } from '../../../core/job.ts';
import type { Database, Statement } from '../file/database.ts';
import { counters, type JobRow, jobRowOf, longNames, stateNames, type StoredJobRow } from '../../rules/jobs/job-row.ts';

/**
 * The job rows that a transaction works on: read once, changed in memory, written back once before the commit. A commit
 * of fifty pages of one job updates its row once instead of fifty times.
 */
export class JobRows {
  readonly #bySeq = new Map<number, JobRow>();
  readonly #changed = new Set<JobRow>();
  readonly #announce: (row: JobRow) => void;
  readonly #changedIds = new Set<string>();
  readonly #byId: Statement<[string], StoredJobRow>;
  readonly #select: Statement<[number], StoredJobRow>;
  readonly #update: Statement<[StoredJobRow]>;
  readonly #blankHeaders: Statement<[number]>;
  readonly #removeHeaders: Statement<[number]>;

  /** `announce` is called with each changed row before it is written, and can change it. */
  constructor(db: Database, announce: (row: JobRow) => void) {
    this.#announce = announce;
    this.#byId = db.prepare('SELECT * FROM job WHERE id = ?');
    this.#select = db.prepare('SELECT * FROM job WHERE seq = ?');
    // Overwritten in place first: deleted data stays in the file until something else needs the space.
    this.#blankHeaders = db.prepare(
      "UPDATE job_headers SET headers = printf('%.*c', length(CAST(headers AS BLOB)), ' ') WHERE job = ?",
    );
    this.#removeHeaders = db.prepare('DELETE FROM job_headers WHERE job = ?');
    const changing = [...counters, ...stateNames, ...longNames, 'reasons', 'tally', 'examples'];
    const changes = changing.map((name) => `${name} = @${name}`).join(', ');
    this.#update = db.prepare(`UPDATE job SET ${changes} WHERE seq = @seq`);
  }

  get(seq: number): JobRow | undefined {
    const known = this.#bySeq.get(seq);
    if (known) return known;
    const stored = this.#select.get(seq);
    return stored && this.#remember(stored);
  }

  getById(id: string): JobRow | undefined {
    const row = this.#byId.get(id);
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
      this.#update.run({
        ...row,
        reasons: JSON.stringify(row.reasons),
        tally: JSON.stringify(row.tally),
        examples: JSON.stringify(row.examples),
      });
      if (!hasEnded(row.status)) continue;
      this.#blankHeaders.run(row.seq);
      this.#removeHeaders.run(row.seq);
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
