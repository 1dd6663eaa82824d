// Removes what nobody can read any more, one small step at a time: the same in every store.
import { failPoint } from '../../core/process/fail-point.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import {
  clockRecordBytes,
  clockRecordOf,
  clockSetting,
  type ClockRecord,
  ClockTrust,
} from '../rules/jobs/clock-trust.ts';
import { areResultsGone, type JobRow } from '../rules/jobs/job-row.ts';
import { feedKeptMs, isInFeedSql, runFeed } from '../rules/jobs/run-feed.ts';
import { idempotencyKeptMs } from '../rules/frontier/new-jobs.ts';
import { pageId, pagesPerJob } from '../rules/jobs/page-id.ts';
import { segmentsPerStep } from '../rules/pages/raw-bodies.ts';
import { screenshotsPerStep } from '../rules/pages/screenshots.ts';
import { giveUpObjects } from './object-rows.ts';
import { all, one, run, send, type Steps } from './operation.ts';
import { either, isIn, nothing, raw, type Sql, sql } from './sql.ts';

/** Counted from when they were delivered or given up. */
const deliveriesKeptMs = 30 * 24 * 3600 * 1000;
/** How long the calls of a model on a day are kept. */
const modelDaysKeptMs = 7 * 24 * 3600 * 1000;
/** Advisory lock of those that remove the last name of a text: each would see the name that the other one removes. */
const textLock = 834_024;

const isSwept = raw('swept = 1');
const isNotSwept = raw('swept = 0');
/** The condition of the index. */
const toSweep = raw('results_gone_at IS NOT NULL AND emptied = 0');
const skipLocked = either(nothing, raw('FOR NO KEY UPDATE SKIP LOCKED'));
/** A job whose pages are still being handed on to a later one waits. */
const isNeeded = raw(
  'seq IN (SELECT later.since FROM job later WHERE later.seeded IS NOT NULL AND later.finished_at IS NULL)',
);
const isNamed = (table: string): Sql => raw(`EXISTS (SELECT 1 FROM ledger WHERE text_of = ${table}.id)`);

/** Tables with the results of a job. The value is the column that, with the job, is the key. */
const keysOfTables = {
  page_key: 'key',
  ended_template: 'template',
  job_series: 'series',
  lesson: 'site',
  model_calls: 'calls',
  raw_object_job: 'object',
};

/** `aheadMs`: how far the clock is ahead, if it is doubted and results wait for it. */
interface Verdict {
  readonly deleteUpTo: number;
  readonly aheadMs: number | undefined;
}

/** How far the pages and the URLs of a job are removed: the last ones that were looked at. */
interface Progress {
  page: number;
  entry: number;
}

export class Sweeper {
  readonly #trust = new ClockTrust();
  /** By job. After a restart, the pages that are kept are looked at again. */
  readonly #progress = new Map<number, Progress>();
  readonly #rowsPerStep: number;
  readonly #damaged: (message: string) => Error;

  /** `rowsPerStep`: removed of each table in one step. */
  constructor(rowsPerStep: number, damaged: (message: string) => Error) {
    this.#rowsPerStep = rowsPerStep;
    this.#damaged = damaged;
  }

  /** A clock that is ahead removes nothing yet. One record for all processes: a time that one of them trusts, all trust. */
  *judge(now: number): Steps<Verdict> {
    const stored = yield* one<{ readonly value: Uint8Array }>(
      sql`SELECT value FROM setting WHERE name = ${clockSetting}`,
    );
    const known = clockRecordOf(stored?.value);
    // A new database has nothing to remove.
    const record = known ?? { seen: now, doubted: null };
    const { deleteUpTo, doubtedByMs, changed } = this.#trust.judge(record, now, monotonicNow());
    if (changed || !known) yield* storeClock(changed ?? record);
    if (doubtedByMs === undefined) return { deleteUpTo, aheadMs: undefined };
    const heldBack = yield* one<object>(
      sql`SELECT 1 FROM job WHERE ${toSweep} AND ${isNotSwept} AND results_gone_at <= ${now} LIMIT 1`,
    );
    return { deleteUpTo, aheadMs: heldBack === undefined ? undefined : doubtedByMs };
  }

  /** Rows that were kept for a time only. */
  *removeOld(now: number): Steps<void> {
    yield* send(sql`DELETE FROM idempotency WHERE created_at <= ${now - idempotencyKeptMs}`);
    // In UTC, as `2026-11-27`.
    const oldestDay = new Date(now - modelDaysKeptMs).toISOString().slice(0, 10);
    yield* send(sql`DELETE FROM model_day WHERE day < ${oldestDay}`);
    yield* send(
      sql`DELETE FROM work WHERE id IN (SELECT id FROM work WHERE settled_at <= ${now - deliveriesKeptMs} LIMIT ${this.#rowsPerStep})`,
    );
  }

  /**
   * Removes one step of the pages, texts and URLs of a job whose results are gone. The job itself stays. The first step notes
   * in the job that its results are gone, so no change of the clock brings back the rest. Returns true if more can be left.
   */
  *step(now: number): Steps<boolean> {
    // Several processes sweep, each a different job. A sweep that has begun, or a deleted job, needs no trusted clock.
    const job = (yield* someJob(isSwept)) ?? (yield* someJob(sql`${isNotSwept} AND results_gone_at <= ${now}`));
    if (!job) return yield* this.#endFeeds(now);
    if (!areResultsGone(job, now)) throw this.#damaged(`job ${job.id} is listed as expired, but its row is not`);
    yield* send(sql`UPDATE job SET swept = 1 WHERE seq = ${job.seq}`);
    const [first, last] = [pageId(job.seq, 0), pageId(job.seq + 1, 0)];
    const progress = this.#progress.get(job.seq) ?? { page: first, entry: 0 };
    this.#progress.set(job.seq, progress);
    let removed = yield* this.#removePages(progress, last);
    const objects = sql`SELECT object FROM raw_object_job WHERE job = ${job.seq} ORDER BY job, object LIMIT ${this.#rowsPerStep}`;
    yield* giveUpObjects(objects);
    const ofJob = sql`id >= ${first} AND id < ${last}`;
    // In index order, so that it reads neither rows of other jobs nor all of this one's.
    for (const [table, condition, limit] of [
      ['screenshot', ofJob, screenshotsPerStep],
      ['raw_page', ofJob, this.#rowsPerStep],
      ['raw_segment', sql`(${ofJob} OR id > ${-last} AND id <= ${-first})`, segmentsPerStep],
    ] as const) {
      const some = sql`SELECT id FROM ${raw(table)} WHERE ${condition} ORDER BY id LIMIT ${limit}`;
      removed += yield* run(sql`DELETE FROM ${raw(table)} WHERE id IN (${some})`);
    }
    for (const [table, key] of Object.entries(keysOfTables)) {
      const some = sql`FROM ${raw(table)} WHERE job = ${job.seq} ORDER BY job, ${raw(key)} LIMIT ${this.#rowsPerStep}`;
      const all = raw(`DELETE FROM ${table}`);
      removed += yield* run(
        sql`${either(
          sql`${all} WHERE job = ${job.seq} AND ${raw(key)} IN (SELECT ${raw(key)} ${some})`,
          sql`WITH gone AS (SELECT ctid ${some}) ${all} WHERE ctid IN (SELECT ctid FROM gone)`,
        )}`,
      );
    }
    removed += yield* this.#removeUrls(job.seq, progress);
    failPoint('sweep.writing');
    if (removed === 0) {
      yield* send(sql`UPDATE job SET emptied = 1 WHERE seq = ${job.seq}`);
      this.#progress.delete(job.seq);
    }
    return true;
  }

  /** Removes the next pages and texts, but for those that a later job names. Returns how many it looked at. */
  *#removePages(progress: Progress, last: number): Steps<number> {
    const from = progress.page;
    const pages = yield* all<{ readonly id: number }>(
      sql`SELECT id FROM page WHERE id > ${from} AND id < ${last} ORDER BY id LIMIT ${this.#rowsPerStep}`,
    );
    const end = pages.at(-1)?.id;
    if (end === undefined) return 0;
    for (const table of ['page', 'body'])
      yield* send(sql`DELETE FROM ${raw(table)} WHERE id > ${from} AND id <= ${end} AND NOT ${isNamed(table)}`);
    progress.page = end;
    return pages.length;
  }

  /**
   * Removes some URLs of a job, and the texts of jobs swept before that nobody names any more. What the feed of a schedule
   * lists stays, without naming a text. Returns how many it looked at.
   */
  *#removeUrls(job: number, progress: Progress): Steps<number> {
    const some = yield* all<{ readonly id: number; readonly text: number | null }>(
      sql`SELECT id, text_of AS text FROM ledger WHERE job = ${job} AND id > ${progress.entry} ORDER BY job, id LIMIT ${this.#rowsPerStep}`,
    );
    const end = some.at(-1)?.id;
    if (end === undefined) return 0;
    const texts = [...new Set(some.map(({ text }) => text).filter((text) => text !== null))];
    if (texts.length > 0) yield* all(sql`${either(nothing, sql`SELECT pg_advisory_xact_lock(${textLock}, 0)`)}`);
    const range = sql`job = ${job} AND id > ${progress.entry} AND id <= ${end}`;
    // A URL that was never taken is still in the frontier.
    yield* send(sql`DELETE FROM frontier WHERE id IN (SELECT id FROM ledger WHERE ${range})`);
    yield* send(sql`DELETE FROM ledger WHERE ${range} AND NOT (${raw(isInFeedSql)})`);
    yield* send(sql`UPDATE ledger SET text_of = NULL WHERE ${range} AND text_of IS NOT NULL`);
    progress.entry = end;
    for (const table of texts.length > 0 ? ['page', 'body'] : [])
      yield* send(
        sql`DELETE FROM ${raw(table)} WHERE id ${isIn(texts)} AND NOT ${isNamed(table)}
          AND (SELECT swept FROM job WHERE seq = ${raw(`${table}.id / ${pagesPerJob}`)}) = 1`,
      );
    return some.length;
  }

  /** Runs whose rows in the feed are too old are swept again, and then lose these as well. Returns true if there were any. */
  *#endFeeds(now: number): Steps<boolean> {
    const tooOld = sql`SELECT seq FROM job old
      WHERE schedule IS NOT NULL AND feed <> ${runFeed.gone} AND emptied = 1 AND finished_at <= ${now - feedKeptMs}
        AND coalesce((SELECT keep FROM schedule WHERE schedule.id = old.schedule), 0)
          <= (SELECT count(*) FROM job newer WHERE newer.schedule = old.schedule AND newer.seq > old.seq)
      LIMIT ${this.#rowsPerStep} ${skipLocked}`;
    const ended = yield* run(sql`UPDATE job SET feed = ${runFeed.gone}, emptied = 0 WHERE seq IN (${tooOld})`);
    return ended > 0;
  }
}

function someJob(
  condition: Sql | ReturnType<typeof either>,
): Steps<Pick<JobRow, 'seq' | 'id' | 'swept' | 'results_gone_at'> | undefined> {
  return one(
    sql`SELECT seq, id, swept, results_gone_at FROM job WHERE ${toSweep} AND ${condition} AND NOT ${isNeeded}
      ORDER BY results_gone_at LIMIT 1 ${skipLocked}`,
  );
}

function storeClock(record: ClockRecord): Steps<void> {
  return send(
    sql`INSERT INTO setting (name, value) VALUES (${clockSetting}, ${clockRecordBytes(record)})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}
