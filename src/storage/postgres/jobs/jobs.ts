import { ExitError, exitCodes } from '../../../core/errors.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { hasEnded, type Job, type JobNotice } from '../../../core/job.ts';
import type { Link, RequestKind } from '../../../core/request.ts';
import type { Erased, Erasure, ErasureRefusal } from '../../../core/ports/erasures.ts';
import type { SeededUrls } from '../../../core/ports/baselines.ts';
import type { NewRun, RunRefusal } from '../../../core/ports/schedules.ts';
import type { ExtractedPage } from '../../../core/ports/reextractions.ts';
import type {
  Expiry,
  ExpiryRefusal,
  Idempotency,
  NewJob,
  RetryJob,
  RetryRefusal,
  Swept,
} from '../../../core/ports/stores.ts';
import { jobOf } from '../../rules/jobs/job-of-row.ts';
import {
  addFirstNotice,
  type JobRow,
  jobRowOf,
  setExpiry,
  stopJob,
  type StoredJobRow,
} from '../../rules/jobs/job-row.ts';
import { acceptDoubted } from '../../shared/remove-gone.ts';
import { deleteResults, retireResults, endIfDone, endJob, endStatus } from '../../rules/jobs/job-end.ts';
import { addExtracted, beginReextraction } from '../../rules/frontier/reextracting.ts';
import { addSeeds } from '../../rules/frontier/seeding.ts';
import { Ledger, linkOf } from '../../rules/frontier/ledger.ts';
import {
  columnsOf,
  type FailedUrls,
  idempotencyKeptMs,
  madeFrom,
  retryOf,
  type StoredJob,
  whyNoRetry,
} from '../../rules/frontier/new-jobs.ts';
import { lineOf } from '../../rules/frontier/lease-turns.ts';
import { SeenUrls } from '../../rules/frontier/seen-urls.ts';
import { change, completeExample } from '../change/change.ts';
import type { Transaction } from '../connection/connections.ts';
import type { StoreParts } from '../change/parts.ts';
import { addLinks, type JobKey } from '../change/read-rows.ts';
import { nowSql } from '../connection/schema.ts';
import { elsewhereOfJobSql, type OpenPages, type ShownRow, shownSql } from './open-pages.ts';
import { runSteps } from '../connection/run-steps.ts';
import { orgLock } from '../../shared/operation.ts';
import { feedOf, mayRun, ran } from '../../shared/schedules.ts';
import type { ScheduleRow } from '../../rules/schedules/schedule-row.ts';
import { Sweeper } from '../../shared/sweeping.ts';
import { timeOf } from '../../shared/operation.ts';
import type { WorkingSet } from '../change/working-set.ts';
import { erasePage, isErasedMeanwhile } from '../../shared/erasing.ts';

const overduePerStep = 100;
/** Rows removed per table in one step. */
const rowsPerStep = 2_000;
/** How long the memory of a host is kept after its last lease. As long as its robots.txt counts. */
const memoryKeptMs = 24 * 3600 * 1000;

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

interface ToAdd {
  readonly job: StoredJob;
  /** The job that it retries. */
  readonly repeats: JobRow | null;
  readonly since?: Pick<JobRow, 'seq' | 'revisits'> | undefined;
  readonly links: readonly Links[];
}

interface Repeatable {
  /** Id of the new job. */
  readonly id: string;
  readonly createdAt: number;
  readonly idempotency?: Idempotency;
}

/** What a job is created with. */
interface CreatedWith<Refusal> {
  /** Returns why the job is not created. */
  before(tx: Transaction): Promise<Refusal | undefined>;
  /** Can change the row of the job. */
  after(tx: Transaction, made: JobRow, now: number): Promise<void>;
}

/** Creates, cancels and deletes jobs, and removes what nobody can read any more. */
export class JobWrites {
  readonly #parts: StoreParts;
  readonly #open: OpenPages;
  readonly #sweeper = new Sweeper(rowsPerStep, (message) => new ExitError(exitCodes.databaseDamaged, message));
  /** `max_connections` of the database; 0 until it is known. */
  #connectionsMax = 0;

  constructor(parts: StoreParts, open: OpenPages) {
    this.#parts = parts;
    this.#open = open;
  }

  create(job: NewJob): Promise<Job | 'conflict' | 'too_many' | 'gone'> {
    return this.#createWith<never>(job);
  }

  /** See `ScheduleStore.run`. */
  async run({ job, work }: NewRun, given?: number): Promise<Job | RunRefusal> {
    let locked: ScheduleRow | undefined;
    const made = await this.#createWith<RunRefusal>(job, {
      before: async (tx) => {
        const schedule = await runSteps(tx, mayRun({ job, ...(work !== undefined && { work }) }), this.#open);
        if (typeof schedule === 'string') return schedule;
        locked = schedule;
        return undefined;
      },
      after: async (tx, row, clock) => {
        if (!locked) throw new Error(`schedule ${job.schedule} is not locked`);
        row.feed = await runSteps(tx, feedOf(locked, row), this.#open);
        failPoint('run.writing');
        await runSteps(tx, ran(locked, work, row.id, given ?? clock), this.#open);
      },
    });
    if (made === 'conflict' || made === 'too_many')
      throw new Error(`a run of schedule ${job.schedule} was refused: ${made}`);
    return made;
  }

  /** `around`: what happens in the same transaction, under its locks. */
  async #createWith<Refusal extends string>(
    job: NewJob,
    around?: CreatedWith<Refusal>,
  ): Promise<Job | Refusal | 'conflict' | 'too_many' | 'gone'> {
    const links: Links[] = [
      { kind: 'page', links: job.startLinks },
      { kind: 'origin', links: job.origins },
    ];
    await this.#learnHosts(links);
    return this.#inOrg<Refusal | 'gone'>(job.org, job, async (set, tx) => {
      const refusal = await around?.before(tx);
      if (refusal !== undefined) return refusal;
      const since = job.spec.baseline && (await lockEarlier(tx, job.spec.baseline.of));
      if (since === 'gone') return 'gone';
      const row = await this.#add(set, tx, { job, repeats: null, since, links });
      // What was a trap is one still: its URLs are not asked again.
      if (since && job.spec.baseline?.isSame === true)
        tx.send(
          'INSERT INTO ended_template (job, template) SELECT $1::bigint, template FROM ended_template WHERE job = $2',
          [row.seq, since.seq],
        );
      if (job.spec.reextract) beginReextraction(row);
      endIfDone(row, job.createdAt);
      rememberKey(tx, row, job);
      await around?.after(tx, row, set.now);
      return jobOf(row, set.now, 0);
    });
  }

  async retry(org: string, id: string, retry: RetryJob): Promise<Job | RetryRefusal> {
    const { connections } = this.#parts;
    // An ended job never changes again, so it can be read before the transaction.
    const [stored] = await connections.query<StoredJobRow & { readonly now: number }>(
      `SELECT *, ${nowSql} AS now FROM job WHERE id = $1`,
      [id],
    );
    const earlier = stored && jobRowOf(stored);
    const refusal = whyNoRetry(earlier, org, stored?.now ?? retry.createdAt);
    const refused = !earlier || refusal ? (refusal ?? 'unknown') : undefined;
    return this.#inOrg(org, { ...retry, refused }, async (set, tx) => {
      if (!earlier) return 'unknown';
      // Each retry takes the next of the job's failed URLs.
      lock(tx, 'alone', JSON.stringify([org, 'retry', id]));
      const [retries] = await tx.query<{ jobs: number }>(
        'SELECT count(*) AS jobs FROM job WHERE org = $1 AND retry_of = $2',
        [org, id],
      );
      const { job, failed } = retryOf(earlier, retry, retries?.jobs ?? 0);
      const links = await this.#failedLinks(tx, earlier, failed);
      await this.#learnHosts(links);
      const row = await this.#add(set, tx, { job, repeats: earlier, links });
      endIfDone(row, retry.createdAt);
      rememberKey(tx, row, retry);
      return jobOf(row, set.now, 0);
    });
  }

  cancel(org: string, id: string, now?: number): Promise<Job | undefined> {
    return this.#change(org, id, now, (row, now) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
    });
  }

  delete(org: string, id: string, now?: number): Promise<Job | undefined> {
    return this.#change(org, id, now, deleteResults);
  }

  retire(org: string, id: string, now?: number): Promise<Job | undefined> {
    return this.#change(org, id, now, retireResults);
  }

  async setExpiry(org: string, id: string, expiry: Expiry, now?: number): Promise<Job | ExpiryRefusal | undefined> {
    let refusal: ExpiryRefusal | undefined;
    const job = await this.#change(org, id, now, (row, at) => {
      refusal = setExpiry(row, expiry, at);
    });
    return job && (refusal ?? job);
  }

  stop(org: string, id: string, now?: number): Promise<Job | undefined> {
    return this.#change(org, id, now, stopJob);
  }

  async acceptChanges(org: string, id: string): Promise<Job | 'superseded' | undefined> {
    let refusal: 'superseded' | undefined;
    const job = await this.#change(org, id, undefined, async (row, _, tx) => {
      refusal = undefined;
      if (!hasEnded(row.status)) return;
      const newer =
        row.schedule === null
          ? []
          : await tx.query('SELECT 1 FROM job WHERE schedule = $1 AND seq > $2 LIMIT 1', [row.schedule, row.seq]);
      if (newer.length > 0) {
        refusal = 'superseded';
        return;
      }
      await runSteps(tx, acceptDoubted(row));
    });
    return job && (refusal ?? job);
  }

  async resume(org: string, id: string): Promise<Job | undefined> {
    const job = await this.#change(org, id, undefined, (row, _, tx) => {
      if (row.stopped_at === null) return;
      row.stopped_at = null;
      wakeHosts(tx, row);
    });
    this.#parts.signals.announce({ jobs: [], haveWork: true, haveEvents: false });
    return job;
  }

  async addSeeds(id: string, urls: SeededUrls): Promise<boolean> {
    await this.#parts.facts.learn([id]);
    const known = this.#parts.facts.of(id);
    if (!known) return false;
    await this.#learnHosts([{ kind: 'page', links: urls.links }]);
    return change(this.#parts, async (set) => {
      const keys: JobKey[] = [];
      addLinks(keys, known, 'page', urls.links, undefined);
      await set.read({ jobs: [known.seq], urls: keys });
      const row = set.get(known.seq);
      const times = { dueAt: set.now, now: set.now };
      if (!row || !addSeeds(new Ledger(set, new SeenUrls()), row, urls, times)) return false;
      set.touch(row);
      return true;
    });
  }

  async addExtracted(id: string, after: number, pages: readonly ExtractedPage[], isLast: boolean): Promise<boolean> {
    await this.#parts.facts.learn([id]);
    const seq = this.#parts.facts.of(id)?.seq;
    if (seq === undefined) return false;
    return change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [seq] });
      const row = set.get(seq);
      if (!row || (await runSteps(tx, isErasedMeanwhile(row, after, pages)))) return false;
      if (!addExtracted(set, row, after, { pages, isLast })) return false;
      set.touch(row);
      return true;
    });
  }

  erase(erasure: Erasure, now?: number): Promise<Erased | ErasureRefusal | undefined> {
    // The server removes what was replaced when it vacuums the tables.
    return this.#parts.connections.transaction((tx) => runSteps(tx, erasePage(erasure, now)));
  }

  async addNotice(id: string, notice: JobNotice): Promise<void> {
    await this.#parts.facts.learn([id]);
    const seq = this.#parts.facts.of(id)?.seq;
    if (seq === undefined) return;
    await change(this.#parts, async (set) => {
      await set.read({ jobs: [seq] });
      const row = set.get(seq);
      if (row && addFirstNotice(row, notice)) set.touch(row);
    });
  }

  /** Ends jobs that passed their time limit, then removes one step of what nobody can read any more. */
  async sweep(given?: number): Promise<Swept> {
    const { connections } = this.#parts;
    const now = await runSteps(connections, timeOf(given));
    if (await this.#endOverdue(now)) return { more: true };
    const { deleteUpTo, aheadMs } = await runSteps(connections, this.#sweeper.judge(now));
    await runSteps(connections, this.#sweeper.removeOld(deleteUpTo));
    await connections.query(
      `UPDATE host SET memory = NULL, memory_at = NULL WHERE id IN (
         SELECT id FROM host WHERE memory_at <= ${nowSql} - $1::bigint LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [memoryKeptMs, rowsPerStep],
    );
    const more = await connections.transaction((tx) => runSteps(tx, this.#sweeper.step(deleteUpTo)));
    return { more, ...(aheadMs !== undefined && { clockAheadMs: aheadMs }) };
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

  async #add(set: WorkingSet, tx: Transaction, { job, repeats, since, links }: ToAdd): Promise<JobRow> {
    const { facts } = this.#parts;
    const retried = repeats?.id ?? null;
    const from = madeFrom(job, retried);
    const [parent] =
      from === undefined ? [] : await tx.query<Pick<JobRow, 'family'>>('SELECT family FROM job WHERE id = $1', [from]);
    const columns = columnsOf(job, retried, parent, since);
    const names = Object.keys(columns);
    const [made] = await tx.query<{ seq: number }>(
      `INSERT INTO job (status, ${names.join(', ')}) VALUES ('starting', ${names.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING seq`,
      Object.values(columns),
    );
    if (!made) throw new Error(`job ${job.id} was not stored`);
    if (repeats) await facts.learn([repeats.id]);
    const earlier = repeats ? [repeats.seq, ...(facts.of(repeats.id)?.earlier ?? [])] : [];
    const known = {
      seq: made.seq,
      earlier,
      hasWebhook: job.webhookUrl !== undefined,
      since: since?.seq ?? null,
    };
    facts.note(job.id, known);
    if (Object.keys(job.headers).length > 0) {
      tx.send('INSERT INTO job_headers (job, headers) VALUES ($1, $2)', [made.seq, JSON.stringify(job.headers)]);
    }
    failPoint(repeats ? 'retry.writing' : 'create.writing');
    const urls: JobKey[] = [];
    for (const { kind, links: some } of links) addLinks(urls, known, kind, some, undefined);
    await set.read({ jobs: [made.seq], urls });
    const row = set.get(made.seq);
    if (!row) throw new Error(`job ${job.id} was not stored`);
    const ledger = new Ledger(set, new SeenUrls());
    // Not later than now, even if the caller's clock is ahead.
    const dueAt = repeats ? set.now : Math.min(job.createdAt, set.now);
    for (const { kind, links: some } of links) ledger.add(row, some, kind, null, dueAt);
    set.touch(row);
    return row;
  }

  /** A range of the URLs, and all sitemaps, that failed in a job. */
  async #failedLinks(tx: Transaction, { seq }: JobRow, { from, max }: FailedUrls): Promise<Links[]> {
    const columns = 'SELECT kind, url, key, depth FROM ledger WHERE job = $1 AND has_failed';
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

  /**
   * Makes a job of an org, unless the request was handled before or the org has too many. Far from the limit, jobs are
   * made in parallel under a shared lock, and only requests with the same idempotency key wait for each other. Near the
   * limit, they are made one at a time under an exclusive lock. Each request counts the jobs under its lock, and there
   * are never more parallel ones than connections, so the limit holds.
   */
  async #inOrg<Refusal extends string>(
    org: string,
    request: Repeatable & { readonly unfinishedMax?: number; readonly refused?: Refusal | undefined },
    make: (set: WorkingSet, tx: Transaction) => Promise<Job | Refusal>,
  ): Promise<Job | Refusal | 'conflict' | 'too_many'> {
    const { unfinishedMax, idempotency, refused } = request;
    const create = (isNear: boolean): Promise<Job | Refusal | 'conflict' | 'too_many' | 'near'> =>
      change(this.#parts, async (set, tx) => {
        // Sent at once, in this order: each statement sees what is committed when the locks are held.
        if (unfinishedMax !== undefined) lock(tx, isNear ? 'alone' : 'shared', org);
        if (idempotency) lock(tx, 'alone', JSON.stringify([org, idempotency.key]));
        const madeBefore = this.#madeBefore(tx, org, request);
        const unfinished = unfinishedMax === undefined ? undefined : this.#unfinished(tx, org);
        const known = await madeBefore;
        if (known) return known;
        if (refused) return refused;
        if (unfinishedMax !== undefined && unfinished) {
          const { jobs, connections } = await unfinished;
          if (jobs >= unfinishedMax) return 'too_many';
          if (!isNear && jobs + connections >= unfinishedMax) return 'near';
        }
        return make(set, tx);
      });
    // A small limit is always near.
    const made = await create(unfinishedMax !== undefined && unfinishedMax <= this.#connectionsMax);
    return made === 'near' ? ((await create(true)) as Exclude<typeof made, 'near'>) : made;
  }

  /** The earlier result of the same request. */
  async #madeBefore(tx: Transaction, org: string, request: Repeatable): Promise<Job | 'conflict' | undefined> {
    const { id, createdAt, idempotency } = request;
    // The same request was sent again because its first response was lost.
    const { own } = this.#open;
    const [sent] = await tx.query<ShownRow>(`SELECT ${shownSql('$2')} FROM job WHERE id = $1`, [id, own]);
    if (sent) return this.#open.jobOf(sent);
    if (!idempotency) return undefined;
    const [earlier] = await tx.query<ShownRow & { readonly body_hash: string }>(
      `SELECT i.body_hash, ${shownSql('$4')} FROM idempotency i LEFT JOIN job ON job.seq = i.job WHERE i.org = $1 AND i.key = $2 AND i.created_at > $3`,
      [org, idempotency.key, createdAt - idempotencyKeptMs, own],
    );
    if (!earlier) return undefined;
    return earlier.body_hash === idempotency.bodyHash ? this.#open.jobOf(earlier) : 'conflict';
  }

  async #unfinished(tx: Transaction, org: string): Promise<{ readonly jobs: number; readonly connections: number }> {
    const [row] = await tx.query<{ jobs: number; connections: number }>(
      `SELECT count(*) AS jobs, current_setting('max_connections')::int AS connections FROM job WHERE org = $1 AND finished_at IS NULL`,
      [org],
    );
    if (!row) throw new Error('the jobs of an org were not counted');
    this.#connectionsMax = row.connections;
    return row;
  }

  /** `now`: @default the clock of the database, by which results expire. */
  async #change(
    org: string,
    id: string,
    now: number | undefined,
    apply: (row: JobRow, now: number, tx: Transaction) => void | Promise<void>,
  ): Promise<Job | undefined> {
    const { facts } = this.#parts;
    await facts.learn([id]);
    const known = facts.of(id);
    if (!known) return undefined;
    return change(this.#parts, async (set, tx) => {
      await set.read({ jobs: [known.seq] });
      const row = set.get(known.seq);
      if (!row || row.org !== org) return undefined;
      await apply(row, now ?? set.now, tx);
      set.touch(row);
      await completeExample(set, row);
      if (row.in_flight === 0) return jobOf(row, set.now, 0);
      const [open] = await tx.query<{ elsewhere: number | null }>(
        `SELECT ${elsewhereOfJobSql('$2')} AS elsewhere FROM job WHERE seq = $1`,
        [row.seq, this.#open.own],
      );
      return jobOf(row, set.now, this.#open.of(id, open?.elsewhere ?? null));
    });
  }
}

/** Statements sent after it run when the lock is held, until the transaction ends. */
function lock(tx: Transaction, mode: 'alone' | 'shared', name: string): void {
  const take = mode === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  tx.send(`SELECT ${take}($1, hashtext($2))`, [orgLock, name]);
}

/** The job that `since` names. It is not swept before the transaction ends. */
async function lockEarlier(tx: Transaction, id: string): Promise<Pick<JobRow, 'seq' | 'revisits'> | 'gone'> {
  const [row] = await tx.query<Pick<JobRow, 'seq' | 'revisits'> & { readonly gone: boolean }>(
    `SELECT seq, revisits, swept = 1 OR coalesce(results_gone_at <= ${nowSql}, false) AS gone FROM job WHERE id = $1 FOR SHARE`,
    [id],
  );
  return row && !row.gone ? row : 'gone';
}

/**
 * Makes the hosts of a job that was stopped available: meanwhile they had no work. Under their locks, as a
 * release reads there whether work is left.
 */
function wakeHosts(tx: Transaction, job: JobRow): void {
  const { org, rank, job: seq } = lineOf(job, false);
  tx.send(
    'SELECT FROM host_slot WHERE host IN (SELECT host FROM frontier WHERE job = $1 AND fence IS NULL AND not_before = 0) ORDER BY host FOR NO KEY UPDATE',
    [seq],
  );
  tx.send(
    `UPDATE host_slot s SET ready_at = least(s.ready_at, greatest(s.next_at, ${nowSql})), in_line = false, org = $2, rank = $3, job = $1,
       for_browser = false, plain_at = NULL
     WHERE host IN (SELECT host FROM frontier WHERE job = $1 AND fence IS NULL AND not_before = 0)`,
    [seq, org, rank],
  );
}

function rememberKey(tx: Transaction, { org, seq }: JobRow, { idempotency, createdAt }: Repeatable): void {
  if (!idempotency) return;
  tx.send(
    `INSERT INTO idempotency (org, key, body_hash, job, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (org, key) DO UPDATE SET body_hash = excluded.body_hash, job = excluded.job, schedule = NULL, created_at = excluded.created_at`,
    [org, idempotency.key, idempotency.bodyHash, seq, createdAt],
  );
}

export const pingSql = `INSERT INTO setting (name, value) VALUES ('ping', convert_to((${nowSql})::text, 'UTF8'))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
