import { failPoint } from '../../../core/process/fail-point.ts';
import type { ClaimedWork, WorkKind, WorkQueue, WorkResult, WorkStatus } from '../../../core/ports/work.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { openOf } from '../../rules/jobs/requested-now.ts';
import { rulesOf } from '../../rules/outbox/work-kinds.ts';
import { claimedOf, frequent, originOf, settledAs, type WorkRow } from '../../rules/outbox/work.ts';
import { claimAs, settleOnSchedule, takeOfSchedule, writeSettled } from '../../shared/work.ts';
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
  readonly #get: Statement<[number], WorkRow>;

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
    this.#get = db.prepare('SELECT * FROM work WHERE id = ?');
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
    if (row.schedule !== null) {
      const { status, haveWork } = runSteps(this.#db, settleOnSchedule({ id, schedule: row.schedule }, result, now));
      if (haveWork) this.#onDue();
      return status;
    }
    const settled = settledAs(result, now);
    const job = this.#jobOf(row);
    rulesOf(row.kind).settled(job, row, result, { now, isOver: settled.status !== 'pending' });
    this.#jobs.touch(job);
    runSteps(this.#db, writeSettled(row, settled, result));
    return settled.status;
  }

  /** Undefined if the schedule was deleted: its work goes with it. */
  #take(id: number, openPages: ClaimQuery['openPages'], now: number): ClaimedWork | undefined {
    const row = this.#get.get(id);
    if (!row) throw new Error(`work ${id} is only in the index`);
    if (row.schedule !== null) return runSteps(this.#db, takeOfSchedule(id, 0, now));
    const payload = row.payload ?? this.#payloadOf(row, openPages);
    runSteps(this.#db, claimAs(id, { payload, claimedBy: 0, now }));
    failPoint('delivery.claimed');
    return claimedOf(row, this.#jobOf(row), payload);
  }

  #payloadOf(row: WorkRow, openPages: ClaimQuery['openPages']): string {
    const job = this.#jobOf(row);
    const made = rulesOf(row.kind).payloadOf(job, row, openOf(openPages, job.id));
    if (made.isJobChanged) this.#jobs.touch(job);
    return made.payload;
  }

  #jobOf(row: WorkRow): JobRow {
    const job = row.job === null ? undefined : this.#jobs.get(row.job);
    if (!job) throw new Error(`work ${row.id} has no job`);
    return job;
  }
}

/** Like {@link originOf}: scheme, host and port of a URL in its normal form, including the slash after them. */
const originSql = "substr(key, 1, 8 + instr(substr(key, 9), '/'))";
