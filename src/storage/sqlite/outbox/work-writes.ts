import type { ClaimedWork, WorkQueue } from '../../../core/ports/work.ts';
import type { JobTransaction } from '../../shared/operation.ts';
import { nextDue, takeOfJob, takeOfSchedule } from '../../shared/work.ts';
import type { Database } from '../file/database.ts';
import { runSteps } from '../file/run-steps.ts';

/** With the pages that this process requests now, by job. */
export type ClaimQuery = Parameters<WorkQueue['claim']>[0] & {
  readonly openPages: ReadonlyMap<string, number> | undefined;
};

/** Claims durable work. Runs inside a transaction of the writer. */
export function claimWork(db: Database, jobs: JobTransaction, query: ClaimQuery): ClaimedWork[] {
  const { max, busyKeys, openPages, now = Date.now() } = query;
  const claimed: ClaimedWork[] = [];
  const keys = [...busyKeys];
  for (let from = 0; claimed.length < max;) {
    const next = runSteps(db, nextDue({ ...query, now }, keys, from));
    if (!next) break;
    const take = next.schedule === null ? takeOfJob(next, 0, now) : takeOfSchedule(next.id, 0, now);
    const taken = runSteps(db, take, { openPages, jobs });
    if (!taken) continue;
    claimed.push(taken);
    keys.push(next.key);
    from = next.next_at;
  }
  return claimed;
}
