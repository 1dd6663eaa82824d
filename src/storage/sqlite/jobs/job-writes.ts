import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded, type JobNotice } from '../../../core/job.ts';
import type { RequestKind } from '../../../core/request.ts';
import type { Expiry, ExpiryRefusal, Idempotency, NewJob, RetryJob, RetryRefusal } from '../../../core/ports/stores.ts';
import {
  addFirstNotice,
  areResultsGone,
  type JobRow,
  noteNetworks,
  setExpiry,
  stopJob,
} from '../../rules/jobs/job-row.ts';
import { acceptDoubted } from '../../shared/remove-gone.ts';
import { runSteps } from '../file/run-steps.ts';
import { deleteResults, endIfDone, endJob, endStatus, retireResults } from '../../rules/jobs/job-end.ts';
import { beginReextraction } from '../../rules/frontier/reextracting.ts';
import { type Ledger, linkOf } from '../../rules/frontier/ledger.ts';
import {
  columnsOf,
  type FailedUrls,
  idempotencyKeptMs,
  madeFrom,
  retryOf,
  type StoredJob,
  whyNoRetry,
} from '../../rules/frontier/new-jobs.ts';
import type { Database, Statement } from '../file/database.ts';
import type { JobRows } from './job-rows.ts';

const overduePerStep = 100;

interface FailedRow {
  readonly kind: RequestKind;
  readonly url: string;
  readonly key: string;
  readonly depth: number;
}

interface Repeatable {
  readonly createdAt: number;
  readonly idempotency?: Idempotency;
}

/** Creates, cancels and deletes jobs. Every method runs inside a transaction of the writer. */
export class JobWrites {
  readonly #db: Database;
  readonly #jobs: JobRows;
  readonly #ledger: Ledger;
  readonly #addHeaders: Statement<[number, string]>;
  readonly #insert: Statement<[Readonly<Record<string, string | number | null>>]>;
  readonly #newerRun: Statement<[string, number]>;
  readonly #copyTemplates: Statement<[number, number]>;
  readonly #unfinished: Statement<[string], { jobs: number }>;
  readonly #retries: Statement<[string, string], { jobs: number }>;
  readonly #failedPages: Statement<[number, number, number], FailedRow>;
  readonly #failedControl: Statement<[number], FailedRow>;
  readonly #overdue: Statement<[number, number], { seq: number }>;
  readonly #earlier: Statement<[string, string, number], { body_hash: string; job: number }>;
  readonly #remember: Statement<[string, string, string, number, number]>;

  constructor(db: Database, jobs: JobRows, ledger: Ledger) {
    this.#db = db;
    this.#jobs = jobs;
    this.#ledger = ledger;
    this.#insert = db.prepare(`
      INSERT INTO job (id, org, kind, status, spec, scope_hosts, networks, created_at, ends_by, rank, needs_browser, page_limit, fetch_limit, output_expiry, notices, webhook_url, retry_of, family, schedule, since, seeded, only_changed, revisits, tally)
      VALUES (@id, @org, @kind, 'starting', @spec, @scope_hosts, @networks, @created_at, @ends_by, @rank, @needs_browser, @page_limit, @fetch_limit, @output_expiry, @notices, @webhook_url, @retry_of, @family, @schedule, @since, @seeded, @only_changed, @revisits, @tally)`);
    this.#addHeaders = db.prepare('INSERT INTO job_headers (job, headers) VALUES (?, ?)');
    this.#newerRun = db.prepare('SELECT 1 FROM job WHERE schedule = ? AND seq > ? LIMIT 1');
    this.#copyTemplates = db.prepare(
      'INSERT INTO ended_template (job, template) SELECT ?, template FROM ended_template WHERE job = ?',
    );
    this.#unfinished = db.prepare('SELECT count(*) AS jobs FROM job WHERE org = ? AND finished_at IS NULL');
    this.#retries = db.prepare('SELECT count(*) AS jobs FROM job WHERE org = ? AND retry_of = ?');
    this.#failedPages = db.prepare(
      "SELECT kind, url, key, depth FROM ledger WHERE job = ? AND state = 'failed' AND kind = 'page' ORDER BY id LIMIT ? OFFSET ?",
    );
    // No more rows than a job has sitemaps and origins.
    this.#failedControl = db.prepare(
      "SELECT kind, url, key, depth FROM ledger WHERE job = ? AND state = 'failed' AND kind <> 'page' ORDER BY id",
    );
    this.#overdue = db.prepare(
      'SELECT seq FROM job WHERE finished_at IS NULL AND ends_by IS NOT NULL AND ends_by <= ? LIMIT ?',
    );
    this.#earlier = db.prepare('SELECT body_hash, job FROM idempotency WHERE org = ? AND key = ? AND created_at > ?');
    this.#remember = db.prepare(
      'INSERT OR REPLACE INTO idempotency (org, key, body_hash, job, created_at) VALUES (?, ?, ?, ?, ?)',
    );
  }

  create(job: NewJob): JobRow | 'conflict' | 'too_many' | 'gone' {
    const known = this.#madeBefore(job.org, job);
    if (known) return known;
    if (this.#hasTooMany(job.org, job.unfinishedMax)) return 'too_many';
    const since = job.spec.baseline && this.#jobs.getById(job.spec.baseline.of);
    if (job.spec.baseline && (!since || areResultsGone(since, job.createdAt))) return 'gone';
    const row = this.#add(job, null, since);
    // Not later than now, even if the clock was set forward.
    const dueAt = Math.min(job.createdAt, monotonicNow());
    failPoint('create.writing');
    this.#ledger.add(row, job.startLinks, 'page', null, dueAt);
    this.#ledger.add(row, job.origins, 'origin', null, dueAt);
    // What was a trap is one still: its URLs are not asked again.
    if (since && job.spec.baseline?.isSame === true) this.#copyTemplates.run(row.seq, since.seq);
    this.#jobs.touch(row);
    if (job.spec.reextract) beginReextraction(row);
    endIfDone(row, job.createdAt);
    this.#rememberKey(row, job);
    return row;
  }

  retry(org: string, id: string, retry: RetryJob): JobRow | RetryRefusal {
    const known = this.#madeBefore(org, retry);
    if (known) return known;
    const earlier = this.#jobs.getById(id);
    const refusal = whyNoRetry(earlier, org, retry.createdAt);
    if (!earlier || refusal) return refusal ?? 'unknown';
    if (this.#hasTooMany(org, retry.unfinishedMax)) return 'too_many';
    const { job, failed } = retryOf(earlier, retry, this.#retries.get(org, id)?.jobs ?? 0);
    const row = this.#add(job, earlier.id);
    failPoint('retry.writing');
    this.#addFailed(row, earlier, failed, monotonicNow());
    this.#jobs.touch(row);
    endIfDone(row, retry.createdAt);
    this.#rememberKey(row, retry);
    return row;
  }

  /** Ends some of the jobs that passed their time limit. Returns true if there were any. */
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

  cancel(org: string, id: string, now: number): JobRow | undefined {
    return this.#change(org, id, (row) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
    });
  }

  delete(org: string, id: string, now: number): JobRow | undefined {
    return this.#change(org, id, (row) => deleteResults(row, now));
  }

  retire(org: string, id: string, now: number): JobRow | undefined {
    return this.#change(org, id, (row) => retireResults(row, now));
  }

  setExpiry(org: string, id: string, expiry: Expiry, now: number): JobRow | ExpiryRefusal | undefined {
    let refusal: ExpiryRefusal | undefined;
    const row = this.#change(org, id, (job) => (refusal = setExpiry(job, expiry, now)));
    return row && (refusal ?? row);
  }

  stop(org: string, id: string, now: number): JobRow | undefined {
    return this.#change(org, id, (row) => stopJob(row, now));
  }

  acceptChanges(org: string, id: string): JobRow | 'superseded' | undefined {
    let refusal: 'superseded' | undefined;
    const row = this.#change(org, id, (row) => {
      if (!hasEnded(row.status)) return;
      if (row.schedule !== null && this.#newerRun.get(row.schedule, row.seq)) {
        refusal = 'superseded';
        return;
      }
      runSteps(this.#db, acceptDoubted(row));
    });
    return row && (refusal ?? row);
  }

  /** `wake` makes the hosts of the job available. */
  resume(org: string, id: string, wake: (row: JobRow) => void): JobRow | undefined {
    return this.#change(org, id, (row) => {
      if (row.stopped_at === null) return;
      row.stopped_at = null;
      wake(row);
    });
  }

  addNotice(id: string, notice: JobNotice): void {
    const row = this.#jobs.getById(id);
    if (row && addFirstNotice(row, notice)) this.#jobs.touch(row);
  }

  noteNetworks(id: string, networks: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const row = this.#jobs.getById(id);
    if (!row) return networks;
    this.#jobs.touch(row);
    return noteNetworks(row, networks);
  }

  /** The earlier result of the same request. */
  #madeBefore(org: string, { idempotency, createdAt }: Repeatable): JobRow | 'conflict' | undefined {
    const earlier = idempotency && this.#earlier.get(org, idempotency.key, createdAt - idempotencyKeptMs);
    if (!earlier) return undefined;
    if (earlier.body_hash !== idempotency.bodyHash) return 'conflict';
    const row = this.#jobs.get(earlier.job);
    return row;
  }

  #rememberKey({ org, seq }: JobRow, { idempotency, createdAt }: Repeatable): void {
    if (idempotency) this.#remember.run(org, idempotency.key, idempotency.bodyHash, seq, createdAt);
  }

  #hasTooMany(org: string, unfinishedMax: number | undefined): boolean {
    if (unfinishedMax === undefined) return false;
    const count = (): number => this.#unfinished.get(org)?.jobs ?? 0;
    if (count() < unfinishedMax) return false;
    // Jobs that ended in this transaction can still be unwritten.
    this.#jobs.save();
    return count() >= unfinishedMax;
  }

  /** Queues what failed in another job: a range of its URLs, and all its sitemaps. */
  #addFailed(job: JobRow, earlier: JobRow, urls: FailedUrls, now: number): void {
    this.#ledger.add(job, this.#failedPages.all(earlier.seq, urls.max, urls.from).map(linkOf), 'page', null, now);
    for (const row of this.#failedControl.all(earlier.seq)) this.#ledger.add(job, [linkOf(row)], row.kind, null, now);
  }

  #add(job: StoredJob, repeats: string | null, since?: JobRow): JobRow {
    const from = madeFrom(job, repeats);
    const parent = from === undefined ? undefined : this.#jobs.getById(from);
    const { lastInsertRowid } = this.#insert.run(columnsOf(job, repeats, parent, since));
    const row = this.#jobs.get(lastInsertRowid);
    if (!row) throw new Error(`job ${job.id} was not stored`);
    if (Object.keys(job.headers).length > 0) this.#addHeaders.run(row.seq, JSON.stringify(job.headers));
    return row;
  }

  #change(org: string, id: string, change: (row: JobRow) => void): JobRow | undefined {
    const row = this.#jobs.getById(id);
    if (!row || row.org !== org) return undefined;
    change(row);
    this.#jobs.touch(row);
    return row;
  }
}
