import type { Database } from '../file/database.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { hasEnded } from '../../../core/job.ts';
import type { Swept } from '../../../core/ports/stores.ts';
import type { ClaimedWork } from '../../../core/ports/work.ts';
import { frontierMethods } from '../frontier/frontier-methods.ts';
import { FrontierWrites } from '../frontier/frontier-writes.ts';
import { Hosts } from '../frontier/hosts.ts';
import { JobRows } from '../jobs/job-rows.ts';
import { endOverdue } from '../../shared/job-writes.ts';
import type { JobTransaction } from '../../shared/operation.ts';
import type { Changed } from '../../rules/frontier/changes.ts';
import { announce } from '../../rules/outbox/job-events.ts';
import { usualJobUrlsMax } from '../../rules/frontier/crawl-tables.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { mayRemove } from '../../rules/jobs/change-counts.ts';
import { removeGone } from '../../shared/remove-gone.ts';
import { fillExample, lacksExample } from '../../rules/jobs/conclusion.ts';
import { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { EventWrites } from '../outbox/event-writes.ts';
import { Settling } from '../../rules/frontier/settling.ts';
import { SqliteTables } from '../frontier/sqlite-tables.ts';
import { Sweeping } from '../jobs/sweeping.ts';
import { runSteps } from '../file/run-steps.ts';
import { type OperationName, operationOf } from '../../shared/shared-ports.ts';
import { planAhead } from '../../shared/schedules.ts';
import { type ClaimQuery, claimWork } from '../outbox/work-writes.ts';

/** Everything that writes, by name: the protocol between the store and its writer thread. */
export interface WriterOperations extends Pick<FrontierWrites, (typeof frontierMethods)[number]> {
  /** Runs an operation that both stores share. */
  shared(name: OperationName, args: readonly unknown[]): unknown;
  sweep(now: number): Swept;
  claimWork(query: ClaimQuery): ClaimedWork[];
  ping(): void;
}

/** The operations on one database, which run inside a transaction, and the hooks around it. */
export interface Writes {
  readonly operations: WriterOperations;
  /** Call before the commit: writes what is still in memory; returns the changes that callers can wait for. */
  flush(): Changed;
  /** Call after a rollback: forgets what was in memory. */
  forget(): void;
}

export function createWrites(db: Database, jobUrlsMax = usualJobUrlsMax): Writes {
  const hosts = new Hosts(db);
  const tables = new SqliteTables(db, hosts, jobUrlsMax);
  const seen = new SeenUrls();
  const ledger = new Ledger(tables, seen);
  const events = new EventWrites(db);
  const jobs = new JobRows(db, (row) => {
    if (mayRemove(row)) runSteps(db, removeGone(row, Date.now()));
    const left = lacksExample(row) ? tables.leftOf(row.seq) : undefined;
    if (left !== undefined) fillExample(row, left);
    announce(row, events, Date.now());
    if (hasEnded(row.status)) seen.forgetJob(row.seq);
  });
  const frontier = new FrontierWrites(db, hosts, jobs, new Settling(tables, jobs, ledger));
  const jobTransaction: JobTransaction = {
    held: (job) => {
      const row = typeof job === 'string' ? jobs.getById(job) : jobs.get(job);
      return row && { row, now: Date.now(), dueAt: monotonicNow() };
    },
    stored: () => {},
    isNear: () => true,
    wake: (row) => frontier.wakeJob(row, monotonicNow()),
    noteDue: () => events.noteDue(),
    touch: (row) => jobs.touch(row),
    ledger,
    tables,
  };
  const sweeping = new Sweeping(db);
  const ofFrontier = frontierMethods.map((name) => [name, frontier[name].bind(frontier)]);
  return {
    operations: {
      ...(Object.fromEntries(ofFrontier) as Pick<FrontierWrites, (typeof frontierMethods)[number]>),
      shared: (name, args) => {
        // Its statements read job rows in the database.
        jobs.save();
        const operation = operationOf(name);
        if (operation.addsWork === true) events.noteDue();
        return runSteps(db, operation.steps(...args), { jobs: jobTransaction });
      },
      sweep: (now) => {
        hosts.removeIdle(monotonicNow());
        runSteps(db, planAhead(now));
        // A sweep reads and changes job rows in the database.
        jobs.save();
        if (runSteps(db, endOverdue(now), { jobs: jobTransaction })) return { more: true };
        return sweeping.step(now);
      },
      claimWork: (query) => {
        // Its statements name jobs that are stored.
        jobs.save();
        return claimWork(db, jobTransaction, query);
      },
      ping: () => void db.run("INSERT OR REPLACE INTO setting (name, value) VALUES ('ping', x'00')"),
    },
    flush: () => ({ jobs: jobs.flush(), haveWork: hosts.takeHaveWork(), haveEvents: events.takeHaveEvents() }),
    forget: () => {
      events.takeHaveEvents();
      jobs.forget();
      hosts.forget();
      tables.forget();
      seen.forget();
    },
  };
}
