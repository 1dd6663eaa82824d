import type { Database, Statement } from './database.ts';
import type { Job } from '../../core/job.ts';
import { hasEnded } from '../../core/job.ts';
import type { NewJob } from '../../core/stores.ts';
import type { JobRow, JobRows } from './job-rows.ts';
import { endIfDone, endJob, jobOf } from './job-rows.ts';
import type { Ledger } from './ledger.ts';

const idempotencyKeptMs = 24 * 3600 * 1000;

/** Creating, cancelling and deleting jobs. Every method runs inside a transaction of the writer. */
export class JobWrites {
  readonly #jobs: JobRows;
  readonly #ledger: Ledger;
  readonly #addHeaders: Statement<[number, string]>;
  readonly #insert: Statement<[Record<string, string | number>]>;
  readonly #earlier: Statement<[string, string, number], { body_hash: string; job: number }>;
  readonly #remember: Statement<[string, string, string, number, number]>;

  constructor(db: Database, jobs: JobRows, ledger: Ledger) {
    this.#jobs = jobs;
    this.#ledger = ledger;
    this.#insert = db.prepare(`
      INSERT INTO job (id, org, status, spec, scope_hosts, created_at, page_limit, fetch_limit, notices)
      VALUES (@id, @org, 'starting', @spec, @scopeHosts, @createdAt, @pageLimit, @fetchLimit, @notices)`);
    this.#addHeaders = db.prepare('INSERT INTO job_headers (job, headers) VALUES (?, ?)');
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
    const { lastInsertRowid } = this.#insert.run({
      id: job.id,
      org: job.org,
      spec: JSON.stringify(job.spec),
      scopeHosts: JSON.stringify(job.scopeHosts),
      createdAt: job.createdAt,
      pageLimit: job.spec.pageLimit,
      fetchLimit: job.spec.fetchLimit,
      notices: JSON.stringify(job.notices),
    });
    const row = this.#jobs.get(lastInsertRowid);
    if (!row) throw new Error(`job ${job.id} was not stored`);
    if (Object.keys(job.headers).length > 0) this.#addHeaders.run(row.seq, JSON.stringify(job.headers));
    this.#ledger.add(row, job.startLinks, 'page', null, job.createdAt);
    this.#ledger.add(row, job.origins, 'origin', null, job.createdAt);
    this.#jobs.touch(row);
    endIfDone(row, job.createdAt);
    if (idempotency) this.#remember.run(job.org, idempotency.key, idempotency.bodyHash, row.seq, job.createdAt);
    return jobOf(row);
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

  #change(org: string, id: string, change: (row: JobRow) => void): Job | undefined {
    const row = this.#jobs.getById(id);
    if (!row || row.org !== org) return undefined;
    change(row);
    this.#jobs.touch(row);
    return jobOf(row);
  }
}
