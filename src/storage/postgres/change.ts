import type { Transaction } from './connections.ts';
import type { StoreParts } from './parts.ts';
import { WorkingSet } from './working-set.ts';
import { writeChanges } from './write-changes.ts';

/**
 * A transaction on jobs, by the rules that all stores share. `run` reads at once all that it may need (`read-rows.ts`), and lets
 * the rules change it in memory (`working-set.ts`); what changed is then written at once (`write-changes.ts`). So it takes two
 * round trips, however many URLs and pages it is about. Whoever waits for what it changed is told after the commit.
 *
 * Locks are taken in one order everywhere, so that transactions wait for each other and never in a circle: jobs by number, then
 * hosts by number.
 */
export async function change<Result>(
  { connections, facts, hosts, signals }: StoreParts,
  run: (set: WorkingSet, tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { result, changes } = await connections.transaction(async (tx) => {
    const set = new WorkingSet(tx, facts);
    const answer = await run(set, tx);
    const done = set.finish();
    writeChanges(tx, hosts, done);
    return { result: answer, changes: done };
  });
  signals.announce({
    jobs: changes.jobs.map(({ id }) => id),
    haveWork: changes.wake.hosts.length > 0,
    haveEvents: changes.events.length > 0,
  });
  return result;
}
