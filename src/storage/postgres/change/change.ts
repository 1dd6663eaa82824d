import type { JobRow } from '../../rules/jobs/job-row.ts';
import { mayRemove } from '../../rules/jobs/change-counts.ts';
import { fillExample, lacksExample } from '../../rules/jobs/conclusion.ts';
import { removeGone } from '../../shared/remove-gone.ts';
import { runSteps } from '../connection/run-steps.ts';
import type { Transaction } from '../connection/connections.ts';
import type { StoreParts } from './parts.ts';
import * as to from './row-statements.ts';
import { isOutdated } from './sending.ts';
import { announce } from '../../rules/outbox/job-events.ts';
import { WorkingSet } from './working-set.ts';
import { writeChanges } from './write-changes.ts';
import { needsLocks } from './write-jobs.ts';

/**
 * A transaction on jobs, by the rules that all stores share. `run` reads everything it can need at once
 * (`read-rows.ts`), and the rules change it in memory (`working-set.ts`). The changes are then written at once
 * (`write-changes.ts`). So a transaction takes two round trips, however many URLs and pages it concerns. Callers that
 * wait for these changes are notified after the commit.
 *
 * All transactions take locks in the same order, so that they wait for each other but never deadlock: jobs by number,
 * then hosts by number.
 *
 * With `locksLast`, `run` decides without locks. If the outcome only changes counters, the first writing statement
 * locks the job rows. The writing statements and the commit are one packet, so locks are held while the database works,
 * never while anybody waits for the network or for this process. Each of these statements fails the transaction if the
 * data that it is based on has changed. After such a failure, or if there is more to write, `run` decides again under
 * locks. So `run` can be called several times, and must not write by itself.
 */
export async function change<Result>(
  parts: StoreParts,
  run: (set: WorkingSet, tx: Transaction) => Promise<Result>,
  { locksLast = false }: { readonly locksLast?: boolean } = {},
): Promise<Result> {
  const { connections, idle, signals, statistics } = parts;
  const inTransaction = (isFirst: boolean): Promise<Decided<Result>> =>
    connections.transaction(async (tx) => {
      let decided = await decide(parts, tx, run, !isFirst);
      if (isFirst && needsLocks(decided.set)) decided = await decide(parts, tx, run, true);
      writeChanges(tx, decided.set);
      for (const { row } of decided.set.jobs) {
        if (!mayRemove(row)) continue;
        await runSteps(tx, removeGone(row, decided.set.now));
        tx.send('UPDATE job SET changes = $2, notices = $3 WHERE seq = $1', [row.seq, row.changes, row.notices]);
      }
      return decided;
    });
  const { result, set } = await inTransaction(locksLast).catch((error: unknown) => {
    if (!locksLast || !isOutdated(error)) throw error;
    return inTransaction(false);
  });
  const { rows, jobs, wake } = set;
  if (rows.of(to.addedUrls).length > 0) statistics.noteGrowth();
  for (const { host } of wake) idle.wake(host);
  signals.announce({
    jobs: jobs.map(({ row }) => row.id),
    haveWork: canLease(set),
    haveEvents: rows.of(to.addedEvents).length + rows.of(to.endedRuns).length > 0,
  });
  return result;
}

/** A host that rests has no work yet, whatever was queued for it: polling finds it when it is due. */
function canLease({ wake, freed }: WorkingSet): boolean {
  const resting = new Set(freed.filter(({ pause }) => pause > 0).map(({ host }) => host));
  return resting.size < freed.length || wake.some(({ host }) => !resting.has(host));
}

interface Decided<Result> {
  readonly result: Result;
  readonly set: WorkingSet;
}

async function decide<Result>(
  parts: StoreParts,
  tx: Transaction,
  run: (set: WorkingSet, tx: Transaction) => Promise<Result>,
  isLocking: boolean,
): Promise<Decided<Result>> {
  const set = new WorkingSet(tx, parts, isLocking);
  const result = await run(set, tx);
  for (const { row } of set.jobs) {
    await completeExample(set, row);
    announce(row, set, set.now);
  }
  return { result, set };
}

/** A job that has ended early names one of the URLs that were left. Call it before a changed job is returned. */
export async function completeExample(set: WorkingSet, row: JobRow): Promise<void> {
  const left = lacksExample(row) ? await set.leftOf(row.seq) : undefined;
  if (left !== undefined) fillExample(row, left);
}
