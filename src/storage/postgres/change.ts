import { endedOnNofollow, tellOfNofollow } from '../rules/only-nofollow.ts';
import type { Transaction } from './connections.ts';
import type { StoreParts } from './parts.ts';
import type { RowChanges } from './row-changes.ts';
import { isOutdated } from './sending.ts';
import { WorkingSet } from './working-set.ts';
import { writeChanges } from './write-changes.ts';
import { needsLocks } from './write-jobs.ts';

/**
 * A transaction on jobs, by the rules that all stores share. `run` reads at once all that it may need (`read-rows.ts`), and lets
 * the rules change it in memory (`working-set.ts`); what changed is then written at once (`write-changes.ts`). So it takes two
 * round trips, however many URLs and pages it is about. Whoever waits for what it changed is told after the commit.
 *
 * Locks are taken in one order everywhere, so that transactions wait for each other and never in a circle: jobs by number, then
 * hosts by number.
 *
 * With `locksLast`, nothing is locked while it is decided. Where the outcome only counts, the rows of jobs are locked as the first
 * of the statements that write, which are one packet with the commit: they are held while the database works, and not while
 * anybody waits for a packet or for the process. Each of these statements fails the transaction where what was read is not so any
 * more. Then, and where more is to be written, `run` decides again under locks: it may be called several times, and must not
 * write by itself.
 */
export async function change<Result>(
  parts: StoreParts,
  run: (set: WorkingSet, tx: Transaction) => Promise<Result>,
  { locksLast = false }: { readonly locksLast?: boolean } = {},
): Promise<Result> {
  const { connections, hosts, idle, signals } = parts;
  const inTransaction = (isFirst: boolean): Promise<Decided<Result>> =>
    connections.transaction(async (tx) => {
      let decided = await decide(parts, tx, run, !isFirst);
      if (isFirst && needsLocks(decided.changes)) decided = await decide(parts, tx, run, true);
      writeChanges(tx, hosts, decided.changes);
      return decided;
    });
  const { result, changes } = await inTransaction(locksLast).catch((error: unknown) => {
    if (!locksLast || !isOutdated(error)) throw error;
    return inTransaction(false);
  });
  for (const { host } of changes.wake) idle.wake(hosts.of(host));
  signals.announce({
    jobs: changes.jobs.map(({ row }) => row.id),
    haveWork: changes.wake.length > 0 || changes.freed.some(({ pauseMs }) => pauseMs === 0),
    haveEvents: changes.events.length > 0,
  });
  return result;
}

interface Decided<Result> {
  readonly result: Result;
  readonly changes: RowChanges;
}

async function decide<Result>(
  { facts, jobUrlsMax }: StoreParts,
  tx: Transaction,
  run: (set: WorkingSet, tx: Transaction) => Promise<Result>,
  isLocking: boolean,
): Promise<Decided<Result>> {
  const set = new WorkingSet(tx, facts, { jobUrlsMax, isLocking });
  const result = await run(set, tx);
  for (const row of set.changedJobs) {
    const unfollowed = endedOnNofollow(row) ? await set.discardedFor(row.seq, 'nofollow') : undefined;
    if (unfollowed !== undefined) tellOfNofollow(row, unfollowed, set.now);
  }
  return { result, changes: set.finish() };
}
