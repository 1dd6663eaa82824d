// The rows of schedules, and the work that their rules store.
import { scheduleColumns, type ScheduleSecrets } from '../../core/schedule.ts';
import { type NewWork, planNext, type ScheduleTables, waitingPayload } from '../rules/schedules/runs.ts';
import { isEmpty, type ScheduleRow } from '../rules/schedules/schedule-row.ts';
import { all, send, type Steps } from './operation.ts';
import { columnNames, fromRow, type Row, valuesOf } from '../rules/resource-rows.ts';
import { either, forUpdate, list, nothing, raw, type Sql, sql } from './sql.ts';

const columns = raw(columnNames(scheduleColumns));

/** Its pending run among the rows of `work`. */
export const isPendingRun = raw("kind = 'schedule' AND subject = 'run' AND status = 'pending'");

export function* schedulesWhere(condition: Sql): Steps<ScheduleRow[]> {
  const rows = yield* all<Row>(sql`SELECT * FROM schedule WHERE ${condition}`);
  return rows.map((row) => fromRow(scheduleColumns, row));
}

export function* oneSchedule(condition: Sql): Steps<ScheduleRow | undefined> {
  return (yield* schedulesWhere(condition))[0];
}

/** A schedule is locked before its work, and before the job of a run. */
export function lockedSchedule(id: string): Steps<ScheduleRow | undefined> {
  return oneSchedule(sql`id = ${id} ${forUpdate}`);
}

export function addSchedule(row: ScheduleRow): Steps<void> {
  return send(sql`INSERT INTO schedule (${columns}) VALUES (${list(valuesOf(scheduleColumns, row))})`);
}

export function saveSchedule(row: ScheduleRow): Steps<void> {
  return send(sql`UPDATE schedule SET (${columns}) = (${list(valuesOf(scheduleColumns, row))}) WHERE id = ${row.id}`);
}

export function* replaceSecrets(id: string, secrets: ScheduleSecrets | undefined): Steps<void> {
  // Deleted data stays in the file of SQLite until something else needs the space.
  const blanked = sql`UPDATE schedule_headers SET headers = printf('%.*c', length(CAST(headers AS BLOB)), ' ') WHERE schedule = ${id}`;
  yield* send(sql`${either(blanked, nothing)}`);
  yield* send(sql`DELETE FROM schedule_headers WHERE schedule = ${id}`);
  if (secrets && !isEmpty(secrets))
    yield* send(sql`INSERT INTO schedule_headers (schedule, headers) VALUES (${id}, ${JSON.stringify(secrets)})`);
}

/** Plans the next run in place of the pending one. */
export function* planAgain(row: ScheduleRow, now: number): Steps<void> {
  const work = new ScheduleWork();
  yield* send(sql`DELETE FROM work WHERE schedule = ${row.id} AND ${isPendingRun}`);
  planNext(row, work, now);
  yield* work.stored();
  yield* saveSchedule(row);
}

/** Collects the work that rules store. */
export class ScheduleWork implements ScheduleTables {
  readonly #statements: Sql[] = [];
  /** True if some of it can be due now. */
  isDue = false;

  addWork({ schedule, kind, key, subject, payload, dueAt }: NewWork, now: number): void {
    this.#statements.push(
      sql`INSERT INTO work (schedule, kind, key, subject, payload, created_at, next_at)
        VALUES (${schedule}, ${kind}, ${key}, ${subject}, ${payload}, ${now}, ${dueAt})`,
    );
    this.isDue ||= dueAt <= now;
  }

  hastenWaiting(schedule: string, now: number): void {
    this.#statements.push(
      sql`UPDATE work SET next_at = ${now} WHERE schedule = ${schedule} AND ${isPendingRun} AND claimed_by IS NULL AND payload = ${waitingPayload}`,
    );
    this.isDue = true;
  }

  *stored(): Steps<void> {
    for (const statement of this.#statements) yield* send(statement);
  }
}
