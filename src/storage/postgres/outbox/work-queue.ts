import { failPoint } from '../../../core/process/fail-point.ts';
import type { ClaimedWork, WorkQueue, WorkResult, WorkStatus } from '../../../core/ports/work.ts';
import { eventsTopic } from '../../rules/frontier/changes.ts';
import { rulesOf } from '../../rules/outbox/work-kinds.ts';
import {
  claimedOf,
  claimMs,
  frequent,
  originOf,
  schedulePayload,
  type SettledColumns,
  settledAs,
  settleOfSchedule,
  type WorkRow,
} from '../../rules/outbox/work.ts';
import { waitingPayload } from '../../rules/schedules/runs.ts';
import { timeOf } from '../../shared/operation.ts';
import { lockedSchedule, saveSchedule, ScheduleWork } from '../../shared/schedule-rows.ts';
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
        next.schedule === null ? await this.#takeOfJob(next) : await this.#takeOfSchedule(next, next.schedule, now);
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
        settleOnSchedule(tx, { id, schedule }, result, now, this.#open),
      );
      if (haveWork) signals.announce({ jobs: [], haveWork: false, haveEvents: true });
      return status;
    }
    if (job === null) throw new Error(`work ${id} has no owner`);
    await facts.learnSeqs([job]);
    return change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [job] });
      const row = await lockedPending(tx, id);
      const jobRow = set.get(job);
      if (!row || !jobRow) return undefined;
      const settled = settledAs(result, set.now);
      rulesOf(row.kind).settled(jobRow, row, result, { now: set.now, isOver: settled.status !== 'pending' });
      writeSettled(tx, row, settled, result);
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

  /** Undefined if another process was faster, or if the schedule was deleted. */
  #takeOfSchedule(due: DueRow, schedule: string, now: number | undefined): Promise<ClaimedWork | undefined> {
    return this.#parts.connections.transaction(async (tx) => {
      const [row] = await tx.query<WorkRow & { readonly org: string | null; readonly now: number }>(
        `SELECT w.*, s.org, ${givenNow('$2')} AS now FROM work w LEFT JOIN schedule s ON s.id = w.schedule
         WHERE w.id = $1 AND w.status = 'pending' AND w.next_at <= ${givenNow('$2')} FOR UPDATE OF w SKIP LOCKED`,
        [due.id, now ?? null],
      );
      if (!row) return undefined;
      if (row.org === null) {
        tx.send('DELETE FROM work WHERE id = $1', [row.id]);
        return undefined;
      }
      const payload = schedulePayload(row, row.now);
      tx.send(claimSql, [row.id, payload, row.now + claimMs, this.#open.own]);
      failPoint('run.claimed');
      return claimedOf(row, { id: schedule, org: row.org }, payload);
    });
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
      tx.send(claimSql, [id, payload, set.now + claimMs, this.#open.own]);
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

const claimSql = 'UPDATE work SET attempts = attempts + 1, payload = $2, next_at = $3, claimed_by = $4 WHERE id = $1';

/** Settles a piece of a schedule: locks the schedule, then its work, as all do. `haveWork`: other work might be due. */
async function settleOnSchedule(
  tx: Transaction,
  { id, schedule }: { readonly id: number; readonly schedule: string },
  result: WorkResult,
  given: number | undefined,
  open: OpenPages,
): Promise<{ readonly status?: WorkStatus; readonly haveWork: boolean }> {
  const locked = await runSteps(tx, lockedSchedule(schedule), open);
  const row = await lockedPending(tx, id);
  if (!row) return { haveWork: false };
  const now = await runSteps(tx, timeOf(given), open);
  if (!locked) {
    const settled = settledAs(result, now);
    writeSettled(tx, row, settled, result);
    return { status: settled.status, haveWork: false };
  }
  const next = new ScheduleWork();
  const settled = settleOfSchedule(locked, row, result, next, now);
  await runSteps(tx, next.stored(), open);
  await runSteps(tx, saveSchedule(locked), open);
  writeSettled(tx, row, settled, result);
  return { status: settled.status, haveWork: next.isDue };
}

async function lockedPending(tx: Transaction, id: number): Promise<WorkRow | undefined> {
  const [row] = await tx.query<WorkRow>('SELECT * FROM work WHERE id = $1 FOR UPDATE', [id]);
  return row?.status === 'pending' ? row : undefined;
}

function writeSettled(tx: Transaction, row: WorkRow, settled: SettledColumns, result: WorkResult): void {
  const { status, next_at: nextAt, settled_at: settledAt, code, error, waits } = settled;
  // As in the embedded store, nothing is kept of a time that is over.
  if (row.kind === 'schedule' && status !== 'pending') tx.send('DELETE FROM work WHERE id = $1', [row.id]);
  else
    tx.send(
      'UPDATE work SET status = $2, next_at = $3, settled_at = $4, code = $5, error = $6, claimed_by = NULL WHERE id = $1',
      [row.id, status, nextAt, settledAt, code, error],
    );
  if (waits) tx.send('UPDATE work SET payload = $2, attempts = 0 WHERE id = $1', [row.id, waitingPayload]);
  if (result.kind === 'failed' && result.endsOthers === true)
    tx.send(
      "UPDATE work SET status = 'failed', next_at = NULL, settled_at = $2, error = $3 WHERE kind = $5 AND (job = $1 OR schedule = $6) AND status = 'pending' AND id <> $4",
      [row.job, settledAt, result.message, row.id, row.kind, row.schedule],
    );
}
