import { failPoint } from '../../../core/process/fail-point.ts';
import type {
  ClaimedWork,
  WorkEntry,
  WorkKind,
  WorkListQuery,
  WorkQueue,
  WorkResult,
} from '../../../core/ports/work.ts';
import { eventsTopic } from '../../rules/frontier/changes.ts';
import { rulesOfKind } from '../../rules/outbox/work-kinds.ts';
import { claimedOf, claimMs, entryOf, frequent, originOf, settledAs, type WorkRow } from '../../rules/outbox/work.ts';
import { change } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import type { StoreParts } from '../change/parts.ts';
import { elsewhereSql, type OpenPages } from '../jobs/open-pages.ts';
import { nowSql } from '../connection/schema.ts';

/** Scheme, host and port of a URL in its normal form, up to and including the slash after them. */
const originSql = "left(key, 8 + strpos(substr(key, 9), '/'))";

type ClaimQuery = Parameters<WorkQueue['claim']>[0];

/** Makes the work that a dead worker had claimed due at once. */
export function giveBackWork(tx: Transaction, worker: number): void {
  tx.send(`UPDATE work SET claimed_by = NULL, next_at = ${nowSql} WHERE claimed_by = $1`, [worker]);
}

export class PostgresWorkQueue implements WorkQueue {
  readonly #parts: StoreParts;
  readonly #open: OpenPages;

  constructor(parts: StoreParts, open: OpenPages) {
    this.#parts = parts;
    this.#open = open;
  }

  /** Keys that other processes have claimed also count as busy. */
  async claim({ kind, max, originMax, busyKeys }: ClaimQuery): Promise<readonly ClaimedWork[]> {
    const { connections } = this.#parts;
    const claimedKeys = await connections.query<{ key: string }>(
      `SELECT key FROM work WHERE claimed_by IS NOT NULL AND kind = $1 AND status = 'pending' AND next_at > ${nowSql}`,
      [kind],
    );
    const keys = [...new Set([...busyKeys, ...claimedKeys.map(({ key }) => key)])];
    const claimed: ClaimedWork[] = [];
    while (claimed.length < max) {
      const origins = frequent(keys.map(originOf), originMax);
      const [next] = await connections.query<{ id: number; key: string; job: number }>(
        `SELECT id, key, job FROM work WHERE status = 'pending' AND kind = $3 AND next_at <= ${nowSql}
         AND key <> ALL ($1::text[]) AND ${originSql} <> ALL ($2::text[]) ORDER BY next_at, key LIMIT 1`,
        [keys, origins, kind],
      );
      if (!next) break;
      keys.push(next.key);
      const work = await this.#take(next.id, next.job);
      if (work) claimed.push(work);
    }
    return claimed;
  }

  async settle(id: number, result: WorkResult): Promise<void> {
    const job = await this.#jobOf(id);
    if (job === undefined) return;
    await change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [job] });
      const [row] = await tx.query<WorkRow>('SELECT * FROM work WHERE id = $1 FOR UPDATE', [id]);
      const jobRow = set.get(job);
      if (row?.status !== 'pending' || !jobRow) return;
      const { status, next_at: nextAt, settled_at: settledAt, code, error } = settledAs(result, set.now);
      rulesOfKind[row.kind].settled(jobRow, row, result, { now: set.now, isOver: status !== 'pending' });
      tx.send(
        'UPDATE work SET status = $2, next_at = $3, settled_at = $4, code = $5, error = $6, claimed_by = NULL WHERE id = $1',
        [id, status, nextAt, settledAt, code, error],
      );
      if (result.kind === 'failed' && result.endsOthers === true) {
        tx.send(
          "UPDATE work SET status = 'failed', next_at = NULL, settled_at = $2, error = $3 WHERE kind = $5 AND job = $1 AND status = 'pending' AND id <> $4",
          [job, set.now, result.message, id, row.kind],
        );
      }
      set.touch(jobRow);
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

  async list(kind: WorkKind, jobId: string, query: WorkListQuery): Promise<readonly WorkEntry[]> {
    const rows = await this.#parts.connections.query<WorkRow>(
      `SELECT w.* FROM work w WHERE w.job = (SELECT seq FROM job WHERE id = $1) AND w.id > $2
       AND ($3::text IS NULL OR w.status = $3) AND w.kind = $5 ORDER BY w.id LIMIT $4`,
      [jobId, query.after, query.status ?? null, query.limit, kind],
    );
    return rows.map(entryOf);
  }

  async repeat(kind: WorkKind, jobId: string, id: number): Promise<WorkEntry | undefined> {
    const { connections, signals } = this.#parts;
    const [row] = await connections.query<WorkRow>(
      `UPDATE work SET status = 'pending', attempts = 0, next_at = ${nowSql}, settled_at = NULL
       WHERE id = $1 AND kind = $3 AND job = (SELECT seq FROM job WHERE id = $2) RETURNING *`,
      [id, jobId, kind],
    );
    if (row) signals.announce({ jobs: [], haveWork: false, haveEvents: true });
    return row && entryOf(row);
  }

  /** Undefined if another process was faster. */
  async #take(id: number, job: number): Promise<ClaimedWork | undefined> {
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
        const made = rulesOfKind[row.kind].payloadOf(jobRow, row, this.#open.of(jobRow.id, row.elsewhere));
        if (made.isJobChanged) set.touch(jobRow);
        ({ payload } = made);
      }
      tx.send('UPDATE work SET attempts = attempts + 1, payload = $2, next_at = $3, claimed_by = $4 WHERE id = $1', [
        id,
        payload,
        set.now + claimMs,
        this.#open.own,
      ]);
      failPoint('delivery.claimed');
      return claimedOf(row, jobRow, payload);
    });
  }

  async #jobOf(id: number): Promise<number | undefined> {
    const { connections, facts } = this.#parts;
    const [row] = await connections.query<{ job: number }>('SELECT job FROM work WHERE id = $1', [id]);
    if (row) await facts.learnSeqs([row.job]);
    return row?.job;
  }
}
