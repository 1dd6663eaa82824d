import type { Database, Statement } from './database.ts';
import { failPoint } from '../../core/fail-point.ts';
import type { Delivery, DeliveryFacts, DeliveryResult, DueDelivery, Outbox } from '../../core/webhook.ts';
import type { WebhookFail } from '../../core/webhook-event.ts';
import { type DeliveryRow, deliveryOf } from './delivery-rows.ts';
import type { JobRow } from '../shared/job-row.ts';
import type { JobRows } from './job-rows.ts';

/** How long an attempt may take before it is taken for lost with its process; longer than an attempt's own deadline. */
const claimMs = 60_000;
/** Failed attempts that a job shows. */
const failsShown = 20;

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
    const retryAt = result.kind === 'failed' ? result.retryAt : null;
    const status = result.kind === 'delivered' ? 'delivered' : retryAt === null ? 'failed' : 'pending';
    const message = result.kind === 'delivered' ? null : result.message;
    const isOver = status !== 'pending';
    this.#settle.run(status, retryAt, isOver ? now : null, result.statusCode ?? null, message, id);
    if (message !== null) {
      const { statusCode } = result;
      noteFail(job, { at: now, event: row.event, message, ...(statusCode !== undefined && { statusCode }) });
    }
    if (isOver && job.webhook_open === id) job.webhook_open = 0;
    if (result.kind === 'gone') {
      this.#endOthers.run(now, result.message, row.job);
      job.webhook_state = 'gone';
    }
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
    const facts = row.facts === null ? this.#factsOf(job, row) : (JSON.parse(row.facts) as DeliveryFacts);
    this.#claim.run(JSON.stringify(facts), now + claimMs, id);
    failPoint('delivery.claimed');
    const { url, event, created_at: createdAt, attempts } = row;
    return { id, jobId: job.id, org: job.org, url, event, createdAt, attempts: attempts + 1, facts };
  }

  /** How the job stands now. An event of progress tells of all pages up to here. */
  #factsOf(job: JobRow, { event }: DeliveryRow): DeliveryFacts {
    const { status, queued, in_flight: inFlight, scraped, discarded, failed, finished_at: finishedAt } = job;
    const facts = { status, progress: { queued, inFlight, scraped, discarded, failed }, finishedAt };
    if (event !== 'job.progress') return facts;
    const pages = { from: job.webhook_page + 1, to: scraped };
    job.webhook_page = scraped;
    this.#jobs.touch(job);
    return { ...facts, pages };
  }

  #jobOf(row: DeliveryRow): JobRow {
    const job = this.#jobs.get(row.job);
    if (!job) throw new Error(`delivery ${row.id} has no job`);
    return job;
  }
}

function noteFail(job: JobRow, fail: WebhookFail): void {
  const fails = [...(JSON.parse(job.webhook_fails) as WebhookFail[]), fail].slice(-failsShown);
  job.webhook_fails = JSON.stringify(fails);
}

/** As {@link originOf}: scheme, host and port of a URL in its normal form, up to the slash behind them. */
const originSql = "substr(url, 1, 8 + instr(substr(url, 9), '/'))";

function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', 8) + 1);
}

/** The values of which there are so many at least. */
function frequent(values: readonly string[], count: number): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].filter(([, times]) => times >= count).map(([value]) => value);
}
