import type { ClaimedWork, WorkKind, WorkListQuery, WorkQueue, WorkResult, WorkStatus } from '../../core/ports/work.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import {
  claimedOf,
  claimMs,
  entryOf,
  schedulePayload,
  type SettledColumns,
  settledAs,
  settleOfSchedule,
  type WorkRow,
} from '../rules/outbox/work.ts';
import { waitingPayload } from '../rules/schedules/runs.ts';
import { all, one, type OperationsOf, send, type Steps, timeOf } from './operation.ts';
import { lockedSchedule, saveSchedule, ScheduleWork } from './schedule-rows.ts';
import { clock, either, forUpdate, nothing, raw, sql } from './sql.ts';

export const work: OperationsOf<Pick<WorkQueue, 'list' | 'repeat'>> = {
  list: {
    kind: 'read',
    *steps(kind: WorkKind, owner: string, { after, status, limit }: WorkListQuery) {
      const rows = yield* all<WorkRow>(sql`
        SELECT * FROM work WHERE kind = ${kind} AND ${isOf(owner)} AND id > ${after}
          AND ${status === undefined ? raw('TRUE') : sql`status = ${status}`} ORDER BY id LIMIT ${limit}`);
      return rows.map(entryOf);
    },
  },
  repeat: {
    kind: 'write',
    addsWork: true,
    *steps(kind: WorkKind, owner: string, id: number) {
      const row = yield* one<WorkRow>(sql`
        UPDATE work SET status = 'pending', attempts = 0, next_at = ${clock()}, settled_at = NULL
        WHERE id = ${id} AND kind = ${kind} AND ${isOf(owner)} RETURNING *`);
      return row && entryOf(row);
    },
  },
};

/** A job or a schedule. */
function isOf(owner: string): ReturnType<typeof sql> {
  return sql`(job = (SELECT seq FROM job WHERE id = ${owner}) OR schedule = ${owner})`;
}

/** Claims a piece that is due, for a schedule. Undefined if another process was faster, or if the schedule was deleted. */
export function* takeOfSchedule(id: number, claimedBy: number, given?: number): Steps<ClaimedWork | undefined> {
  const row = yield* one<WorkRow & { readonly org: string | null }>(
    sql`SELECT w.*, s.org FROM work w LEFT JOIN schedule s ON s.id = w.schedule
      WHERE w.id = ${id} AND w.status = 'pending' AND w.next_at <= ${clock(given)}
      ${either(nothing, raw('FOR UPDATE OF w SKIP LOCKED'))}`,
  );
  if (!row) return undefined;
  if (row.org === null || row.schedule === null) {
    yield* send(sql`DELETE FROM work WHERE id = ${id}`);
    return undefined;
  }
  const now = yield* timeOf(given);
  const payload = schedulePayload(row, now);
  yield* claimAs(id, { payload, claimedBy, now });
  failPoint('run.claimed');
  return claimedOf(row, { id: row.schedule, org: row.org }, payload);
}

/** Notes that an attempt has begun. */
export function claimAs(
  id: number,
  { payload, claimedBy, now }: { readonly payload: string; readonly claimedBy: number; readonly now: number },
): Steps<void> {
  return send(
    sql`UPDATE work SET attempts = attempts + 1, payload = ${payload}, next_at = ${now + claimMs}, claimed_by = ${claimedBy} WHERE id = ${id}`,
  );
}

/** Settles a piece of a schedule: locks the schedule, then its work, as all do. `haveWork`: other work might be due. */
export function* settleOnSchedule(
  { id, schedule }: { readonly id: number; readonly schedule: string },
  result: WorkResult,
  given?: number,
): Steps<{ readonly status?: WorkStatus; readonly haveWork: boolean }> {
  const locked = yield* lockedSchedule(schedule);
  const row = yield* lockedPending(id);
  if (!row) return { haveWork: false };
  const now = yield* timeOf(given);
  const next = new ScheduleWork();
  const settled = locked ? settleOfSchedule(locked, row, result, next, now) : settledAs(result, now);
  yield* next.stored();
  if (locked) yield* saveSchedule(locked);
  yield* writeSettled(row, settled, result);
  return { status: settled.status, haveWork: next.isDue };
}

export function* lockedPending(id: number): Steps<WorkRow | undefined> {
  const row = yield* one<WorkRow>(sql`SELECT * FROM work WHERE id = ${id} ${forUpdate}`);
  return row?.status === 'pending' ? row : undefined;
}

export function* writeSettled(row: WorkRow, settled: SettledColumns, result: WorkResult): Steps<void> {
  const { status, next_at: nextAt, settled_at: settledAt, code, error, waits } = settled;
  // Of a time that is over, its schedule says what there is to say: a run a minute would be half a million rows a year.
  if (row.kind === 'schedule' && status !== 'pending') yield* send(sql`DELETE FROM work WHERE id = ${row.id}`);
  else
    yield* send(
      sql`UPDATE work SET status = ${status}, next_at = ${nextAt}, settled_at = ${settledAt}, code = ${code}, error = ${error}, claimed_by = NULL WHERE id = ${row.id}`,
    );
  if (waits) yield* send(sql`UPDATE work SET payload = ${waitingPayload}, attempts = 0 WHERE id = ${row.id}`);
  if (result.kind === 'failed' && result.endsOthers === true)
    yield* send(
      sql`UPDATE work SET status = 'failed', next_at = NULL, settled_at = ${settledAt}, error = ${result.message}
        WHERE kind = ${row.kind} AND (job = ${row.job} OR schedule = ${row.schedule}) AND status = 'pending' AND id <> ${row.id}`,
    );
}
