import { failPoint } from '../../core/fail-point.ts';
import { hasEnded, type Job } from '../../core/job.ts';
import type { Link, RequestKind } from '../../core/request.ts';
import type { Idempotency, NewJob, RetryJob, RetryRefusal } from '../../core/stores.ts';
import { jobOf } from '../rules/job-of-row.ts';
import { endIfDone, endJob, endStatus, type JobRow, jobRowOf, type StoredJobRow } from '../rules/job-row.ts';
import { Ledger, linkOf } from '../rules/ledger.ts';
import {
  columnsOf,
  type FailedUrls,
  idempotencyKeptMs,
  retryOf,
  type StoredJob,
  whyNoRetry,
} from '../rules/new-jobs.ts';
import { SeenUrls } from '../rules/seen-urls.ts';
import { change } from './change.ts';
import type { Transaction } from './connections.ts';
import type { StoreParts } from './parts.ts';
import { addLinks, Keys } from './read-rows.ts';
import { nowSql } from './schema.ts';
import type { WorkingSet } from './working-set.ts';

const overduePerStep = 100;
/** Of each table, removed in one step. */
const rowsPerStep = 2_000;
/** The tables that a job's results are removed from, with what is its key beside the job. */
const keysOfTables = { page: 'page', body: 'page', page_key: 'key', ended_template: 'template', ledger: 'id' };
/** After they were delivered or given up. */
const deliveriesKeptMs = 30 * 24 * 3600 * 1000;
/** Two numbers make the key of an advisory lock: this one, and that of the org. */
const orgLock = 834_022;

interface FailedRow {
  readonly kind: RequestKind;
  readonly url: string;
  readonly key: string;
  readonly depth: number;
}

interface Links {
  readonly kind: RequestKind;
  readonly links: readonly Link[];
}

interface Repeatable {
  /** Of the job to be made. */
  readonly id: string;
  readonly createdAt: number;
  readonly idempotency?: Idempotency;
}

/** Creating, cancelling and deleting jobs, and removing what nobody can read any more. */
export class JobWrites {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async create(job: NewJob): Promise<Job | 'conflict' | 'too_many'> {
    const links: Links[] = [
      { kind: 'page', links: job.startLinks },
      { kind: 'origin', links: job.origins },
    ];
    await this.#learnHosts(links);
    return change(this.#parts, async (set, tx) => {
      await this.#lockOrg(tx, job.org);
      const known = await this.#madeBefore(tx, job.org, job);
      if (known) return known;
      if (await this.#hasTooMany(tx, job.org, job.unfinishedMax)) return 'too_many';
      const row = await this.#add(set, tx, job, null, links);
      endIfDone(row, job.createdAt);
      rememberKey(tx, row, job);
      return jobOf(row);
    });
  }

  async retry(org: string, id: string, retry: RetryJob): Promise<Job | RetryRefusal> {
    const { connections } = this.#parts;
    // An ended job never changes again, so this may be read beforehand.
    const [stored] = await connections.query<StoredJobRow>('SELECT * FROM job WHERE id = $1', [id]);
    const earlier = stored && jobRowOf(stored);
    const refusal = whyNoRetry(earlier, org, retry.createdAt);
    return change(this.#parts, async (set, tx) => {
      await this.#lockOrg(tx, org);
      const known = await this.#madeBefore(tx, org, retry);
      if (known) return known;
      if (!earlier || refusal) return refusal ?? 'unknown';
      if (await this.#hasTooMany(tx, org, retry.unfinishedMax)) return 'too_many';
      const [retries] = await tx.query<{ jobs: number }>(
        'SELECT count(*) AS jobs FROM job WHERE org = $1 AND retry_of = $2',
        [org, id],
      );
      const { job, failed } = retryOf(earlier, retry, retries?.jobs ?? 0);
      const links = await this.#failedLinks(tx, earlier, failed);
      await this.#learnHosts(links);
      const row = await this.#add(set, tx, job, earlier, links);
      endIfDone(row, retry.createdAt);
      rememberKey(tx, row, retry);
      return jobOf(row);
    });
  }

  cancel(org: string, id: string, now: number): Promise<Job | undefined> {
    return this.#change(org, id, (row) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
    });
  }

  delete(org: string, id: string, now: number): Promise<Job | undefined> {
    return this.#change(org, id, (row) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
      row.results_gone_at = Math.min(row.results_gone_at ?? now, now);
    });
  }

  /** Ends jobs whose time limit is over, then removes one step of what nobody can read any more. Answers whether more is left. */
  async sweep(now: number): Promise<boolean> {
    return (await this.#endOverdue(now)) || (await this.#sweepStep(now));
  }

  async #endOverdue(now: number): Promise<boolean> {
    const { connections, facts } = this.#parts;
    const overdue = await connections.query<{ seq: number }>(
      'SELECT seq FROM job WHERE finished_at IS NULL AND ends_by IS NOT NULL AND ends_by <= $1 LIMIT $2',
      [now, overduePerStep],
    );
    if (overdue.length === 0) return false;
    const jobs = overdue.map(({ seq }) => seq);
    await facts.learnSeqs(jobs);
    await change(this.#parts, async (set) => {
      await set.read({ jobs });
      for (const seq of jobs) {
        const row = set.get(seq);
        if (!row || hasEnded(row.status)) continue;
        endJob(row, endStatus(row), 'time_limit', now);
        set.touch(row);
      }
    });
    return true;
  }

  async #sweepStep(now: number): Promise<boolean> {
    const { connections } = this.#parts;
    await connections.query('DELETE FROM idempotency WHERE created_at <= $1', [now - idempotencyKeptMs]);
    await connections.query(
      'DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE settled_at <= $1 LIMIT $2)',
      [now - deliveriesKeptMs, rowsPerStep],
    );
    return connections.transaction(async (tx) => {
      // Several processes sweep, each another job.
      const [job] = await tx.query<{ seq: number }>(
        `SELECT seq FROM job WHERE results_gone_at <= $1 AND results_gone_at IS NOT NULL AND NOT swept
         ORDER BY results_gone_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
        [now],
      );
      if (!job) return false;
      let removed = 0;
      for (const [table, key] of Object.entries(keysOfTables)) {
        const of = table === 'ledger' ? 'SELECT ctid, id FROM ledger' : `SELECT ctid FROM ${table}`;
        // In the order of the index, so that neither another job's rows are read nor all of this one's.
        const some = `gone AS (${of} WHERE job = $1 ORDER BY job, ${key} LIMIT ${rowsPerStep})`;
        // A URL that was never taken is in the frontier still.
        const sql =
          table === 'ledger'
            ? `WITH ${some}, unqueued AS (DELETE FROM frontier WHERE id IN (SELECT id FROM gone)) DELETE FROM ledger WHERE ctid IN (SELECT ctid FROM gone)`
            : `WITH ${some} DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM gone)`;
        removed += await tx.run(sql, [job.seq]);
      }
      failPoint('sweep.writing');
      if (removed === 0) tx.send('UPDATE job SET swept = true WHERE seq = $1', [job.seq]);
      return true;
    });
  }

  async #add(
    set: WorkingSet,
    tx: Transaction,
    job: StoredJob,
    repeats: JobRow | null,
    links: readonly Links[],
  ): Promise<JobRow> {
    const { facts } = this.#parts;
    const columns = columnsOf(job, repeats?.id ?? null);
    const names = Object.keys(columns);
    const [made] = await tx.query<{ seq: number }>(
      `INSERT INTO job (status, ${names.join(', ')}) VALUES ('starting', ${names.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING seq`,
      Object.values(columns),
    );
    if (!made) throw new Error(`job ${job.id} was not stored`);
    if (repeats) await facts.learn([repeats.id]);
    const earlier = repeats ? [repeats.seq, ...(facts.of(repeats.id)?.earlier ?? [])] : [];
    const known = { seq: made.seq, earlier, hasWebhook: job.webhookUrl !== undefined };
    facts.note(job.id, known);
    if (Object.keys(job.headers).length > 0) {
      tx.send('INSERT INTO job_headers (job, headers) VALUES ($1, $2)', [made.seq, JSON.stringify(job.headers)]);
    }
    failPoint(repeats ? 'retry.writing' : 'create.writing');
    const urls = new Keys();
    for (const { kind, links: some } of links) addLinks(urls, known, kind, some, undefined);
    await set.read({ jobs: [made.seq], urls });
    const row = set.get(made.seq);
    if (!row) throw new Error(`job ${job.id} was not stored`);
    const ledger = new Ledger(set, new SeenUrls());
    // Not later than now, even where the clock of who asks is ahead.
    const dueAt = repeats ? set.now : Math.min(job.createdAt, set.now);
    for (const { kind, links: some } of links) ledger.add(row, some, kind, null, dueAt);
    set.touch(row);
    return row;
  }

  /** Some of the URLs, and all sitemaps, that failed in a job. */
  async #failedLinks(tx: Transaction, { seq }: JobRow, { from, max }: FailedUrls): Promise<Links[]> {
    const columns = "SELECT kind, url, key, depth FROM ledger WHERE job = $1 AND state = 'failed'";
    const pages = await tx.query<FailedRow>(`${columns} AND kind = 'page' ORDER BY id LIMIT $2 OFFSET $3`, [
      seq,
      max,
      from,
    ]);
    const control = await tx.query<FailedRow>(`${columns} AND kind <> 'page' ORDER BY id`, [seq]);
    return [
      { kind: 'page', links: pages.map(linkOf) },
      ...control.map((row): Links => ({ kind: row.kind, links: [linkOf(row)] })),
    ];
  }

  #learnHosts(links: readonly Links[]): Promise<void> {
    return this.#parts.hosts.learn(links.flatMap(({ links: some }) => some.map(({ host }) => host)));
  }

  /** Jobs of one org are created one after the other, so that its limit and its idempotency keys hold. */
  async #lockOrg(tx: Transaction, org: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [orgLock, org]);
  }

  /** What the same request was answered before. */
  async #madeBefore(tx: Transaction, org: string, request: Repeatable): Promise<Job | 'conflict' | undefined> {
    const { id, createdAt, idempotency } = request;
    // Sent twice, since the first answer got lost on its way.
    const [sent] = await tx.query<StoredJobRow>('SELECT * FROM job WHERE id = $1', [id]);
    if (sent) return jobOf(jobRowOf(sent));
    if (!idempotency) return undefined;
    const [earlier] = await tx.query<StoredJobRow & { readonly body_hash: string }>(
      'SELECT i.body_hash, j.* FROM idempotency i JOIN job j ON j.seq = i.job WHERE i.org = $1 AND i.key = $2 AND i.created_at > $3',
      [org, idempotency.key, createdAt - idempotencyKeptMs],
    );
    if (!earlier) return undefined;
    return earlier.body_hash === idempotency.bodyHash ? jobOf(jobRowOf(earlier)) : 'conflict';
  }

  async #hasTooMany(tx: Transaction, org: string, unfinishedMax: number | undefined): Promise<boolean> {
    if (unfinishedMax === undefined) return false;
    const [row] = await tx.query<{ jobs: number }>(
      'SELECT count(*) AS jobs FROM job WHERE org = $1 AND finished_at IS NULL',
      [org],
    );
    return (row?.jobs ?? 0) >= unfinishedMax;
  }

  async #change(org: string, id: string, apply: (row: JobRow) => void): Promise<Job | undefined> {
    const { facts } = this.#parts;
    await facts.learn([id]);
    const known = facts.of(id);
    if (!known) return undefined;
    return change(this.#parts, async (set) => {
      await set.read({ jobs: [known.seq] });
      const row = set.get(known.seq);
      if (!row || row.org !== org) return undefined;
      apply(row);
      set.touch(row);
      return jobOf(row);
    });
  }
}

function rememberKey(tx: Transaction, { org, seq }: JobRow, { idempotency, createdAt }: Repeatable): void {
  if (!idempotency) return;
  tx.send(
    `INSERT INTO idempotency (org, key, body_hash, job, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (org, key) DO UPDATE SET body_hash = excluded.body_hash, job = excluded.job, created_at = excluded.created_at`,
    [org, idempotency.key, idempotency.bodyHash, seq, createdAt],
  );
}

export const pingSql = `INSERT INTO setting (name, value) VALUES ('ping', convert_to((${nowSql})::text, 'UTF8'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
