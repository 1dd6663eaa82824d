import { failPoint } from '../../../core/process/fail-point.ts';
import type { ClaimedWork, WorkQueue, WorkResult, WorkStatus } from '../../../core/ports/work.ts';
import { eventsTopic } from '../../rules/frontier/changes.ts';
import { rulesOf } from '../../rules/outbox/work-kinds.ts';
import { claimedOf, frequent, originOf, settledAs, type WorkRow } from '../../rules/outbox/work.ts';
import { claimAs, lockedPending, settleOnSchedule, takeOfSchedule, writeSettled } from '../../shared/work.ts';
import { runSteps } from '../connection/run-steps.ts';
import { change } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import type { StoreParts } from '../change/parts.ts';
import { elsewhereSql, type OpenPages } from '../jobs/open-pages.ts';
import { givenNow, nowSql } from '../connection/schema.ts';

/** Scheme, host and port of a URL in its normal form, up to and including the slash after them. */
const originSql = "left(key, 8 + strpos(substr(key, 9), '/'))";

type ClaimQuery = Parameters<WorkQueue['claim']>[0];

/** Makes the work that a dead worker had claimed due at once. */
export function giveBackWork(tx: Transaction, worker: number): void {
  tx.send(`UPDATE work SET claimed_by = NULL, next_at = ${nowSql} WHERE claimed_by = $1`, [worker]);
}

export class PostgresWorkQueue implements Omit<WorkQueue, 'list' | 'repeat'> {
  readonly #parts: StoreParts;
  readonly #open: OpenPages;

  constructor(parts: StoreParts, open: OpenPages) {
    this.#parts = parts;
    this.#open = open;
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
          ? await this.#takeOfJob(next)
          : await connections.transaction((tx) => runSteps(tx, takeOfSchedule(next.id, this.#open.own, now)));
      if (work) claimed.push(work);
    }
    return claimed;
  }

  async settle(id: number, result: WorkResult, now?: number): Promise<WorkStatus | undefined> {
    const { connections, facts, signals } = this.#parts;
    const [owner] = await connections.query<{ job: number | null; schedule: string | null }>(
      'SELECT job, schedule FROM work WHERE id = $1',
      [id],
    );
    if (!owner) return undefined;
    const { job, schedule } = owner;
    if (schedule !== null) {
      const { status, haveWork } = await connections.transaction((tx) =>
        runSteps(tx, settleOnSchedule({ id, schedule }, result, now), this.#open),
      );
      if (haveWork) signals.announce({ jobs: [], haveWork: false, haveEvents: true });
      return status;
    }
    if (job === null) throw new Error(`work ${id} has no owner`);
    await facts.learnSeqs([job]);
    return change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [job] });
      const row = await runSteps(tx, lockedPending(id));
      const jobRow = set.get(job);
      if (!row || !jobRow) return undefined;
      const settled = settledAs(result, set.now);
      rulesOf(row.kind).settled(jobRow, row, result, { now: set.now, isOver: settled.status !== 'pending' });
      await runSteps(tx, writeSettled(row, settled, result));
      set.touch(jobRow);
      return settled.status;
    });
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

  /** Undefined if another process was faster. */
  async #takeOfJob({ id, job }: DueRow): Promise<ClaimedWork | undefined> {
    if (job === null) throw new Error(`work ${id} has no owner`);
    await this.#parts.facts.learnSeqs([job]);
    return change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [job] });
      const jobRow = set.get(job);
      const [row] = await tx.query<WorkRow & { readonly elsewhere: number | null }>(
        `SELECT *, ${elsewhereSql('(w.open_pages ->> $3::text)::int', '$2')} AS elsewhere
         FROM work WHERE id = $1 AND status = 'pending' AND next_at <= ${nowSql} FOR UPDATE SKIP LOCKED`,
        [id, this.#open.own, jobRow?.id ?? ''],
      );
      if (!row || !jobRow) return undefined;
      let { payload } = row;
      if (payload === null) {
        const made = rulesOf(row.kind).payloadOf(jobRow, row, this.#open.of(jobRow.id, row.elsewhere));
        if (made.isJobChanged) set.touch(jobRow);
        ({ payload } = made);
      }
      await runSteps(tx, claimAs(id, { payload, claimedBy: this.#open.own, now: set.now }));
      failPoint('delivery.claimed');
      return claimedOf(row, jobRow, payload);
    });
  }
}

interface DueRow {
  readonly id: number;
  readonly key: string;
  readonly job: number | null;
  readonly schedule: string | null;
}
