import type { ClaimedWork, WorkKind, WorkListQuery, WorkQueue, WorkResult, WorkStatus } from '../../core/ports/work.ts';
import { failPoint } from '../../core/process/fail-point.ts';
import {
  claimedOf,
  claimMs,
  entryOf,
  frequent,
  originOf,
  schedulePayload,
  type SettledColumns,
  settledAs,
  settleOfSchedule,
  type WorkRow,
} from '../rules/outbox/work.ts';
import { waitingPayload } from '../rules/schedules/runs.ts';
import { noteSettled, payloadOf } from '../rules/outbox/deliveries.ts';
import { openOf } from '../rules/jobs/requested-now.ts';
import { all, type HeldJob, one, openHere, type OperationsOf, send, type Steps, timeOf, turn } from './operation.ts';
import { lockedSchedule, saveSchedule, ScheduleWork } from './schedule-rows.ts';
import { clock, either, elsewhere, forUpdate, isIn, nothing, raw, sql } from './sql.ts';

export const work: OperationsOf<Pick<WorkQueue, 'list' | 'repeat' | 'settle' | 'recover'>> = {
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
  recover: {
    kind: 'write',
    waits: true,
    steps: () =>
      send(sql`
        UPDATE work SET claimed_by = NULL, next_at = ${clock()} WHERE claimed_by IS NOT NULL AND ${either(
          raw('TRUE'),
          raw('claimed_by <> 0 AND NOT EXISTS (SELECT FROM worker w WHERE w.id = claimed_by AND NOT w.dead)'),
        )}`),
  },
  settle: {
    kind: 'jobs',
    waits: true,
    *steps(id: number, result: WorkResult, given?: number) {
      const owner = yield* one<Pick<WorkRow, 'job' | 'schedule'>>(sql`SELECT job, schedule FROM work WHERE id = ${id}`);
      if (!owner) return undefined;
      if (owner.schedule !== null) return yield* settleOnSchedule({ id, schedule: owner.schedule }, result, given);
      const held = yield* heldOf(owner.job);
      const row = yield* lockedPending(id);
      if (!row) return undefined;
      const now = given ?? held.now;
      const settled = settledAs(result, now);
      noteSettled(held.row, row, result, { now, isOver: settled.status !== 'pending' });
      yield* writeSettled(row, settled, result);
      yield* turn((jobs) => jobs.touch(held.row));
      return settled.status;
    },
  },
};

export interface DueWork extends Pick<WorkRow, 'id' | 'key' | 'job' | 'schedule'> {
  readonly next_at: number;
}

/** Scheme, host and port of a key, including the slash after them: see {@link originOf}. */
const keyOrigin = either(
  raw("substr(key, 1, 8 + instr(substr(key, 9), '/'))"),
  raw("left(key, 8 + strpos(substr(key, 9), '/'))"),
);

/**
 * The piece that is due first. `busy`: keys that are left out, and origins with too many of them. `from`: nothing is due
 * before. Scans the index in the order of time: 100,000 rows of a busy key take 50 ms.
 */
export function nextDue(
  {
    kind,
    originMax = Number.MAX_SAFE_INTEGER,
    now,
  }: Pick<Parameters<WorkQueue['claim']>[0], 'kind' | 'originMax' | 'now'>,
  busy: readonly string[],
  from = 0,
): Steps<DueWork | undefined> {
  const origins = frequent(busy.map(originOf), originMax);
  return one(
    sql`SELECT id, key, job, schedule, next_at FROM work
      WHERE status = 'pending' AND kind = ${kind} AND next_at BETWEEN ${from} AND ${clock(now)}
        AND NOT key ${isIn(busy)} AND NOT ${keyOrigin} ${isIn(origins)} ORDER BY next_at, key LIMIT 1`,
  );
}

function* heldOf(seq: number | null): Steps<HeldJob> {
  const held = seq === null ? undefined : yield* turn((jobs) => jobs.held(seq, []));
  if (!held) throw new Error('a piece of work has no owner');
  return held;
}

/** Claims a piece that is due, for a job. Undefined if another process was faster. */
export function* takeOfJob(
  { id, job }: Pick<WorkRow, 'id' | 'job'>,
  claimedBy: number,
  given?: number,
): Steps<ClaimedWork | undefined> {
  const held = yield* heldOf(job);
  const { row: owner } = held;
  const row = yield* one<WorkRow & { readonly elsewhere: number | null }>(
    sql`SELECT *, ${elsewhere(sql`(w.open_pages ->> CAST(${owner.id} AS text))::int`)} AS elsewhere
      FROM work WHERE id = ${id} AND status = 'pending' AND next_at <= ${clock(given)}
      ${either(nothing, raw('FOR UPDATE SKIP LOCKED'))}`,
  );
  if (!row) return undefined;
  let { payload } = row;
  if (payload === null) {
    const made = payloadOf(owner, row, openOf(yield* openHere(), owner.id, row.elsewhere));
    if (made.isJobChanged) yield* turn((jobs) => jobs.touch(owner));
    ({ payload } = made);
  }
  yield* claimAs(id, { payload, claimedBy, now: given ?? held.now });
  failPoint('delivery.claimed');
  return claimedOf(row, owner, payload);
}

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
function claimAs(
  id: number,
  { payload, claimedBy, now }: { readonly payload: string; readonly claimedBy: number; readonly now: number },
): Steps<void> {
  return send(
    sql`UPDATE work SET attempts = attempts + 1, payload = ${payload}, next_at = ${now + claimMs}, claimed_by = ${claimedBy} WHERE id = ${id}`,
  );
}

/** Settles a piece of a schedule: locks the schedule, then its work, as all do. */
function* settleOnSchedule(
  { id, schedule }: { readonly id: number; readonly schedule: string },
  result: WorkResult,
  given?: number,
): Steps<WorkStatus | undefined> {
  const locked = yield* lockedSchedule(schedule);
  const row = yield* lockedPending(id);
  if (!row) return undefined;
  const now = yield* timeOf(given);
  const next = new ScheduleWork();
  const settled = locked ? settleOfSchedule(locked, row, result, next, now) : settledAs(result, now);
  yield* next.stored();
  if (locked) yield* saveSchedule(locked);
  yield* writeSettled(row, settled, result);
  if (next.isDue) yield* turn((jobs) => jobs.noteDue());
  return settled.status;
}

function* lockedPending(id: number): Steps<WorkRow | undefined> {
  const row = yield* one<WorkRow>(sql`SELECT * FROM work WHERE id = ${id} ${forUpdate}`);
  return row?.status === 'pending' ? row : undefined;
}

function* writeSettled(row: WorkRow, settled: SettledColumns, result: WorkResult): Steps<void> {
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
