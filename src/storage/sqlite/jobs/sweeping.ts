import path from 'node:path';
import type { Database } from '../file/database.ts';
import { failPoint } from '../../../core/process/fail-point.ts';
import { monotonicNow } from '../../../core/process/monotonic-time.ts';
import type { Swept } from '../../../core/ports/stores.ts';
import {
  clockRecordBytes,
  clockRecordOf,
  clockSetting,
  type ClockRecord,
  ClockTrust,
} from '../../rules/jobs/clock-trust.ts';
import { areResultsGone } from '../../rules/jobs/job-row.ts';
import { dayOf, modelDaysKeptMs } from '../../rules/jobs/model-days.ts';
import { segmentsPerStep } from '../../rules/pages/raw-bodies.ts';
import { screenshotsPerStep } from '../../rules/pages/screenshots.ts';
import { feedKeptMs, isInFeedSql, runFeed, tooOldSql } from '../../rules/jobs/run-feed.ts';
import { idempotencyKeptMs } from '../../rules/frontier/new-jobs.ts';
import { damaged } from '../file/faults.ts';
import { giveUpObject } from './segment-objects.ts';
import { pageId, segmentOfJobSql } from '../file/schema.ts';

/** Rows of each table removed in one step: about 20 ms, so that crawling hardly notices. */
const rowsPerStep = 500;
/** Pages of the file released in one step: 8 MiB. */
const filePagesPerStep = 2_000;
/** Runs of schedules whose rows leave the feed in one step. */
const jobsPerStep = 20;
/** Counted from when they were delivered or given up. */
const deliveriesKeptMs = 30 * 24 * 3600 * 1000;

/** Removes what nobody can read any more, one step at a time. Every call is inside a transaction of the writer. */
export class Sweeping {
  readonly #db: Database;
  readonly #trust = new ClockTrust();
  /** By job. After a restart, the pages that are kept are looked at again. */
  readonly #progress = new Map<number, Progress>();

  constructor(db: Database) {
    this.#db = db;
  }

  step(now: number): Swept {
    const record = this.#record(now);
    const { deleteUpTo, doubtedByMs, changed } = this.#trust.judge(record, now, monotonicNow());
    if (changed) this.#store(changed);
    const more = sweepStep(this.#db, deleteUpTo, this.#progress);
    if (doubtedByMs === undefined || !hasExpired(this.#db, now)) return { more };
    return { more, clockAheadMs: doubtedByMs };
  }

  #record(now: number): ClockRecord {
    const stored = this.#db
      .prepare<[string], { value: Uint8Array }>('SELECT value FROM setting WHERE name = ?')
      .get(clockSetting);
    const record = clockRecordOf(stored?.value);
    if (record) return record;
    // A new database has nothing to remove.
    const made = { seen: now, doubted: null };
    this.#store(made);
    return made;
  }

  #store(record: ClockRecord): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)')
      .run(clockSetting, clockRecordBytes(record));
  }
}

/** True if the results of an unswept job expired by this time. */
function hasExpired(db: Database, now: number): boolean {
  return (
    db.prepare(`SELECT 1 FROM job WHERE ${toSweep} AND swept = 0 AND results_gone_at <= ? LIMIT 1`).get(now) !==
    undefined
  );
}

/** The condition of the index. */
const toSweep = 'results_gone_at IS NOT NULL AND emptied = 0';
const isNeeded =
  'seq IN (SELECT later.since FROM job later WHERE later.seeded IS NOT NULL AND later.finished_at IS NULL)';

/**
 * Removes one step of what nobody can read any more: pages, texts and URLs of jobs whose results are gone, then their
 * space. The job itself stays. The first step notes in the job that its results are gone, so no change of the clock
 * brings back the rest. Returns true if more is left.
 */
function sweepStep(db: Database, now: number, progress: Map<number, Progress>): boolean {
  db.prepare('DELETE FROM idempotency WHERE created_at <= ?').run(now - idempotencyKeptMs);
  db.prepare('DELETE FROM work WHERE id IN (SELECT id FROM work WHERE settled_at <= ? LIMIT ?)').run(
    now - deliveriesKeptMs,
    rowsPerStep,
  );
  db.prepare('DELETE FROM model_day WHERE day < ?').run(dayOf(now - modelDaysKeptMs));
  // A job whose pages are still being handed on to a later one waits. A sweep that has begun, or a deleted job, needs no
  // trusted clock.
  // mutant results-swept-early, promise 5: `<= ?` -> `<= ? + 9e15`; sqlite-store "that can still be read"
  const found =
    db
      .prepare<[], { seq: number }>(`SELECT seq FROM job WHERE ${toSweep} AND swept = 1 AND NOT ${isNeeded} LIMIT 1`)
      .get() ??
    db
      .prepare<[number], { seq: number }>(
        `SELECT seq FROM job WHERE ${toSweep} AND swept = 0 AND results_gone_at <= ? AND NOT ${isNeeded} LIMIT 1`,
      )
      .get(now);
  if (!found) return endFeeds(db, now) || giveSpaceBack(db);
  const job = expired(db, found.seq, now);
  db.prepare('UPDATE job SET swept = 1 WHERE seq = ?').run(job.seq);
  const [first, last] = [pageId(job.seq, 0), pageId(job.seq + 1, 0)];
  const pages = progress.get(job.seq) ?? { from: first, last, entry: 0 };
  progress.set(job.seq, pages);
  let removed = removePages(db, pages);
  for (const sql of [
    `DELETE FROM screenshot WHERE id IN (SELECT id FROM screenshot WHERE id >= @first AND id < @last LIMIT ${screenshotsPerStep})`,
    'DELETE FROM raw_page WHERE id IN (SELECT id FROM raw_page WHERE id >= @first AND id < @last LIMIT @rows)',
    `DELETE FROM raw_segment WHERE id IN (SELECT id FROM raw_segment WHERE ${segmentOfJobSql} ORDER BY id LIMIT ${segmentsPerStep})`,
    'DELETE FROM page_key WHERE job = @job AND key IN (SELECT key FROM page_key WHERE job = @job LIMIT @rows)',
    'DELETE FROM ended_template WHERE job = @job AND template IN (SELECT template FROM ended_template WHERE job = @job LIMIT @rows)',
    'DELETE FROM job_series WHERE job = @job',
    'DELETE FROM lesson WHERE job = @job AND site IN (SELECT site FROM lesson WHERE job = @job LIMIT @rows)',
    'DELETE FROM held_page WHERE request IN (SELECT request FROM held_page WHERE job = @job LIMIT @rows)',
    'DELETE FROM learner WHERE job = @job AND site IN (SELECT site FROM learner WHERE job = @job LIMIT @rows)',
    'DELETE FROM model_calls WHERE job = @job',
  ]) {
    const values = sql.includes('@job') ? { job: job.seq, rows: rowsPerStep } : { first, last, rows: rowsPerStep };
    removed += db.prepare(sql).run(values).changes;
  }
  removed += leaveObjects(db, job.seq);
  removed += removeUrls(db, job.seq, pages);
  failPoint('sweep.writing');
  if (removed === 0) {
    db.prepare('UPDATE job SET emptied = 1 WHERE seq = ?').run(job.seq);
    progress.delete(job.seq);
  }
  return true;
}

/** Reads the row of a job that an index listed as expired. If the row says otherwise, one of them is damaged, and nothing is removed. */
function expired(db: Database, seq: number, now: number): JobState {
  const job = db.prepare<[number], JobState>('SELECT seq, id, swept, results_gone_at FROM job WHERE seq = ?').get(seq);
  if (job && areResultsGone({ ...job, swept: job.swept === 1 }, now)) return job;
  throw damaged(path.dirname(db.file), `job ${job?.id ?? seq} is listed as expired, but its row is not`);
}

/** How far the pages of a job are removed. */
interface Progress {
  from: number;
  readonly last: number;
  /** The last entry of its ledger that was looked at. */
  entry: number;
}

/** Some objects that have bytes of the job are written again without them, or deleted if no row has named them. */
function leaveObjects(db: Database, job: number): number {
  const objects = db
    .prepare<[number, number], { object: string }>('SELECT object FROM raw_object_job WHERE job = ? LIMIT ?')
    .all(job, rowsPerStep);
  const remove = db.prepare('DELETE FROM raw_object_job WHERE object = ? AND job = ?');
  for (const { object } of objects) {
    giveUpObject(db, object);
    remove.run(object, job);
  }
  return objects.length;
}

interface JobState {
  readonly seq: number;
  readonly id: string;
  readonly swept: 0 | 1;
  readonly results_gone_at: number | null;
}

/** Removed rows leave free pages in the file. New pages of jobs use them first; the rest is cut off. */
function giveSpaceBack(db: Database): boolean {
  db.pragma(`incremental_vacuum(${filePagesPerStep})`);
  return Number(db.pragma('freelist_count')) > 0;
}

const isNamed = (table: string): string => `EXISTS (SELECT 1 FROM ledger WHERE text_of = ${table}.id)`;

/** Removes the next pages and texts, but for those that a later job names. Returns how many it looked at. */
function removePages(db: Database, progress: Progress): number {
  const { from, last } = progress;
  const ids = db
    .prepare<[number, number, number], { id: number }>(
      'SELECT id FROM page WHERE id >= ? AND id < ? ORDER BY id LIMIT ?',
    )
    .all(from, last, rowsPerStep);
  const end = ids.at(-1)?.id;
  if (end === undefined) return 0;
  // mutant named-text-swept, promise 18: `NOT ${isNamed(table)}` -> `true`; since "a later job keeps the texts"
  const removing = (table: string): string =>
    `DELETE FROM ${table} WHERE id >= ? AND id <= ? AND NOT ${isNamed(table)}`;
  for (const table of ['page', 'body']) db.prepare(removing(table)).run(from, end);
  progress.from = end + 1;
  return ids.length;
}

/**
 * Removes some URLs of a job, and the texts of jobs swept before that nobody names any more. What the feed of a schedule lists
 * stays, without naming a text. Returns how many it looked at.
 */
function removeUrls(db: Database, job: number, progress: Progress): number {
  const some = db
    .prepare<[number, number, number], { id: number; text: number | null }>(
      'SELECT id, text_of AS text FROM ledger WHERE job = ? AND id > ? ORDER BY id LIMIT ?',
    )
    .all(job, progress.entry, rowsPerStep);
  const end = some.at(-1)?.id;
  if (end === undefined) return 0;
  const range = [job, progress.entry, end] as const;
  db.prepare('DELETE FROM frontier WHERE id IN (SELECT id FROM ledger WHERE job = ? AND id > ? AND id <= ?)').run(
    ...range,
  );
  // mutant swept-run-leaves-feed, promise 20: `NOT (${isInFeedSql})` -> `true`; sqlite/special-contracts "beyond those that are kept"
  db.prepare(`DELETE FROM ledger WHERE job = ? AND id > ? AND id <= ? AND NOT (${isInFeedSql})`).run(...range);
  db.prepare('UPDATE ledger SET text_of = NULL WHERE job = ? AND id > ? AND id <= ? AND text_of IS NOT NULL').run(
    ...range,
  );
  progress.entry = end;
  const texts = new Set(some.map(({ text }) => text).filter((text) => text !== null));
  const removing = (table: string): string =>
    `DELETE FROM ${table} WHERE id = ? AND (SELECT swept FROM job WHERE seq = ${table}.id / ${pageId(1, 0)}) = 1 AND NOT ${isNamed(table)}`;
  for (const table of ['page', 'body']) {
    const remove = db.prepare(removing(table));
    for (const id of texts) remove.run(id);
  }
  return some.length;
}

/** Runs whose rows in the feed are too old are swept again, and then lose these as well. Returns true if there were any. */
function endFeeds(db: Database, now: number): boolean {
  const { changes } = db
    .prepare<[number, number]>(
      `UPDATE job SET feed = ${runFeed.gone}, emptied = 0 WHERE seq IN (${tooOldSql('emptied = 1')})`,
    )
    .run(now - feedKeptMs, jobsPerStep);
  return changes > 0;
}
