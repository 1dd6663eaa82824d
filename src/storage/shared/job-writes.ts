// Creates and changes jobs.
import { failPoint } from '../../core/process/fail-point.ts';
import { hasEnded, type JobNotice } from '../../core/job.ts';
import type { Frontier } from '../../core/ports/frontier.ts';
import type { Baselines, SeededUrls } from '../../core/ports/baselines.ts';
import type { ExtractedPage, Reextractions } from '../../core/ports/reextractions.ts';
import type { NewRun, RunRefusal, ScheduleStore } from '../../core/ports/schedules.ts';
import type { Expiry, Idempotency, JobStore, NewJob, RetryJob } from '../../core/ports/stores.ts';
import type { RequestKind } from '../../core/request.ts';
import { linkOf } from '../rules/frontier/ledger.ts';
import {
  columnsOf,
  type FailedUrls,
  idempotencyKeptMs,
  madeFrom,
  retryOf,
  type StoredJob,
  whyNoRetry,
} from '../rules/frontier/new-jobs.ts';
import { addExtracted, beginReextraction } from '../rules/frontier/reextracting.ts';
import { addSeeds } from '../rules/frontier/seeding.ts';
import { deleteResults, endIfDone, endJob, endStatus, retireResults } from '../rules/jobs/job-end.ts';
import { addFirstNotice, type JobRow, noteNetworks, setExpiry, stopJob } from '../rules/jobs/job-row.ts';
import { isErasedMeanwhile } from './erasing.ts';
import { jobRow } from './job-reads.ts';
import {
  all,
  type HeldJob,
  type LinksOfKind,
  one,
  type OperationsOf,
  orgLock,
  send,
  type Steps,
  timeOf,
  turn,
} from './operation.ts';
import { acceptDoubted } from './remove-gone.ts';
import { feedOf, mayRun, ran } from './schedules.ts';
import { clock, either, list, nothing, raw, sql } from './sql.ts';

/** Jobs that passed their time limit, ended at a time. */
const overduePerStep = 100;

type Methods =
  | 'create'
  | 'retry'
  | 'cancel'
  | 'delete'
  | 'retire'
  | 'stop'
  | 'resume'
  | 'setExpiry'
  | 'acceptChanges'
  | 'addNotice';

const ofJob = (job: string): { readonly job: string } => ({ job });
const ofOrgsJob = (_org: string, job: string): { readonly job: string } => ({ job });

export const jobWrites: OperationsOf<Pick<JobStore, Methods>> = {
  create: {
    kind: 'jobs',
    concerns: ({ startLinks, origins }: NewJob) => ({ links: [...startLinks, ...origins] }),
    *steps(job: NewJob) {
      const { known, limit } = yield* begun(job.org, job);
      return known ?? limit ?? (yield* createJob(job));
    },
  },
  retry: {
    kind: 'jobs',
    concerns: ofOrgsJob,
    *steps(org: string, id: string, retry: RetryJob) {
      const { known, limit } = yield* begun(org, retry);
      if (known) return known;
      const earlier = yield* jobRow(id);
      const refusal = whyNoRetry(earlier, org, yield* timeOf());
      if (!earlier || refusal) return refusal ?? 'unknown';
      return limit ?? (yield* retryJob(earlier, retry));
    },
  },
  cancel: {
    ...changing((row, now) => {
      if (!hasEnded(row.status)) endJob(row, 'cancelled', 'cancelled', now);
    }),
    makesRoom: true,
  },
  delete: { ...changing(deleteResults), makesRoom: true },
  retire: changing(retireResults),
  stop: changing(stopJob),
  resume: {
    kind: 'jobs',
    concerns: ofOrgsJob,
    *steps(org: string, id: string) {
      const row = (yield* holdOf(org, id))?.row;
      if (!row || row.stopped_at === null) return row;
      row.stopped_at = null;
      yield* touch(row);
      yield* turn((jobs) => jobs.wake(row));
      return row;
    },
  },
  setExpiry: {
    kind: 'jobs',
    makesRoom: true,
    concerns: ofOrgsJob,
    *steps(org: string, id: string, expiry: Expiry, given?: number) {
      const held = yield* holdOf(org, id);
      if (!held) return undefined;
      const refusal = setExpiry(held.row, expiry, given ?? held.now);
      if (refusal) return refusal;
      yield* touch(held.row);
      return held.row;
    },
  },
  acceptChanges: {
    kind: 'jobs',
    concerns: ofOrgsJob,
    *steps(org: string, id: string) {
      const row = (yield* holdOf(org, id))?.row;
      if (!row || !hasEnded(row.status)) return row;
      const newer = sql`SELECT 1 AS one FROM job WHERE schedule = ${row.schedule} AND seq > ${row.seq} LIMIT 1`;
      if (row.schedule !== null && (yield* one(newer))) return 'superseded';
      yield* acceptDoubted(row);
      yield* touch(row);
      return row;
    },
  },
  addNotice: {
    kind: 'jobs',
    concerns: ofJob,
    *steps(id: string, notice: JobNotice) {
      const held = yield* hold(id);
      if (held && addFirstNotice(held.row, notice)) yield* touch(held.row);
    },
  },
};

export const frontierWrites: OperationsOf<Pick<Frontier, 'noteNetworks'>> = {
  noteNetworks: {
    kind: 'jobs',
    waits: true,
    concerns: ofJob,
    *steps(id: string, networks: Readonly<Record<string, string>>) {
      const held = yield* hold(id);
      if (!held) return networks;
      yield* touch(held.row);
      return noteNetworks(held.row, networks);
    },
  },
};

export const baselineWrites: OperationsOf<Pick<Baselines, 'add'>> = {
  add: {
    kind: 'jobs',
    waits: true,
    concerns: (job: string, { links }: SeededUrls) => ({ job, links }),
    *steps(jobId: string, urls: SeededUrls) {
      const held = yield* hold(jobId, [{ kind: 'page', links: urls.links }]);
      if (!held || !(yield* turn(({ ledger }) => addSeeds(ledger, held.row, urls, held)))) return false;
      yield* touch(held.row);
      return true;
    },
  },
};

export const reextractionWrites: OperationsOf<Pick<Reextractions, 'commit'>> = {
  commit: {
    kind: 'jobs',
    concerns: ofJob,
    *steps(jobId: string, after: number, pages: readonly ExtractedPage[], isLast: boolean) {
      const row = (yield* hold(jobId))?.row;
      if (!row || (yield* isErasedMeanwhile(row, after, pages))) return false;
      if (!(yield* turn(({ tables }) => addExtracted(tables, row, after, { pages, isLast })))) return false;
      yield* touch(row);
      return true;
    },
  },
};

export const runWrites: OperationsOf<Pick<ScheduleStore, 'run'>> = {
  run: {
    kind: 'jobs',
    addsWork: true,
    concerns: ({ job }: NewRun) => ({ links: [...job.startLinks, ...job.origins] }),
    *steps({ job, work }: NewRun, given?: number) {
      const { known, limit } = yield* begun(job.org, job);
      if (known === 'conflict' || limit) throw new Error(`a run of schedule ${job.schedule} was refused`);
      return known ?? (yield* createRun({ job, ...(work !== undefined && { work }) }, given));
    },
  },
};

/** Ends some of the jobs that passed their time limit. Returns true if there were any. */
export function* endOverdue(now: number): Steps<boolean> {
  const overdue = yield* all<{ readonly seq: number }>(
    sql`SELECT seq FROM job WHERE finished_at IS NULL AND ends_by IS NOT NULL AND ends_by <= ${now} ORDER BY seq LIMIT ${overduePerStep}`,
  );
  for (const { seq } of overdue) {
    const row = (yield* hold(seq))?.row;
    if (!row || hasEnded(row.status)) continue;
    endJob(row, endStatus(row), 'time_limit', now);
    yield* touch(row);
  }
  return overdue.length > 0;
}

function changing(apply: (row: JobRow, now: number) => void): {
  readonly kind: 'jobs';
  readonly concerns: typeof ofOrgsJob;
  steps(org: string, id: string, given?: number): Steps<JobRow | undefined>;
} {
  return {
    kind: 'jobs',
    concerns: ofOrgsJob,
    *steps(org, id, given) {
      const held = yield* holdOf(org, id);
      if (!held) return undefined;
      apply(held.row, given ?? held.now);
      yield* touch(held.row);
      return held.row;
    },
  };
}

function hold(job: string | number, links: readonly LinksOfKind[] = []): Steps<HeldJob | undefined> {
  return turn((jobs) => jobs.held(job, links));
}

function* holdOf(org: string, id: string): Steps<HeldJob | undefined> {
  const held = yield* hold(id);
  return held?.row.org === org ? held : undefined;
}

function touch(row: JobRow): Steps<void> {
  return turn((jobs) => jobs.touch(row));
}

/** Thrown where jobs can be made side by side no longer. */
export class NearLimit extends Error {
  readonly connections: number;

  constructor(connections: number) {
    super('the limit of unfinished jobs is near');
    this.connections = connections;
  }
}

/** A request that makes a job, whose id is new. */
interface Making {
  readonly id: string;
  readonly createdAt: number;
  readonly idempotency?: Idempotency;
  readonly unfinishedMax?: number;
}

interface Begun {
  readonly known: JobRow | 'conflict' | undefined;
  readonly limit: 'too_many' | undefined;
}

/**
 * What the same request made before, and whether the org has too many jobs. Far from the limit, jobs are made in parallel
 * under a shared lock, and only requests with the same idempotency key wait for each other. Near the limit, they are made
 * one at a time under an exclusive lock. Each request counts the jobs under its lock, and there are never more parallel
 * ones than connections, so the limit holds.
 */
function* begun(org: string, { id, createdAt, idempotency, unfinishedMax }: Making): Steps<Begun> {
  const isNear = unfinishedMax === undefined || (yield* turn((jobs) => jobs.isNear(unfinishedMax)));
  // Sent at once, in this order: the statement sees what is committed when the locks are held.
  if (unfinishedMax !== undefined) yield* lock(isNear ? 'alone' : 'shared', org);
  if (idempotency) yield* lock('alone', JSON.stringify([org, idempotency.key]));
  const found = yield* one<Found>(
    sql`SELECT (SELECT seq FROM job WHERE id = ${id}) AS sent, i.body_hash AS hash, i.job,
        (SELECT count(*) FROM job WHERE org = ${org} AND finished_at IS NULL) AS unfinished,
        ${either(raw('0'), raw("current_setting('max_connections')::int"))} AS connections
      FROM (SELECT 1 AS one) request LEFT JOIN idempotency i
        ON i.org = ${org} AND i.key = ${idempotency?.key ?? null} AND i.created_at > ${createdAt - idempotencyKeptMs}`,
  );
  if (!found) throw new Error('the jobs of an org were not counted');
  const { sent, hash, job, unfinished, connections } = found;
  if (sent === null && hash !== null && hash !== idempotency?.bodyHash) return { known: 'conflict', limit: undefined };
  // The same request is sent again if its first response was lost.
  const before = sent ?? job;
  const known = before === null ? undefined : (yield* hold(before))?.row;
  if (unfinishedMax === undefined || known) return { known, limit: undefined };
  if (!isNear && unfinished < unfinishedMax && unfinished + connections >= unfinishedMax)
    throw new NearLimit(connections);
  return { known, limit: unfinished >= unfinishedMax ? 'too_many' : undefined };
}

interface Found {
  readonly sent: number | null;
  readonly hash: string | null;
  readonly job: number | null;
  readonly unfinished: number;
  readonly connections: number;
}

/** Statements sent after it run when the lock is held, until the transaction ends. SQLite has one writer. */
function lock(mode: 'alone' | 'shared', name: string): Steps<void> {
  const take = raw(mode === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  return send(sql`${either(nothing, sql`SELECT ${take}(${orgLock}, hashtext(${name}))`)}`);
}

function* createJob(job: NewJob): Steps<JobRow | 'gone'> {
  const { baseline } = job.spec;
  const since = baseline && (yield* comparedWith(baseline.of));
  if (baseline && !since) return 'gone';
  const row = yield* store({
    job,
    since,
    links: [
      { kind: 'page', links: job.startLinks },
      { kind: 'origin', links: job.origins },
    ],
  });
  // What was a trap is one still: its URLs are not asked again.
  if (since && baseline?.isSame === true)
    yield* send(
      sql`INSERT INTO ended_template (job, template) SELECT CAST(${row.seq} AS bigint), template FROM ended_template WHERE job = ${since.seq}`,
    );
  if (job.spec.reextract) beginReextraction(row);
  endIfDone(row, job.createdAt);
  yield* rememberKey(row, job);
  return row;
}

function* retryJob(earlier: JobRow, retry: RetryJob): Steps<JobRow> {
  const { id, org, seq } = earlier;
  // Each retry takes the next of the job's failed URLs.
  yield* lock('alone', JSON.stringify([org, 'retry', id]));
  const retries = yield* one<{ readonly jobs: number }>(
    sql`SELECT count(*) AS jobs FROM job WHERE org = ${org} AND retry_of = ${id}`,
  );
  const { job, failed } = retryOf(earlier, retry, retries?.jobs ?? 0);
  const row = yield* store({ job, retried: earlier, links: yield* failedLinks(seq, failed) });
  endIfDone(row, retry.createdAt);
  yield* rememberKey(row, retry);
  return row;
}

/** Creates the job of a schedule, and plans the next run. */
function* createRun(run: NewRun, given?: number): Steps<JobRow | RunRefusal> {
  const schedule = yield* mayRun(run);
  if (typeof schedule === 'string') return schedule;
  const row = yield* createJob(run.job);
  if (row === 'gone') return row;
  row.feed = yield* feedOf(schedule, row);
  failPoint('run.writing');
  yield* ran(schedule, run.work, row.id, yield* timeOf(given));
  return row;
}

interface ToStore {
  readonly job: StoredJob;
  readonly retried?: JobRow;
  readonly since?: Pick<JobRow, 'seq' | 'revisits'> | undefined;
  readonly links: readonly LinksOfKind[];
}

function* store({ job, retried, since, links }: ToStore): Steps<JobRow> {
  const from = madeFrom(job, retried?.id ?? null);
  const parent = from === undefined ? undefined : yield* familyOf(from);
  const columns = { status: 'starting', ...columnsOf(job, retried?.id ?? null, parent, since) };
  const made = yield* one<{ readonly seq: number }>(
    sql`INSERT INTO job (${raw(Object.keys(columns).join(', '))}) VALUES (${list(Object.values(columns))}) RETURNING seq`,
  );
  if (!made) throw new Error(`job ${job.id} was not stored`);
  const { seq } = made;
  const hasWebhook = job.webhookUrl !== undefined;
  yield* turn((jobs) => jobs.stored({ id: job.id, seq, retried, hasWebhook, since: since?.seq ?? null }));
  if (Object.keys(job.headers).length > 0)
    yield* send(sql`INSERT INTO job_headers (job, headers) VALUES (${seq}, ${JSON.stringify(job.headers)})`);
  failPoint(retried ? 'retry.writing' : 'create.writing');
  const held = yield* hold(seq, links);
  if (!held) throw new Error(`job ${job.id} was not stored`);
  const { row, dueAt } = held;
  // Not later than now, even if the clock was set forward.
  const at = retried ? dueAt : Math.min(job.createdAt, dueAt);
  yield* turn(({ ledger }) => {
    for (const { kind, links: some } of links) ledger.add(row, some, kind, null, at);
  });
  yield* touch(row);
  return row;
}

function familyOf(id: string): Steps<Pick<JobRow, 'family'> | undefined> {
  return one(sql`SELECT family FROM job WHERE id = ${id}`);
}

/** The job that `since` names, unless its results are gone. It is not swept before the transaction ends. */
function comparedWith(id: string): Steps<Pick<JobRow, 'seq' | 'revisits'> | undefined> {
  return one(
    sql`SELECT seq, revisits FROM job WHERE id = ${id} AND swept = 0 AND coalesce(results_gone_at > ${clock()}, TRUE)
      ${either(nothing, raw('FOR SHARE'))}`,
  );
}

/** A range of the URLs, and all sitemaps, that failed in a job. */
function* failedLinks(seq: number, { from, max }: FailedUrls): Steps<readonly LinksOfKind[]> {
  const failed = sql`SELECT kind, url, key, depth FROM ledger WHERE job = ${seq} AND ${either(raw("state = 'failed'"), raw('has_failed'))}`;
  const pages = yield* all<FailedRow>(sql`${failed} AND kind = 'page' ORDER BY id LIMIT ${max} OFFSET ${from}`);
  // No more rows than a job has sitemaps and origins.
  const control = yield* all<FailedRow>(sql`${failed} AND kind <> 'page' ORDER BY id`);
  return [
    { kind: 'page', links: pages.map(linkOf) },
    ...control.map((row): LinksOfKind => ({ kind: row.kind, links: [linkOf(row)] })),
  ];
}

interface FailedRow {
  readonly kind: RequestKind;
  readonly url: string;
  readonly key: string;
  readonly depth: number;
}

function* rememberKey({ org, seq }: JobRow, { idempotency, createdAt }: Making): Steps<void> {
  if (!idempotency) return;
  yield* send(
    sql`INSERT INTO idempotency (org, key, body_hash, job, created_at)
      VALUES (${org}, ${idempotency.key}, ${idempotency.bodyHash}, ${seq}, ${createdAt})
      ON CONFLICT (org, key) DO UPDATE SET body_hash = excluded.body_hash, job = excluded.job, schedule = NULL, created_at = excluded.created_at`,
  );
}
