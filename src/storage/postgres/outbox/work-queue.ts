import type { ClaimedWork, WorkQueue } from '../../../core/ports/work.ts';
import { nextDue, takeOfJob, takeOfSchedule } from '../../shared/work.ts';
import type { Transaction } from '../connection/connections.ts';
import { type OwnWorker, runSteps } from '../connection/run-steps.ts';
import { givenNow, nowSql } from '../connection/schema.ts';
import type { StoreParts } from '../change/parts.ts';
import type { JobWrites } from '../jobs/jobs.ts';

/** Makes the work that a dead worker had claimed due at once. */
export function giveBackWork(tx: Transaction, worker: number): void {
  tx.send(`UPDATE work SET claimed_by = NULL, next_at = ${nowSql} WHERE claimed_by = $1`, [worker]);
}

/** Keys that other processes have claimed also count as busy. */
export async function claimWork(
  { connections }: StoreParts,
  writes: JobWrites,
  { id: own = 0 }: OwnWorker,
  query: Parameters<WorkQueue['claim']>[0],
): Promise<readonly ClaimedWork[]> {
  const { kind, max, busyKeys, now } = query;
  const claimedKeys = await connections.query<{ key: string }>(
    `SELECT key FROM work WHERE claimed_by IS NOT NULL AND kind = $1 AND status = 'pending' AND next_at > ${givenNow('$2')}`,
    [kind, now ?? null],
  );
  const keys = [...new Set([...busyKeys, ...claimedKeys.map(({ key }) => key)])];
  const claimed: ClaimedWork[] = [];
  while (claimed.length < max) {
    const next = await runSteps(connections, nextDue(query, keys));
    if (!next) break;
    keys.push(next.key);
    const work =
      next.schedule === null
        ? await writes.perform(takeOfJob(next, own))
        : await connections.transaction((tx) => runSteps(tx, takeOfSchedule(next.id, own, now)));
    if (work) claimed.push(work);
  }
  return claimed;
}
