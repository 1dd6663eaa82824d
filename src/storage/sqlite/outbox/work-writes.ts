import { failPoint } from '../../../core/process/fail-point.ts';
import type { ClaimedWork, WorkEntry, WorkKind, WorkQueue, WorkResult } from '../../../core/ports/work.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { openOf } from '../../rules/jobs/requested-now.ts';
import { rulesOfKind } from '../../rules/outbox/work-kinds.ts';
import { claimedOf, claimMs, entryOf, frequent, originOf, settledAs, type WorkRow } from '../../rules/outbox/work.ts';
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
  readonly #nextDue: Statement<[DueQuery], { id: number; next_at: number; key: string }>;
  readonly #claim: Statement<[string, number, number]>;
  readonly #get: Statement<[number], WorkRow>;
  readonly #settle: Statement<[string, number | null, number | null, number | null, string | null, number]>;
  readonly #endOthers: Statement<[number, string, WorkKind, number]>;
  readonly #repeat: Statement<[number, number]>;

  constructor(db: Database, jobs: JobRows) {
    this.#db = db;
    this.#jobs = jobs;
    // Scans the index in time order, up to the first row that can be taken. 100,000 rows of an excluded key take 50 ms.
    this.#nextDue = db.prepare(`
      SELECT id, next_at, key FROM work
      WHERE status = 'pending' AND kind = @kind AND next_at BETWEEN @from AND @now
        AND key NOT IN (SELECT value FROM json_each(@keys)) AND ${originSql} NOT IN (SELECT value FROM json_each(@origins))
      ORDER BY next_at, key LIMIT 1`);
    this.#claim = db.prepare(
      'UPDATE work SET attempts = attempts + 1, payload = ?, next_at = ?, claimed = 1 WHERE id = ?',
    );
    this.#get = db.prepare('SELECT * FROM work WHERE id = ?');
    this.#settle = db.prepare(
      'UPDATE work SET status = ?, next_at = ?, settled_at = ?, code = ?, error = ?, claimed = 0 WHERE id = ?',
    );
    this.#endOthers = db.prepare(
      "UPDATE work SET status = 'failed', next_at = NULL, settled_at = ?, error = ? WHERE kind = ? AND job = ? AND status = 'pending'",
    );
    this.#repeat = db.prepare(
      "UPDATE work SET status = 'pending', attempts = 0, next_at = ?, settled_at = NULL WHERE id = ?",
    );
  }

  /** Makes work that an earlier process had claimed due at once. */
  recover(now: number): void {
    this.#db.prepare('UPDATE work SET next_at = ?, claimed = 0 WHERE claimed = 1').run(now);
  }

  claim({ kind, max, originMax, busyKeys, openPages }: ClaimQuery, now: number): ClaimedWork[] {
    const claimed: ClaimedWork[] = [];
    const keys = [...busyKeys];
    for (let from = 0; claimed.length < max;) {
      const origins = JSON.stringify(frequent(keys.map(originOf), originMax));
      const next = this.#nextDue.get({ kind, from, now, keys: JSON.stringify(keys), origins });
      if (!next) break;
      claimed.push(this.#take(next.id, openPages, now));
      keys.push(next.key);
      from = next.next_at;
    }
    return claimed;
  }

  settle(id: number, result: WorkResult, now: number): void {
    const row = this.#get.get(id);
    if (row?.status !== 'pending') return;
    const job = this.#jobOf(row);
    const { status, next_at: nextAt, settled_at: settledAt, code, error } = settledAs(result, now);
    rulesOfKind[row.kind].settled(job, row, result, { now, isOver: status !== 'pending' });
    this.#settle.run(status, nextAt, settledAt, code, error, id);
    if (result.kind === 'failed' && result.endsOthers === true) {
      this.#endOthers.run(now, result.message, row.kind, row.job);
    }
    this.#jobs.touch(job);
  }

  repeat(kind: WorkKind, jobId: string, id: number, now: number): WorkEntry | undefined {
    const row = this.#get.get(id);
    const job = row && this.#jobs.get(row.job);
    if (job?.id !== jobId || row?.kind !== kind) return undefined;
    this.#repeat.run(now, id);
    const repeated = this.#get.get(id);
    return repeated && entryOf(repeated);
  }

  #take(id: number, openPages: ClaimQuery['openPages'], now: number): ClaimedWork {
    const row = this.#get.get(id);
    if (!row) throw new Error(`work ${id} is only in the index`);
    const job = this.#jobOf(row);
    let { payload } = row;
    if (payload === null) {
      const made = rulesOfKind[row.kind].payloadOf(job, row, openOf(openPages, job.id));
      if (made.isJobChanged) this.#jobs.touch(job);
      ({ payload } = made);
    }
    // mutant webhook-body-changes, promise 7: `payload` -> `row.payload`; sqlite/outbox/outbox "of the first attempt at every"
    // mutant webhook-lost, promise 7: `now + claimMs` -> `9e15`; sqlite/outbox/outbox "when nobody settles it"
    this.#claim.run(payload, now + claimMs, id);
    failPoint('delivery.claimed');
    return claimedOf(row, job, payload);
  }

  #jobOf(row: WorkRow): JobRow {
    const job = this.#jobs.get(row.job);
    if (!job) throw new Error(`work ${row.id} has no job`);
    return job;
  }
}

/** Like {@link originOf}: scheme, host and port of a URL in its normal form, including the slash after them. */
const originSql = "substr(key, 1, 8 + instr(substr(key, 9), '/'))";
