import type { Database, Statement } from './database.ts';
import { failPoint } from '../../core/fail-point.ts';
import type { Delivery, DeliveryResult, DueDelivery, Outbox } from '../../core/webhook.ts';
import {
  claimMs,
  deliveryOf,
  type DeliveryRow,
  dueOf,
  factsOf,
  frequent,
  originOf,
  settledAs,
} from '../rules/deliveries.ts';
import type { JobRow } from '../rules/job-row.ts';
import type { JobRows } from './job-rows.ts';

type ClaimQuery = Parameters<Outbox['claim']>[0];

interface DueQuery extends Record<string, string | number> {
  readonly from: number;
  readonly now: number;
  readonly urls: string;
  readonly origins: string;
}

/** The writing half of the outbox. Every method runs inside a transaction of the writer. */
export class OutboxWrites {
  readonly #db: Database;
  readonly #jobs: JobRows;
  readonly #nextDue: Statement<[DueQuery], { id: number; next_at: number; url: string }>;
  readonly #claim: Statement<[string, number, number]>;
  readonly #get: Statement<[number], DeliveryRow>;
  readonly #settle: Statement<[string, number | null, number | null, number | null, string | null, number]>;
  readonly #endOthers: Statement<[number, string, number]>;
  readonly #replay: Statement<[number, number]>;

  constructor(db: Database, jobs: JobRows) {
    this.#db = db;
    this.#jobs = jobs;
    // A pass over the index in the order of time, that ends at the first row to be taken. 100,000 rows of a URL that is
    // left out take 50 ms.
    this.#nextDue = db.prepare(`
      SELECT id, next_at, url FROM delivery
      WHERE status = 'pending' AND next_at BETWEEN @from AND @now
        AND url NOT IN (SELECT value FROM json_each(@urls)) AND ${originSql} NOT IN (SELECT value FROM json_each(@origins))
      ORDER BY next_at, url LIMIT 1`);
    this.#claim = db.prepare(
      'UPDATE delivery SET attempts = attempts + 1, facts = ?, next_at = ?, claimed = 1 WHERE id = ?',
    );
    this.#get = db.prepare('SELECT * FROM delivery WHERE id = ?');
    this.#settle = db.prepare(
      'UPDATE delivery SET status = ?, next_at = ?, settled_at = ?, status_code = ?, error = ?, claimed = 0 WHERE id = ?',
    );
    this.#endOthers = db.prepare(
      "UPDATE delivery SET status = 'failed', next_at = NULL, settled_at = ?, error = ? WHERE job = ? AND status = 'pending'",
    );
    this.#replay = db.prepare(
      "UPDATE delivery SET status = 'pending', attempts = 0, next_at = ?, settled_at = NULL WHERE id = ?",
    );
  }

  /** What an earlier process was sending is due at once. */
  recover(now: number): void {
    this.#db.prepare('UPDATE delivery SET next_at = ?, claimed = 0 WHERE claimed = 1').run(now);
  }

  claim({ max, originMax, busyUrls }: ClaimQuery, now: number): DueDelivery[] {
    const due: DueDelivery[] = [];
    const urls = [...busyUrls];
    for (let from = 0; due.length < max;) {
      const origins = JSON.stringify(frequent(urls.map(originOf), originMax));
      const next = this.#nextDue.get({ from, now, urls: JSON.stringify(urls), origins });
      if (!next) break;
      due.push(this.#take(next.id, now));
      urls.push(next.url);
      from = next.next_at;
    }
    return due;
  }

  settle(id: number, result: DeliveryResult, now: number): void {
    const row = this.#get.get(id);
    if (row?.status !== 'pending') return;
    const job = this.#jobOf(row);
    const settled = settledAs(row, job, result, now);
    this.#settle.run(settled.status, settled.next_at, settled.settled_at, settled.status_code, settled.error, id);
    if (result.kind === 'gone') this.#endOthers.run(now, result.message, row.job);
    this.#jobs.touch(job);
  }

  replay(jobId: string, id: number, now: number): Delivery | undefined {
    const row = this.#get.get(id);
    const job = row && this.#jobs.get(row.job);
    if (job?.id !== jobId) return undefined;
    this.#replay.run(now, id);
    const replayed = this.#get.get(id);
    return replayed && deliveryOf(replayed);
  }

  #take(id: number, now: number): DueDelivery {
    const row = this.#get.get(id);
    if (!row) throw new Error(`delivery ${id} is in the index alone`);
    const job = this.#jobOf(row);
    const { facts, isNew } = factsOf(job, row);
    if (isNew) this.#jobs.touch(job);
    this.#claim.run(JSON.stringify(facts), now + claimMs, id);
    failPoint('delivery.claimed');
    return dueOf(row, job, facts);
  }

  #jobOf(row: DeliveryRow): JobRow {
    const job = this.#jobs.get(row.job);
    if (!job) throw new Error(`delivery ${row.id} has no job`);
    return job;
  }
}

/** As {@link originOf}: scheme, host and port of a URL in its normal form, up to the slash behind them. */
const originSql = "substr(url, 1, 8 + instr(substr(url, 9), '/'))";
