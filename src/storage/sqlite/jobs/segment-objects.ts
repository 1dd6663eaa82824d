import type { JobOutside, MovedSegment, SegmentMove, SegmentObjects } from '../../../core/ports/object-store.ts';
import type { SegmentPlace } from '../../../core/ports/blobs.ts';
import { areResultsGone, type StoredJobRow } from '../../rules/jobs/job-row.ts';
import { isAliveSql, segmentsPerMove, withinMove } from '../../rules/pages/segment-objects.ts';
import { placesOf } from '../../shared/erase-traces.ts';
import type { objectRows } from '../../shared/object-rows.ts';
import type { Database } from '../file/database.ts';
import { runSteps } from '../file/run-steps.ts';
import { pageId, pagesPerJob, segmentOfJobSql } from '../file/schema.ts';

type Sync<Method> = Method extends (...args: infer Args) => Promise<infer Result> ? (...args: Args) => Result : never;
type Reads = 'segmentOf' | 'nextMove' | 'jobsOutside';
type Writes = Exclude<keyof SegmentObjects, keyof typeof objectRows | Reads>;

/** Each call is inside a transaction of the writer. */
export class SegmentObjectWrites implements Record<Writes, unknown> {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A job that is deleted later finds it here: a sweep marks it. */
  register(name: string, bytes: number, jobs: readonly string[]): readonly string[] {
    const now = Date.now();
    const sql = "INSERT INTO raw_object (name, bytes, state, at) VALUES (?, ?, 'new', ?)";
    this.#db.prepare(sql).run(name, bytes, now);
    // mutant object-without-jobs, promise 3: `VALUES (?, ?)` -> `SELECT ?, ? WHERE false`; sqlite/special-contracts "that a killed process"
    const add = this.#db.prepare('INSERT INTO raw_object_job (object, job) VALUES (?, ?)');
    const find = this.#db.prepare<[string], Pick<StoredJobRow, 'seq' | 'swept' | 'results_gone_at'>>(
      'SELECT seq, swept, results_gone_at FROM job WHERE id = ?',
    );
    return jobs.filter((id) => {
      const job = find.get(id);
      if (job) add.run(name, job.seq);
      return job && areResultsGone({ ...job, swept: Boolean(job.swept) }, now);
    });
  }

  move(name: string, { isOfOneJob, segments }: SegmentMove, places: readonly SegmentPlace[]): void {
    const live = `UPDATE raw_object SET state = 'live', of_one_job = ? WHERE name = ? AND ${isAliveSql}`;
    if (this.#db.prepare(live).run(Number(isOfOneJob), name).changes === 0) throw new Error(`object ${name} is dead`);
    const change = this.#db.prepare(
      'UPDATE raw_segment SET object = ?, object_at = ?, size = ? WHERE id = ? AND object = ?',
    );
    for (const [index, { segment, object }] of segments.entries()) {
      const place = places[index];
      if (place) change.run(place.object, place.at, place.size, segment, object);
    }
  }

  markDead(keptMs: number): boolean {
    const now = Date.now();
    const lost = this.#db.prepare("UPDATE raw_object SET state = 'lost', at = ? WHERE state = 'new' AND at <= ?");
    const dead = this.#db.prepare(
      `UPDATE raw_object SET state = 'dead', at = ? WHERE state = 'live'
       AND NOT EXISTS (SELECT 1 FROM raw_segment s WHERE s.object = raw_object.name)`,
    );
    // mutant new-object-lost-at-once, promise 3: `now - keptMs` -> `now`; sqlite/special-contracts "keeps them for a while"
    return lost.run(now, now - keptMs).changes + dead.run(now).changes > 0;
  }

  takeIn({ segment, object }: MovedSegment, bytes: Uint8Array): boolean {
    this.#db.prepare('UPDATE raw_object SET has_deleted = 1 WHERE name = ?').run(object);
    const sql =
      'UPDATE raw_segment SET bytes = ?, object = NULL, object_at = NULL, size = NULL WHERE id = ? AND object = ?';
    return this.#db.prepare(sql).run(bytes, segment, object).changes > 0;
  }
}

/** A part of it is of a job or a page that is gone: a shared one is written again without it, a new one is deleted. */
export function giveUpObject(db: Database, name: string): void {
  db.prepare("UPDATE raw_object SET state = 'lost', at = ? WHERE name = ? AND state = 'new'").run(Date.now(), name);
  // mutant deleted-body-stays-in-object, promise 3: `has_deleted = 1` -> `has_deleted = 0`; sqlite/special-contracts "shares with one that runs"
  db.prepare("UPDATE raw_object SET has_deleted = 1 WHERE name = ? AND state = 'live' AND of_one_job = 0").run(name);
}

const kept = 'j.swept = 0 AND (j.results_gone_at IS NULL OR j.results_gone_at > @now)';
const picturesOfJob = `s.id > (j.seq + 1) * -${pagesPerJob} AND s.id <= j.seq * -${pagesPerJob}`;
const moved = 's.id AS segment, s.object, s.object_at AS at, s.size';

export class SegmentObjectReads implements Pick<{ [Name in keyof SegmentObjects]: Sync<SegmentObjects[Name]> }, Reads> {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  nextMove(bytesMax: number): SegmentMove | undefined {
    const [now, limit] = [Date.now(), segmentsPerMove];
    const shared = "o.state = 'live' AND o.of_one_job = 0";
    const ended = this.#db
      .prepare<[object], { job: number }>(
        `SELECT j.seq AS job FROM raw_object o JOIN raw_segment s ON s.object = o.name JOIN job j ON j.seq = abs(s.id) / ${pagesPerJob}
         WHERE ${shared} AND j.finished_at IS NOT NULL AND ${kept} LIMIT 1`,
      )
      .get({ now });
    if (ended) {
      const range = { first: pageId(ended.job, 0), last: pageId(ended.job + 1, 0), limit };
      const segments = this.#db
        .prepare<[object], Omit<MovedSegment, 'job'>>(
          `SELECT ${moved} FROM raw_segment s JOIN raw_object o ON o.name = s.object
           WHERE ${segmentOfJobSql} AND o.of_one_job = 0 ORDER BY s.id < 0, abs(s.id) LIMIT @limit`,
        )
        .all(range);
      return this.#move(true, segments.map(placed), bytesMax);
    }
    const [first, ...rest] = this.#db
      .prepare<[object], Listed>(
        `SELECT ${moved}, o.of_one_job AS isOfOneJob FROM raw_object o JOIN raw_segment s ON s.object = o.name JOIN job j ON j.seq = abs(s.id) / ${pagesPerJob}
         WHERE o.state = 'live' AND o.has_deleted = 1 AND ${kept} ORDER BY o.of_one_job, o.name LIMIT @limit`,
      )
      .all({ now, limit });
    if (!first) return undefined;
    const segments = [first, ...rest.filter((other) => isMovedWith(other, first))];
    return this.#move(first.isOfOneJob === 1, segments.map(placed), bytesMax);
  }

  #move(isOfOneJob: boolean, all: readonly MovedSegment[], bytesMax: number): SegmentMove {
    const segments = withinMove(all, bytesMax);
    const find = this.#db.prepare<[number], { id: string }>('SELECT id FROM job WHERE seq = ?');
    const jobs = [...new Set(segments.map(jobOf))].flatMap((seq) => find.get(seq)?.id ?? []);
    return { isOfOneJob, jobs, segments };
  }

  segmentOf(jobId: string, page: number): MovedSegment | undefined {
    const find = this.#db.prepare<[number], Omit<MovedSegment, 'job'>>(
      `SELECT ${moved} FROM raw_page p JOIN raw_segment s ON s.id = p.segment
       WHERE p.id = ? AND p.length > 0 AND s.object IS NOT NULL`,
    );
    const ids = runSteps(this.#db, placesOf(jobId, page)).map((place) => place.job * pagesPerJob + (place.page ?? 0));
    const [found] = ids.flatMap((id) => find.all(id));
    return found && placed(found);
  }

  jobsOutside(): readonly JobOutside[] {
    const sql = `SELECT j.id, j.org, j.scraped AS pages, (
        SELECT json_group_array(-s.id % ${pagesPerJob}) FROM raw_segment s WHERE s.object IS NOT NULL AND ${picturesOfJob}) AS pictures
      FROM job j WHERE ${kept} AND EXISTS (
        SELECT 1 FROM raw_segment s WHERE s.object IS NOT NULL
        AND (s.id >= j.seq * ${pagesPerJob} AND s.id < (j.seq + 1) * ${pagesPerJob} OR ${picturesOfJob}))`;
    const rows = this.#db.prepare<[object], Omit<JobOutside, 'pictures'> & { pictures: string }>(sql);
    return rows
      .all({ now: Date.now() })
      .map(({ id, org, pages, pictures }) => ({ id, org, pages, pictures: JSON.parse(pictures) as readonly number[] }));
  }
}

/** The id of a segment contains its job. */
function placed({ segment, object, at, size }: Omit<MovedSegment, 'job'>): MovedSegment {
  return { segment, object, at, size, job: 0 };
}

type Listed = Omit<MovedSegment, 'job'> & { readonly isOfOneJob: 0 | 1 };

function jobOf({ segment }: Pick<MovedSegment, 'segment'>): number {
  return Math.floor(Math.abs(segment) / pagesPerJob);
}

/** Gathered segments stay with those of their job. */
function isMovedWith(one: Listed, other: Listed): boolean {
  return one.isOfOneJob === other.isOfOneJob && (one.isOfOneJob === 0 || jobOf(one) === jobOf(other));
}
