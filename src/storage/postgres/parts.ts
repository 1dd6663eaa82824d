import type { SeenUrls } from '../rules/seen-urls.ts';
import type { Connections, Transaction } from './connections.ts';
import type { HostIds } from './host-ids.ts';
import type { JobFacts } from './job-facts.ts';
import type { Signals } from './signals.ts';
import { WorkingSet } from './working-set.ts';

/** What the parts of a store on PostgreSQL have in common. */
export interface StoreParts {
  readonly connections: Connections;
  readonly facts: JobFacts;
  readonly hosts: HostIds;
  readonly signals: Signals;
  /** Of this process. */
  readonly seen: SeenUrls;
}

/** A transaction on jobs, by the rules that all stores share. Whoever waits for what it changed is told after the commit. */
export async function change<Result>(
  { connections, facts, hosts, signals }: StoreParts,
  run: (set: WorkingSet, tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { result, set } = await connections.transaction(async (tx) => {
    const working = new WorkingSet(tx, facts, hosts);
    const answer = await run(working, tx);
    working.write();
    return { result: answer, set: working };
  });
  signals.announce({ jobs: set.changedJobs, haveWork: set.hasWork, haveEvents: set.hasEvents });
  return result;
}
