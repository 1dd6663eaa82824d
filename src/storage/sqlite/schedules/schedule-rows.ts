import type { ScheduleSecrets } from '../../../core/schedule.ts';
import type { NewWork, ScheduleTables } from '../../rules/schedules/runs.ts';
import { waitingPayload } from '../../rules/schedules/runs.ts';
import { isEmpty, scheduleColumns, type ScheduleRow, valuesOf } from '../../rules/schedules/schedule-row.ts';
import type { Database, Statement } from '../file/database.ts';

/** The rows of schedules, and the work that their rules store. Every method runs inside a transaction of the writer. */
export class ScheduleRows implements ScheduleTables {
  readonly #get: Statement<[string], ScheduleRow>;
  readonly #save: Statement<(string | number | null)[]>;
  readonly #addWork: Statement<[string, string, string, string, string | null, number, number]>;
  readonly #hasten: Statement<[number, string, string]>;
  readonly #dropRuns: Statement<[string]>;
  readonly #blank: Statement<[string]>;
  readonly #dropHeaders: Statement<[string]>;
  readonly #addHeaders: Statement<[string, string]>;
  #haveWork = false;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT * FROM schedule WHERE id = ?');
    this.#save = db.prepare(
      `INSERT OR REPLACE INTO schedule (${scheduleColumns.join(', ')}) VALUES (${scheduleColumns.map(() => '?').join(', ')})`,
    );
    this.#addWork = db.prepare(
      'INSERT INTO work (schedule, kind, key, subject, payload, created_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#hasten = db.prepare(
      "UPDATE work SET next_at = ? WHERE schedule = ? AND kind = 'schedule' AND subject = 'run' AND status = 'pending' AND claimed = 0 AND payload = ?",
    );
    this.#dropRuns = db.prepare(
      "DELETE FROM work WHERE schedule = ? AND kind = 'schedule' AND subject = 'run' AND status = 'pending'",
    );
    // As in job-rows.ts: deleted data stays in the file until something else needs the space.
    this.#blank = db.prepare(
      "UPDATE schedule_headers SET headers = printf('%.*c', length(CAST(headers AS BLOB)), ' ') WHERE schedule = ?",
    );
    this.#dropHeaders = db.prepare('DELETE FROM schedule_headers WHERE schedule = ?');
    this.#addHeaders = db.prepare('INSERT INTO schedule_headers (schedule, headers) VALUES (?, ?)');
  }

  get(id: string): ScheduleRow | undefined {
    const row = this.#get.get(id);
    return row && { ...row };
  }

  save(row: ScheduleRow): void {
    this.#save.run(...valuesOf(row));
  }

  replaceSecrets(id: string, secrets: ScheduleSecrets | undefined): void {
    this.#blank.run(id);
    this.#dropHeaders.run(id);
    if (secrets && !isEmpty(secrets)) this.#addHeaders.run(id, JSON.stringify(secrets));
  }

  /** Removes the pending run. */
  dropRuns(id: string): void {
    this.#dropRuns.run(id);
  }

  addWork({ schedule, kind, key, subject, payload, dueAt }: NewWork, now: number): void {
    this.#addWork.run(schedule, kind, key, subject, payload, now, dueAt);
    this.#haveWork = true;
  }

  hastenWaiting(schedule: string, now: number): void {
    this.#hasten.run(now, schedule, waitingPayload);
    this.#haveWork = true;
  }

  /** True if work was stored since the last call. */
  takeHaveWork(): boolean {
    const haveWork = this.#haveWork;
    this.#haveWork = false;
    return haveWork;
  }
}
