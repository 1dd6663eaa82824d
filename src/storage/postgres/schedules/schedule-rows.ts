import type { ScheduleSecrets } from '../../../core/schedule.ts';
import { type NewWork, type ScheduleTables, waitingPayload } from '../../rules/schedules/runs.ts';
import { isEmpty, scheduleColumns, type ScheduleRow, valuesOf } from '../../rules/schedules/schedule-row.ts';
import type { Transaction } from '../connection/connections.ts';
import { nowSql } from '../connection/schema.ts';

const columns = scheduleColumns.join(', ');
const places = scheduleColumns.map((_, index) => `$${index + 1}`).join(', ');

/** The rows of schedules within one transaction, and the work that their rules store. */
export class ScheduleRows implements ScheduleTables {
  readonly #tx: Transaction;
  /** True if work was stored that might be due. */
  haveWork = false;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** The schedule, locked before its work and before the job of a run, with the clock of the database. */
  async lock(id: string): Promise<{ readonly row: ScheduleRow | undefined; readonly now: number }> {
    const [rows, clock] = await Promise.all([
      this.#tx.query<ScheduleRow>('SELECT * FROM schedule WHERE id = $1 FOR UPDATE', [id]),
      this.#tx.query<{ now: number }>(`SELECT ${nowSql} AS now`, []),
    ]);
    const now = clock[0]?.now;
    if (now === undefined) throw new Error('the database did not say what time it is');
    return { row: rows[0], now };
  }

  add(row: ScheduleRow): void {
    this.#tx.send(`INSERT INTO schedule (${columns}) VALUES (${places})`, valuesOf(row));
  }

  save(row: ScheduleRow): void {
    this.#tx.send(`UPDATE schedule SET (${columns}) = (${places}) WHERE id = $1`, valuesOf(row));
  }

  replaceSecrets(id: string, secrets: ScheduleSecrets | undefined): void {
    this.#tx.send('DELETE FROM schedule_headers WHERE schedule = $1', [id]);
    if (secrets && !isEmpty(secrets))
      this.#tx.send('INSERT INTO schedule_headers (schedule, headers) VALUES ($1, $2)', [id, JSON.stringify(secrets)]);
  }

  /** Removes the pending run. */
  dropRuns(id: string): void {
    this.#tx.send(
      "DELETE FROM work WHERE schedule = $1 AND kind = 'schedule' AND subject = 'run' AND status = 'pending'",
      [id],
    );
  }

  addWork({ schedule, kind, key, subject, payload, dueAt }: NewWork, now: number): void {
    this.#tx.send(
      "INSERT INTO work (id, schedule, kind, key, subject, payload, created_at, next_at) VALUES (nextval('work_id'), $1, $2, $3, $4, $5, $6, $7)",
      [schedule, kind, key, subject, payload, now, dueAt],
    );
    this.haveWork ||= dueAt <= now;
  }

  hastenWaiting(schedule: string, now: number): void {
    this.#tx.send(
      "UPDATE work SET next_at = $2 WHERE schedule = $1 AND kind = 'schedule' AND subject = 'run' AND status = 'pending' AND claimed_by IS NULL AND payload = $3",
      [schedule, now, waitingPayload],
    );
    this.haveWork = true;
  }
}
