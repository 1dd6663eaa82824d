import type { ClaimedWork, WorkKind, WorkQueue } from '../../../core/ports/work.ts';
import { frequent, originOf, type WorkRow } from '../../rules/outbox/work.ts';
import { takeOfJob, takeOfSchedule } from '../../shared/work.ts';
import { runSteps } from '../file/run-steps.ts';
import type { Database, Statement } from '../file/database.ts';
import type { JobTransaction } from '../../shared/operation.ts';

/** With the pages that this process requests now, by job. */
type ClaimQuery = Parameters<WorkQueue['claim']>[0] & { readonly openPages?: ReadonlyMap<string, number> | undefined };

interface DueQuery extends Record<string, string | number> {
  readonly kind: WorkKind;
  readonly from: number;
  readonly now: number;
  readonly keys: string;
  readonly origins: string;
}

/** Claims durable work. Every method runs inside a transaction of the writer. */
export class WorkWrites {
  readonly #db: Database;
  readonly #jobs: JobTransaction;
  readonly #nextDue: Statement<[DueQuery], Pick<WorkRow, 'id' | 'job' | 'schedule' | 'key'> & { next_at: number }>;

  constructor(db: Database, jobs: JobTransaction) {
    this.#db = db;
    this.#jobs = jobs;
    // Scans the index in time order, up to the first row that can be taken. 100,000 rows of an excluded key take 50 ms.
    this.#nextDue = db.prepare(`
      SELECT id, next_at, key, job, schedule FROM work
      WHERE status = 'pending' AND kind = @kind AND next_at BETWEEN @from AND @now
        AND key NOT IN (SELECT value FROM json_each(@keys)) AND ${originSql} NOT IN (SELECT value FROM json_each(@origins))
      ORDER BY next_at, key LIMIT 1`);
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
      const take = next.schedule === null ? takeOfJob(next, 0, now) : takeOfSchedule(next.id, 0, now);
      const taken = runSteps(this.#db, take, { openPages, jobs: this.#jobs });
      if (!taken) continue;
      claimed.push(taken);
      keys.push(next.key);
      from = next.next_at;
    }
    return claimed;
  }
}

/** Like {@link originOf}: scheme, host and port of a URL in its normal form, including the slash after them. */
const originSql = "substr(key, 1, 8 + instr(substr(key, 9), '/'))";
