import type { ClaimedWork, WorkQueue } from '../../../core/ports/work.ts';
import { eventsTopic } from '../../rules/frontier/changes.ts';
import { nextDue, takeOfJob, takeOfSchedule } from '../../shared/work.ts';
import { type OwnWorker, runSteps } from '../connection/run-steps.ts';
import type { Transaction } from '../connection/connections.ts';
import type { StoreParts } from '../change/parts.ts';
import type { JobWrites } from '../jobs/jobs.ts';
import { givenNow, nowSql } from '../connection/schema.ts';

/** Makes the work that a dead worker had claimed due at once. */
export function giveBackWork(tx: Transaction, worker: number): void {
  tx.send(`UPDATE work SET claimed_by = NULL, next_at = ${nowSql} WHERE claimed_by = $1`, [worker]);
}

export class PostgresWorkQueue implements Omit<WorkQueue, 'list' | 'repeat' | 'settle' | 'recover'> {
  readonly #parts: StoreParts;
  readonly #writes: JobWrites;
  readonly #worker: OwnWorker;

  constructor(parts: StoreParts, writes: JobWrites, worker: OwnWorker) {
    this.#parts = parts;
    this.#writes = writes;
    this.#worker = worker;
  }

  /** Keys that other processes have claimed also count as busy. */
  async claim(query: Parameters<WorkQueue['claim']>[0]): Promise<readonly ClaimedWork[]> {
    const { kind, max, busyKeys, now } = query;
    const { connections } = this.#parts;
    const own = this.#worker.id ?? 0;
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
          ? await this.#writes.perform(takeOfJob(next, own))
          : await connections.transaction((tx) => runSteps(tx, takeOfSchedule(next.id, own, now)));
      if (work) claimed.push(work);
    }
    return claimed;
  }

  waitUntilDue(maxMs: number, signal: AbortSignal): Promise<void> {
    return this.#parts.signals.wait(eventsTopic, maxMs, signal);
  }
}
