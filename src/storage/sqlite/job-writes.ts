import type { Database, Statement } from './database.ts';
import type { Job } from '../../core/job.ts';
import { hasEnded } from '../../core/job.ts';
import type { NewJob, RetryJob, RetryRefusal } from '../../core/stores.ts';
import type { JobRow, JobRows } from './job-rows.ts';
import { endIfDone, endJob, endStatus, jobOf, jobSpecOf } from './job-rows.ts';
import type { Ledger } from './ledger.ts';

const idempotencyKeptMs = 24 * 3600 * 1000;
/** More would keep everything else that writes waiting: about a second. */
const failedUrlsMax = 100_000;
const overduePerStep = 100;

/** Creating, cancelling and deleting jobs. Every method runs inside a transaction of the writer. */
export class JobWrites {
  readonly #jobs: JobRows;
  readonly #ledger: Ledger;
  readonly #addHeaders: Statement<[number, string]>;
  readonly #insert: Statement<[Record<string, string | number | null>]>;
  readonly #overdue: Statement<[number, number], { seq: number }>;
  readonly #earlier: Statement<[string, string, number], { body_hash: string; job: number }>;
  readonly #remember: Statement<[string, string, string, number, number]>;

  constructor(db: Database, jobs: JobRows, ledger: Ledger) {
    this.#jobs = jobs;
    this.#ledger = ledger;
    this.#insert = db.prepare(`
      INSERT INTO job (id, org, status, spec, scope_hosts, created_at, ends_by, page_limit, fetch_limit, notices, webhook_url, retry_of)
      VALUES (@id, @org, 'starting', @spec, @scopeHosts, @createdAt, @endsBy, @pageLimit, @fetchLimit, @notices, @webhookUrl, @retryOf)`);
    this.#addHeaders = db.prepare('INSERT INTO job_headers (job, headers) VALUES (?, ?)');
    this.#overdue = db.prepare(
      'SELECT seq FROM job WHERE finished_at IS NULL AND ends_by IS NOT NULL AND ends_by <= ? LIMIT ?',
    );
    this.#earlier = db.prepare('SELECT body_hash, job FROM idempotency WHERE org = ? AND key = ? AND created_at > ?');
    this.#remember = db.prepare(
      'INSERT OR REPLACE INTO idempotency (org, key, body_hash, job, created_at) VALUES (?, ?, ?, ?, ?)',
    );
  }

  create(job: NewJob): Job | 'conflict' {
    const { idempotency } = job;
    if (idempotency) {
      const earlier = this.#earlier.get(job.org, idempotency.key, job.createdAt - idempotencyKeptMs);
      if (earlier && earlier.body_hash !== idempotency.bodyHash) return 'conflict';
      const row = earlier && this.#jobs.get(earlier.job);
      if (row) return jobOf(row);
    }
    const row = this.#add(job, null);
    this.#ledger.add(row, job.startLinks, 'page', null, job.createdAt);
    this.#ledger.add(row, job.origins, 'origin', null, job.createdAt);
    this.#jobs.touch(row);
    endIfDone(row, job.createdAt);
    if (idempotency) this.#remember.run(job.org, idempotency.key, idempotency.bodyHash, row.seq, job.createdAt);
    return jobOf(row);
  }

  retry(org: string, id: string, { webhookUrl, ...retry }: RetryJob): Job | RetryRefusal {
    const earlier = this.#jobs.getById(id);
    if (!earlier || earlier.org !== org) return 'unknown';
    if (!hasEnded(earlier.status)) return 'running';
    if (earlier.results_gone_at !== null && earlier.results_gone_at <= retry.createdAt) return 'expired';
    if (earlier.failed === 0) return 'nothing_failed';
    const message = `At most ${failedUrlsMax.toLocaleString('en')} URLs are crawled again at a time. Retry the same job again for the others.`;
    const row = this.#add(
      {
        ...retry,
        org,
        spec: jobSpecOf(earlier),
        scopeHosts: JSON.parse(earlier.scope_hosts) as string[],
        notices: earlier.failed > failedUrlsMax ? [{ code: 'retry_partial', message, at: retry.createdAt }] : [],
        ...(webhookUrl !== undefined && { webhookUrl }),
      },
      earlier.id,
    );
    this.#ledger.addFailed(row, earlier, failedUrlsMax, retry.createdAt);
    this.#jobs.touch(row);
    return jobOf(row);
  }

  /** Ends some of the jobs whose time limit is over. Answers whether there were any. */
  endOverdue(now: number): boolean {
    const overdue = this.#overdue.all(now, overduePerStep);
    for (const { seq } of overdue) {
      const row = this.#jobs.get(seq);
      if (!row || hasEnded(row.status)) continue;
      endJob(row, endStatus(row), 'time_limit', now);
      this.#jobs.touch(row);
    }
    return overdue.length > 0;
  }

  cancel(org: string, id: string, now: number): Job | undefined {
    return this.#change(org, id, (row) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
    });
  }

  delete(org: string, id: string, now: number): Job | undefined {
    return this.#change(org, id, (row) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
      row.results_gone_at = Math.min(row.results_gone_at ?? now, now);
    });
  }

  #add(job: Omit<NewJob, 'startLinks' | 'origins' | 'idempotency'>, retryOf: string | null): JobRow {
    const { lastInsertRowid } = this.#insert.run({
      id: job.id,
      org: job.org,
      spec: JSON.stringify(job.spec),
      scopeHosts: JSON.stringify(job.scopeHosts),
      createdAt: job.createdAt,
      endsBy: job.createdAt + job.spec.timeLimitSeconds * 1000,
      pageLimit: job.spec.pageLimit,
      fetchLimit: job.spec.fetchLimit,
      notices: JSON.stringify(job.notices),
      webhookUrl: job.webhookUrl ?? null,
      retryOf,
    });
    const row = this.#jobs.get(lastInsertRowid);
    if (!row) throw new Error(`job ${job.id} was not stored`);
    if (Object.keys(job.headers).length > 0) this.#addHeaders.run(row.seq, JSON.stringify(job.headers));
    return row;
  }

  #change(org: string, id: string, change: (row: JobRow) => void): Job | undefined {
    const row = this.#jobs.getById(id);
    if (!row || row.org !== org) return undefined;
    change(row);
    this.#jobs.touch(row);
    return jobOf(row);
  }
}
