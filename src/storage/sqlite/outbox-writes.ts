import type { Database, Statement } from './database.ts';
import type { Delivery, DeliveryFacts, DeliveryResult, DueDelivery } from '../../core/webhook.ts';
import type { WebhookFail } from '../../core/webhook-event.ts';
import { type DeliveryRow, deliveryOf } from './delivery-rows.ts';
import type { JobRow, JobRows } from './job-rows.ts';

/** How long an attempt may take before it is taken for lost with its process; longer than an attempt's own deadline. */
const claimMs = 60_000;
/** Failed attempts that a job shows. */
const failsShown = 20;

/** The writing half of the outbox. Every method runs inside a transaction of the writer. */
export class OutboxWrites {
  readonly #jobs: JobRows;
  readonly #due: Statement<[number, string, number], DeliveryRow>;
  readonly #claim: Statement<[string, number, number]>;
  readonly #get: Statement<[number], DeliveryRow>;
  readonly #settle: Statement<[string, number | null, number | null, number | null, string | null, number]>;
  readonly #endOthers: Statement<[number, string, number]>;
  readonly #replay: Statement<[number, number]>;

  constructor(db: Database, jobs: JobRows) {
    this.#jobs = jobs;
    // SQLite fills the columns beside a lone min() from the row that has it: the first due of each URL.
    this.#due = db.prepare(`
      SELECT id, job, url, event, facts, status, created_at, attempts, min(next_at) AS next_at, settled_at, status_code, error
      FROM delivery WHERE status = 'pending' AND next_at <= ? AND url NOT IN (SELECT value FROM json_each(?))
      GROUP BY url ORDER BY min(next_at) LIMIT ?`);
    this.#claim = db.prepare('UPDATE delivery SET attempts = attempts + 1, facts = ?, next_at = ? WHERE id = ?');
    this.#get = db.prepare('SELECT * FROM delivery WHERE id = ?');
    this.#settle = db.prepare(
      'UPDATE delivery SET status = ?, next_at = ?, settled_at = ?, status_code = ?, error = ? WHERE id = ?',
    );
    this.#endOthers = db.prepare(
      "UPDATE delivery SET status = 'failed', next_at = NULL, settled_at = ?, error = ? WHERE job = ? AND status = 'pending'",
    );
    this.#replay = db.prepare(
      "UPDATE delivery SET status = 'pending', attempts = 0, next_at = ?, settled_at = NULL WHERE id = ?",
    );
  }

  claim({ max, busyUrls }: { readonly max: number; readonly busyUrls: readonly string[] }, now: number): DueDelivery[] {
    const due: DueDelivery[] = [];
    for (const row of this.#due.all(now, JSON.stringify(busyUrls), max)) {
      const job = this.#jobs.get(row.job);
      if (!job) throw new Error(`delivery ${row.id} has no job`);
      const facts = row.facts === null ? this.#factsOf(job, row) : (JSON.parse(row.facts) as DeliveryFacts);
      this.#claim.run(JSON.stringify(facts), now + claimMs, row.id);
      const { id, url, event, created_at: createdAt, attempts } = row;
      due.push({ id, jobId: job.id, org: job.org, url, event, createdAt, attempts: attempts + 1, facts });
    }
    return due;
  }

  settle(id: number, result: DeliveryResult, now: number): void {
    const row = this.#get.get(id);
    if (row?.status !== 'pending') return;
    const job = this.#jobs.get(row.job);
    if (result.kind === 'delivered') {
      this.#settle.run('delivered', null, now, result.statusCode, null, id);
      return;
    }
    const { message, statusCode } = result;
    if (job)
      this.#noteFail(job, { at: now, event: row.event, message, ...(statusCode !== undefined && { statusCode }) });
    const retryAt = result.kind === 'gone' ? null : result.retryAt;
    const isOver = retryAt === null;
    this.#settle.run(isOver ? 'failed' : 'pending', retryAt, isOver ? now : null, statusCode ?? null, message, id);
    if (result.kind !== 'gone' || !job) return;
    this.#endOthers.run(now, message, row.job);
    job.webhook_state = 'gone';
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

  /** How the job stands now. An event of progress tells of all pages up to here. */
  #factsOf(job: JobRow, { event }: DeliveryRow): DeliveryFacts {
    const { status, queued, in_flight: inFlight, scraped, discarded, failed, finished_at: finishedAt } = job;
    const facts = { status, progress: { queued, inFlight, scraped, discarded, failed }, finishedAt };
    if (event !== 'job.progress') return facts;
    const pages = { from: job.webhook_page + 1, to: scraped };
    job.webhook_page = scraped;
    job.webhook_open = 0;
    this.#jobs.touch(job);
    return { ...facts, pages };
  }

  #noteFail(job: JobRow, fail: WebhookFail): void {
    const fails = [...(JSON.parse(job.webhook_fails) as WebhookFail[]), fail].slice(-failsShown);
    job.webhook_fails = JSON.stringify(fails);
    this.#jobs.touch(job);
  }
}
