import { ExitError, exitCodes } from '../../../core/errors.ts';
import type { Swept } from '../../../core/ports/stores.ts';
import { Ledger } from '../../rules/frontier/ledger.ts';
import { lineOf } from '../../rules/frontier/lease-turns.ts';
import { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { isJobRow, jobOf } from '../../rules/jobs/job-of-row.ts';
import type { JobRow } from '../../rules/jobs/job-row.ts';
import { openOfJob } from '../../shared/job-reads.ts';
import { endOverdue, NearLimit } from '../../shared/job-writes.ts';
import {
  type HeldJob,
  type JobTransaction,
  type LinksOfKind,
  type Operation,
  type Steps,
  type StoredKeys,
  timeOf,
  turn,
} from '../../shared/operation.ts';
import { Sweeper } from '../../shared/sweeping.ts';
import { change, completeExample } from '../change/change.ts';
import type { StoreParts } from '../change/parts.ts';
import { addLinks, type JobKey } from '../change/read-rows.ts';
import type { WorkingSet } from '../change/working-set.ts';
import type { Transaction } from '../connection/connections.ts';
import { type OwnWorker, runSteps } from '../connection/run-steps.ts';
import { nowSql } from '../connection/schema.ts';

/** Rows removed per table in one step. */
const rowsPerStep = 2_000;
/** How long the memory of a host is kept after its last lease. As long as its robots.txt counts. */
const memoryKeptMs = 24 * 3600 * 1000;

/** Runs what changes jobs, and removes what nobody can read any more. */
export class JobWrites {
  readonly #parts: StoreParts;
  readonly #worker: OwnWorker;
  readonly #sweeper = new Sweeper(rowsPerStep, (message) => new ExitError(exitCodes.databaseDamaged, message));
  /** `max_connections` of the database; 0 until it is known. A limit of jobs that is smaller is always near. */
  #connectionsMax = 0;

  constructor(parts: StoreParts, worker: OwnWorker) {
    this.#parts = parts;
    this.#worker = worker;
  }

  /** Runs an operation of the kind `jobs`. */
  async run(operation: Operation, args: readonly unknown[]): Promise<unknown> {
    const { facts, hosts } = this.#parts;
    const { job, links = [] } = operation.concerns?.(...args) ?? {};
    if (job !== undefined) await facts.learn([job]);
    await hosts.learn(links.map(({ host }) => host));
    const attempt = (connectionsMax: number): Promise<unknown> =>
      this.perform(shown(operation.steps(...args)), connectionsMax);
    try {
      return await attempt(this.#connectionsMax);
    } catch (error) {
      if (!(error instanceof NearLimit)) throw error;
      this.#connectionsMax = error.connections;
      return attempt(Number.MAX_SAFE_INTEGER);
    }
  }

  /** Ends jobs that passed their time limit, then removes one step of what nobody can read any more. */
  async sweep(given?: number): Promise<Swept> {
    const { connections } = this.#parts;
    const now = await runSteps(connections, timeOf(given));
    if (await this.perform(endOverdue(now))) return { more: true };
    const { deleteUpTo, aheadMs } = await runSteps(connections, this.#sweeper.judge(now));
    await runSteps(connections, this.#sweeper.removeOld(deleteUpTo));
    await connections.query(
      `UPDATE host SET memory = NULL, memory_at = NULL WHERE id IN (
         SELECT id FROM host WHERE memory_at <= ${nowSql} - $1::bigint LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [memoryKeptMs, rowsPerStep],
    );
    const more = await connections.transaction((tx) => runSteps(tx, this.#sweeper.step(deleteUpTo)));
    return { more, ...(aheadMs !== undefined && { clockAheadMs: aheadMs }) };
  }

  /** Runs steps that change jobs, in one transaction. */
  async perform<Result>(steps: Steps<Result>, connectionsMax = 0): Promise<Result> {
    const hints = { haveWork: false, haveEvents: false };
    const result = await change(this.#parts, (set, tx) =>
      runSteps(tx, steps, this.#worker, new ChangedJobs(this.#parts, { set, tx, connectionsMax, hints })),
    );
    if (hints.haveWork || hints.haveEvents) this.#parts.signals.announce({ jobs: [], ...hints });
    return result;
  }
}

/** What an operation returns, where a row is the job as clients see it. */
function* shown(steps: Steps<unknown>): Steps<unknown> {
  const result = yield* steps;
  if (!isJobRow(result)) return result;
  const row = result;
  const now = yield* turn(async ({ tables }) => {
    await completeExample(tables as WorkingSet, row);
    return tables.timeOfDay();
  });
  return jobOf(row, now, row.in_flight === 0 ? 0 : yield* openOfJob(row));
}

interface Changing {
  readonly set: WorkingSet;
  readonly tx: Transaction;
  readonly connectionsMax: number;
  /** Of what it does: others are told after the commit. */
  readonly hints: { haveWork: boolean; haveEvents: boolean };
}

class ChangedJobs implements JobTransaction {
  readonly tables: WorkingSet;
  readonly ledger: Ledger;
  readonly #parts: StoreParts;
  readonly #of: Changing;

  constructor(parts: StoreParts, of: Changing) {
    this.tables = of.set;
    this.ledger = new Ledger(of.set, new SeenUrls());
    this.#parts = parts;
    this.#of = of;
  }

  async held(job: string | number, links: readonly LinksOfKind[]): Promise<HeldJob | undefined> {
    const { facts, hosts } = this.#parts;
    if (typeof job === 'number') await facts.learnSeqs([job], this.#of.tx);
    const known = typeof job === 'number' ? facts.ofSeq(job) : facts.of(job);
    if (!known) return undefined;
    await hosts.learn(links.flatMap(({ links: some }) => some.map(({ host }) => host)));
    const urls: JobKey[] = [];
    for (const { kind, links: some } of links) addLinks(urls, known, kind, some, undefined);
    await this.tables.read({ jobs: [known.seq], urls });
    const row = this.tables.get(known.seq);
    return row && { row, now: this.tables.now, dueAt: this.tables.now };
  }

  stored({ id, seq, retried, hasWebhook, since }: StoredKeys): void {
    const { facts } = this.#parts;
    const earlier = retried ? [retried.seq, ...(facts.of(retried.id)?.earlier ?? [])] : [];
    facts.note(id, { seq, earlier, hasWebhook, since });
  }

  isNear(unfinishedMax: number): boolean {
    return unfinishedMax <= this.#of.connectionsMax;
  }

  wake(row: JobRow): void {
    wakeHosts(this.#of.tx, row);
    this.#of.hints.haveWork = true;
  }

  noteDue(): void {
    this.#of.hints.haveEvents = true;
  }

  touch(row: JobRow): void {
    this.tables.touch(row);
  }
}

/**
 * Makes the hosts of a job that was stopped available: meanwhile they had no work. Under their locks, as a
 * release reads there whether work is left.
 */
function wakeHosts(tx: Transaction, job: JobRow): void {
  const { org, rank, job: seq } = lineOf(job, false);
  tx.send(
    'SELECT FROM host_slot WHERE host IN (SELECT host FROM frontier WHERE job = $1 AND fence IS NULL AND not_before = 0) ORDER BY host FOR NO KEY UPDATE',
    [seq],
  );
  tx.send(
    `UPDATE host_slot s SET ready_at = least(s.ready_at, greatest(s.next_at, ${nowSql})), in_line = false, org = $2, rank = $3, job = $1,
       for_browser = false, plain_at = NULL
     WHERE host IN (SELECT host FROM frontier WHERE job = $1 AND fence IS NULL AND not_before = 0)`,
    [seq, org, rank],
  );
}

export const pingSql = `INSERT INTO setting (name, value) VALUES ('ping', convert_to((${nowSql})::text, 'UTF8'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
