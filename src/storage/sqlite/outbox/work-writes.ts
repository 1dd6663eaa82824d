import { failPoint } from '../../../core/process/fail-point.ts';
import type { ClaimedWork, WorkKind, WorkQueue, WorkResult, WorkStatus } from '../../../core/ports/work.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { openOf } from '../../rules/jobs/requested-now.ts';
import { rulesOf } from '../../rules/outbox/work-kinds.ts';
import {
  claimedOf,
  claimMs,
  frequent,
  originOf,
  schedulePayload,
  type SettledColumns,
  settledAs,
  settleOfSchedule,
  type WorkRow,
} from '../../rules/outbox/work.ts';
import { waitingPayload } from '../../rules/schedules/runs.ts';
import { lockedSchedule, saveSchedule, ScheduleWork } from '../../shared/schedule-rows.ts';
import { runSteps } from '../file/run-steps.ts';
import type { Database, Statement } from '../file/database.ts';
import type { JobRows } from '../jobs/job-rows.ts';

/** With the pages that this process requests now, by job. */
type ClaimQuery = Parameters<WorkQueue['claim']>[0] & { readonly openPages?: ReadonlyMap<string, number> | undefined };

interface DueQuery extends Record<string, string | number> {
  readonly kind: WorkKind;
  readonly from: number;
  readonly now: number;
  readonly keys: string;
  readonly origins: string;
}

/** The writing half of durable work. Every method runs inside a transaction of the writer. */
export class WorkWrites {
  readonly #db: Database;
  readonly #jobs: JobRows;
  readonly #onDue: () => void;
  readonly #nextDue: Statement<[DueQuery], { id: number; next_at: number; key: string }>;
  readonly #claim: Statement<[string, number, number]>;
  readonly #get: Statement<[number], WorkRow>;
  readonly #settle: Statement<[string, number | null, number | null, number | null, string | null, number]>;
  readonly #wait: Statement<[string, number]>;
  readonly #endOthers: Statement<[number, string, WorkKind, number | null, string | null]>;
  readonly #drop: Statement<[number]>;

  /** `onDue` is called when other work can be due. */
  constructor(db: Database, jobs: JobRows, onDue: () => void) {
    this.#db = db;
    this.#jobs = jobs;
    this.#onDue = onDue;
    // Scans the index in time order, up to the first row that can be taken. 100,000 rows of an excluded key take 50 ms.
    this.#nextDue = db.prepare(`
      SELECT id, next_at, key FROM work
      WHERE status = 'pending' AND kind = @kind AND next_at BETWEEN @from AND @now
        AND key NOT IN (SELECT value FROM json_each(@keys)) AND ${originSql} NOT IN (SELECT value FROM json_each(@origins))
      ORDER BY next_at, key LIMIT 1`);
    this.#claim = db.prepare(
      'UPDATE work SET attempts = attempts + 1, payload = ?, next_at = ?, claimed_by = 0 WHERE id = ?',
    );
    this.#get = db.prepare('SELECT * FROM work WHERE id = ?');
    this.#settle = db.prepare(
      'UPDATE work SET status = ?, next_at = ?, settled_at = ?, code = ?, error = ?, claimed_by = NULL WHERE id = ?',
    );
    this.#wait = db.prepare('UPDATE work SET payload = ?, attempts = 0 WHERE id = ?');
    this.#endOthers = db.prepare(
      "UPDATE work SET status = 'failed', next_at = NULL, settled_at = ?, error = ? WHERE kind = ? AND (job = ? OR schedule = ?) AND status = 'pending'",
    );
    this.#drop = db.prepare('DELETE FROM work WHERE id = ?');
  }

  /** Makes work that an earlier process had claimed due at once. */
  recover(now: number): void {
    this.#db.prepare('UPDATE work SET next_at = ?, claimed_by = NULL WHERE claimed_by IS NOT NULL').run(now);
  }

  claim({
    kind,
    max,
    originMax = Number.MAX_SAFE_INTEGER,
    busyKeys,
    openPages,
    now = Date.now(),
  }: ClaimQuery): ClaimedWork[] {
    const claimed: ClaimedWork[] = [];
    const keys = [...busyKeys];
    for (let from = 0; claimed.length < max;) {
      const origins = JSON.stringify(frequent(keys.map(originOf), originMax));
      const next = this.#nextDue.get({ kind, from, now, keys: JSON.stringify(keys), origins });
      if (!next) break;
      const taken = this.#take(next.id, openPages, now);
      if (!taken) continue;
      claimed.push(taken);
      keys.push(next.key);
      from = next.next_at;
    }
    return claimed;
  }

  settle(id: number, result: WorkResult, now: number): WorkStatus | undefined {
    const row = this.#get.get(id);
    if (row?.status !== 'pending') return undefined;
    const settled = this.#settled(row, result, now);
    this.#write(row, settled);
    if (result.kind === 'failed' && result.endsOthers === true)
      this.#endOthers.run(now, result.message, row.kind, row.job, row.schedule);
    return settled.status;
  }

  /** Undefined if the schedule was deleted: its work goes with it. */
  #take(id: number, openPages: ClaimQuery['openPages'], now: number): ClaimedWork | undefined {
    const row = this.#get.get(id);
    if (!row) throw new Error(`work ${id} is only in the index`);
    const schedule = row.schedule === null ? undefined : runSteps(this.#db, lockedSchedule(row.schedule));
    if (row.schedule !== null && !schedule) {
      this.#drop.run(id);
      return undefined;
    }
    const owner = schedule ?? this.#jobOf(row);
    const payload = schedule ? schedulePayload(row, now) : (row.payload ?? this.#payloadOf(row, openPages));
    this.#claim.run(payload, now + claimMs, id);
    failPoint(schedule ? 'run.claimed' : 'delivery.claimed');
    return claimedOf(row, owner, payload);
  }

  #payloadOf(row: WorkRow, openPages: ClaimQuery['openPages']): string {
    const job = this.#jobOf(row);
    const made = rulesOf(row.kind).payloadOf(job, row, openOf(openPages, job.id));
    if (made.isJobChanged) this.#jobs.touch(job);
    return made.payload;
  }

  /** Changes the row of the owner, and returns how the piece ends. */
  #settled(row: WorkRow, result: WorkResult, now: number): SettledColumns {
    const schedule = row.schedule === null ? undefined : runSteps(this.#db, lockedSchedule(row.schedule));
    if (schedule) {
      const next = new ScheduleWork();
      const settled = settleOfSchedule(schedule, row, result, next, now);
      runSteps(this.#db, next.stored());
      runSteps(this.#db, saveSchedule(schedule));
      if (next.isDue) this.#onDue();
      return settled;
    }
    const settled = settledAs(result, now);
    if (row.schedule !== null) return settled;
    const job = this.#jobOf(row);
    rulesOf(row.kind).settled(job, row, result, { now, isOver: settled.status !== 'pending' });
    this.#jobs.touch(job);
    return settled;
  }

  #write({ id, kind }: WorkRow, settled: SettledColumns): void {
    const { status, next_at: nextAt, settled_at: settledAt, code, error, waits } = settled;
    // Of a time that is over, its schedule says what there is to say: a run a minute would be half a million rows a year.
    if (kind === 'schedule' && status !== 'pending') this.#drop.run(id);
    else this.#settle.run(status, nextAt, settledAt, code, error, id);
    if (waits) this.#wait.run(waitingPayload, id);
  }

  #jobOf(row: WorkRow): JobRow {
    const job = row.job === null ? undefined : this.#jobs.get(row.job);
    if (!job) throw new Error(`work ${row.id} has no job`);
    return job;
  }
}

/** Like {@link originOf}: scheme, host and port of a URL in its normal form, including the slash after them. */
const originSql = "substr(key, 1, 8 + instr(substr(key, 9), '/'))";
