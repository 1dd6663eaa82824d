import type { ClaimedWork, WorkQueue } from '../../../core/ports/work.ts';
import { eventsTopic } from '../../rules/frontier/changes.ts';
import { frequent, originOf } from '../../rules/outbox/work.ts';
import { takeOfJob, takeOfSchedule } from '../../shared/work.ts';
import { type OwnWorker, runSteps } from '../connection/run-steps.ts';
import type { Transaction } from '../connection/connections.ts';
import type { StoreParts } from '../change/parts.ts';
import type { JobWrites } from '../jobs/jobs.ts';
import { givenNow, nowSql } from '../connection/schema.ts';

/** Scheme, host and port of a URL in its normal form, up to and including the slash after them. */
const originSql = "left(key, 8 + strpos(substr(key, 9), '/'))";

type ClaimQuery = Parameters<WorkQueue['claim']>[0];

/** Makes the work that a dead worker had claimed due at once. */
export function giveBackWork(tx: Transaction, worker: number): void {
  tx.send(`UPDATE work SET claimed_by = NULL, next_at = ${nowSql} WHERE claimed_by = $1`, [worker]);
}

export class PostgresWorkQueue implements Omit<WorkQueue, 'list' | 'repeat' | 'settle'> {
  readonly #parts: StoreParts;
  readonly #writes: JobWrites;
  readonly #worker: OwnWorker;

  constructor(parts: StoreParts, writes: JobWrites, worker: OwnWorker) {
    this.#parts = parts;
    this.#writes = writes;
    this.#worker = worker;
  }

  /** Keys that other processes have claimed also count as busy. */
  async claim({
    kind,
    max,
    originMax = Number.MAX_SAFE_INTEGER,
    busyKeys,
    now,
  }: ClaimQuery): Promise<readonly ClaimedWork[]> {
    const { connections } = this.#parts;
    const own = this.#worker.id ?? 0;
    const claimedKeys = await connections.query<{ key: string }>(
      `SELECT key FROM work WHERE claimed_by IS NOT NULL AND kind = $1 AND status = 'pending' AND next_at > ${givenNow('$2')}`,
      [kind, now ?? null],
    );
    const keys = [...new Set([...busyKeys, ...claimedKeys.map(({ key }) => key)])];
    const claimed: ClaimedWork[] = [];
    while (claimed.length < max) {
      const origins = frequent(keys.map(originOf), originMax);
      const [next] = await connections.query<DueRow>(
        `SELECT id, key, job, schedule FROM work WHERE status = 'pending' AND kind = $3 AND next_at <= ${givenNow('$4')}
         AND key <> ALL ($1::text[]) AND ${originSql} <> ALL ($2::text[]) ORDER BY next_at, key LIMIT 1`,
        [keys, origins, kind, now ?? null],
      );
      if (!next) break;
      keys.push(next.key);
      const work =
        next.schedule === null
          ? await this.#writes.perform(takeOfJob(next, own))
          : await connections.transaction((tx) => runSteps(tx, takeOfSchedule(next.id, own, now)));
      if (work) claimed.push(work);
    }
    return claimed;
  }

  async recover(): Promise<void> {
    await this.#parts.connections.query(
      `UPDATE work SET claimed_by = NULL, next_at = ${nowSql}
       WHERE claimed_by IS NOT NULL AND claimed_by <> 0 AND NOT EXISTS (SELECT FROM worker w WHERE w.id = claimed_by AND NOT w.dead)`,
    );
  }

  waitUntilDue(maxMs: number, signal: AbortSignal): Promise<void> {
    return this.#parts.signals.wait(eventsTopic, maxMs, signal);
  }
}

interface DueRow {
  readonly id: number;
  readonly key: string;
  readonly job: number | null;
  readonly schedule: string | null;
}
