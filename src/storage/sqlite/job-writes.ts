import type { Database, Statement } from './database.ts';
import { monotonicNow } from '../../core/monotonic-time.ts';
import { failPoint } from '../../core/fail-point.ts';
import type { Job, JobNotice } from '../../core/job.ts';
import { hasEnded } from '../../core/job.ts';
import type { NewJob, RetryJob, RetryRefusal } from '../../core/stores.ts';
import type { JobRow, JobRows } from './job-rows.ts';
import { endIfDone, endJob, endStatus, jobOf, jobSpecOf } from './job-rows.ts';
import type { Ledger } from './ledger.ts';

const idempotencyKeptMs = 24 * 3600 * 1000;
/** More would keep everything else that writes waiting: about a second. */
const failedUrlsMax = 100_000;
const overduePerStep = 100;
/** What is true of every job with the same options. */
const noticesOfSpec: ReadonlySet<string> = new Set(['browser_not_supported', 'robots_ignored']);

/** Creating, cancelling and deleting jobs. Every method runs inside a transaction of the writer. */
export class JobWrites {
  readonly #jobs: JobRows;
  readonly #ledger: Ledger;
  readonly #addHeaders: Statement<[number, string]>;
  readonly #insert: Statement<[Record<string, string | number | null>]>;
  readonly #unfinished: Statement<[string], { jobs: number }>;
  readonly #retries: Statement<[string, string], { jobs: number }>;
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
    this.#unfinished = db.prepare('SELECT count(*) AS jobs FROM job WHERE org = ? AND finished_at IS NULL');
    this.#retries = db.prepare('SELECT count(*) AS jobs FROM job WHERE org = ? AND retry_of = ?');
    this.#overdue = db.prepare(
      'SELECT seq FROM job WHERE finished_at IS NULL AND ends_by IS NOT NULL AND ends_by <= ? LIMIT ?',
    );
    this.#earlier = db.prepare('SELECT body_hash, job FROM idempotency WHERE org = ? AND key = ? AND created_at > ?');
    this.#remember = db.prepare(
      'INSERT OR REPLACE INTO idempotency (org, key, body_hash, job, created_at) VALUES (?, ?, ?, ?, ?)',
    );
  }

  create(job: NewJob): Job | 'conflict' | 'too_many' {
    const { idempotency } = job;
    if (idempotency) {
      const earlier = this.#earlier.get(job.org, idempotency.key, job.createdAt - idempotencyKeptMs);
      if (earlier && earlier.body_hash !== idempotency.bodyHash) return 'conflict';
      const row = earlier && this.#jobs.get(earlier.job);
      if (row) return jobOf(row);
    }
    if (this.#hasTooMany(job.org, job.unfinishedMax)) return 'too_many';
    const row = this.#add(job, null);
    // Not later than now, even where the clock was set forward.
    const dueAt = Math.min(job.createdAt, monotonicNow());
    failPoint('create.writing');
    this.#ledger.add(row, job.startLinks, 'page', null, dueAt);
    this.#ledger.add(row, job.origins, 'origin', null, dueAt);
    this.#jobs.touch(row);
    endIfDone(row, job.createdAt);
    if (idempotency) this.#remember.run(job.org, idempotency.key, idempotency.bodyHash, row.seq, job.createdAt);
    return jobOf(row);
  }

  retry(org: string, id: string, { webhookUrl, unfinishedMax, ...retry }: RetryJob): Job | RetryRefusal {
    const earlier = this.#jobs.getById(id);
    if (!earlier || earlier.org !== org) return 'unknown';
    if (!hasEnded(earlier.status)) return 'running';
    if (earlier.results_gone_at !== null && earlier.results_gone_at <= retry.createdAt) return 'expired';
    if (earlier.failed === 0) return 'nothing_failed';
    if (this.#hasTooMany(org, unfinishedMax)) return 'too_many';
    const notices = (JSON.parse(earlier.notices) as JobNotice[])
      .filter(({ code }) => noticesOfSpec.has(code))
      .map(({ code, message }) => ({ code, message, at: retry.createdAt }));
    const failed = { from: this.#failedBefore(earlier), max: failedUrlsMax };
    if (earlier.failed > failed.max) {
      const [first, last] = [failed.from + 1, Math.min(failed.from + failed.max, earlier.failed)];
      const message = `At most ${spell(failed.max)} URLs are crawled again at a time: of ${spell(earlier.failed)} that failed, these are ${spell(first)} to ${spell(last)}. Retry the same job again for the next.`;
      notices.push({ code: 'retry_partial', message, at: retry.createdAt });
    }
    const row = this.#add(
      {
        ...retry,
        org,
        spec: jobSpecOf(earlier),
        scopeHosts: JSON.parse(earlier.scope_hosts) as string[],
        notices,
        ...(webhookUrl !== undefined && { webhookUrl }),
      },
      earlier.id,
    );
    failPoint('retry.writing');
    this.#ledger.addFailed(row, earlier, failed, monotonicNow());
    this.#jobs.touch(row);
    endIfDone(row, retry.createdAt);
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

  /** Each retry of a job takes the next of its failed URLs, where there are too many for one. */
  #failedBefore({ org, id, failed }: JobRow): number {
    if (failed <= failedUrlsMax) return 0;
    const retries = this.#retries.get(org, id)?.jobs ?? 0;
    return (retries % Math.ceil(failed / failedUrlsMax)) * failedUrlsMax;
  }

  #hasTooMany(org: string, unfinishedMax: number | undefined): boolean {
    if (unfinishedMax === undefined) return false;
    const count = (): number => this.#unfinished.get(org)?.jobs ?? 0;
    if (count() < unfinishedMax) return false;
    // Jobs that ended in this transaction may not be written yet.
    this.#jobs.save();
    return count() >= unfinishedMax;
  }

  #add(job: Omit<NewJob, 'startLinks' | 'origins' | 'idempotency' | 'unfinishedMax'>, retryOf: string | null): JobRow {
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

function spell(count: number): string {
  return count.toLocaleString('en');
}
