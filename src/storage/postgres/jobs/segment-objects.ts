import type { JobOutside, MovedSegment, SegmentMove, SegmentObjects } from '../../../core/ports/object-store.ts';
import type { SegmentPlace } from '../../../core/ports/blobs.ts';
import { objectsPerStep, segmentsPerMove, withinMove } from '../../rules/pages/segment-objects.ts';
import { placesOf } from '../../shared/erase-traces.ts';
import type { objectRows } from '../../shared/object-rows.ts';
import { type Call, through } from '../../shared/through.ts';
import type { Connections, Transaction } from '../connection/connections.ts';
import { runSteps } from '../connection/run-steps.ts';
import { nowSql } from '../connection/schema.ts';

interface Named {
  readonly name: string;
}

const kept = `NOT j.swept AND (j.results_gone_at IS NULL OR j.results_gone_at > ${nowSql})`;
const moved = 's.job, s.page AS segment, s.object, s.object_at AS at, s.size';
/**
 * Objects of which a part is of a job or a page that is gone: shared ones are written again without it, new ones are deleted.
 * `names`: SQL that lists them.
 */
export async function giveUpObjects(tx: Transaction, names: string, values: readonly number[]): Promise<void> {
  // In one order: a commit can name the same objects.
  const found = await tx.query<Named>(
    `SELECT name FROM raw_object WHERE name IN (${names}) ORDER BY name FOR UPDATE`,
    values,
  );
  if (found.length === 0) return;
  // mutant postgres-deleted-body-stays-in-object, promise 14: `has_deleted = true` -> `has_deleted = false`; postgres/special-contracts "shares with one that runs"
  tx.send(
    "UPDATE raw_object SET has_deleted = true WHERE name = ANY($1::text[]) AND state = 'live' AND NOT of_one_job",
    [found.map(({ name }) => name)],
  );
  tx.send(`UPDATE raw_object SET state = 'lost', at = ${nowSql} WHERE name = ANY($1::text[]) AND state = 'new'`, [
    found.map(({ name }) => name),
  ]);
}

const shared = "o.state = 'live' AND NOT o.of_one_job";

/** What only this store does so. `wait` and `refuse`: what happens while the database is away. */
export function segmentObjectsOf(
  connections: Connections,
  wait: Call,
  refuse: Call,
): Omit<SegmentObjects, keyof typeof objectRows> {
  const objects = new PostgresSegmentObjects(connections);
  return {
    ...through(objects, ['register'], wait),
    ...through(objects, ['nextMove', 'move', 'segmentOf', 'takeIn', 'markDead', 'jobsOutside'], refuse),
  };
}

class PostgresSegmentObjects {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** A job that is deleted after the first statement finds the object: a sweep marks it. The second one sees all others. */
  async register(name: string, bytes: number, jobs: readonly string[]): Promise<readonly string[]> {
    await this.#connections.run(
      // It can be repeated after a lost answer. Without ON CONFLICT, a row takes one record of the log, not two.
      `WITH made AS (
         INSERT INTO raw_object (name, bytes, state, at)
         SELECT $1, $2, 'new', ${nowSql} WHERE NOT EXISTS (SELECT FROM raw_object WHERE name = $1) RETURNING name)
       INSERT INTO raw_object_job (object, job) SELECT made.name, j.seq FROM made, job j WHERE j.id = ANY($3::text[])`,
      [name, bytes, jobs],
    );
    const gone = `SELECT j.id AS name FROM job j WHERE j.id = ANY($1::text[]) AND NOT (${kept})`;
    return this.#names(gone, [jobs]);
  }

  async nextMove(bytesMax: number): Promise<SegmentMove | undefined> {
    const [ended] = await this.#connections.query<{ job: number }>(
      `SELECT s.job FROM raw_object o JOIN raw_segment s ON s.object = o.name JOIN job j ON j.seq = s.job
       WHERE ${shared} AND j.finished_at IS NOT NULL AND ${kept} LIMIT 1`,
    );
    const segments = ended
      ? await this.#connections.query<MovedSegment>(
          `SELECT ${moved} FROM raw_segment s JOIN raw_object o ON o.name = s.object
           WHERE s.job = $1 AND NOT o.of_one_job ORDER BY s.page < 0, abs(s.page) LIMIT $2`,
          [ended.job, segmentsPerMove],
        )
      : await this.#withDeleted();
    const [first] = segments;
    if (!first) return undefined;
    const isOfOneJob = ended !== undefined || ('of_one_job' in first && first.of_one_job === true);
    // Gathered segments stay with those of their job.
    const moving = withinMove(isOfOneJob ? segments.filter(({ job }) => job === first.job) : segments, bytesMax);
    const jobs = await this.#names('SELECT id AS name FROM job WHERE seq = ANY($1::bigint[])', [
      [...new Set(moving.map(({ job }) => job))],
    ]);
    return { isOfOneJob, jobs, segments: moving };
  }

  async move(name: string, { isOfOneJob, segments }: SegmentMove, places: readonly SegmentPlace[]): Promise<void> {
    await this.#connections.transaction(async (tx) => {
      const live = "UPDATE raw_object SET state = 'live', of_one_job = $2 WHERE name = $1 AND state IN ('new', 'live')";
      if ((await tx.run(live, [name, isOfOneJob])) === 0) throw new Error(`object ${name} is dead`);
      await tx.run(
        `UPDATE raw_segment s SET object = $1, object_at = u.at, size = u.size
         FROM unnest($2::bigint[], $3::int[], $4::text[], $5::int[], $6::int[]) AS u (job, page, object, at, size)
         WHERE s.job = u.job AND s.page = u.page AND s.object = u.object`,
        [
          name,
          segments.map(({ job }) => job),
          segments.map(({ segment }) => segment),
          segments.map(({ object }) => object),
          places.map(({ at }) => at),
          places.map(({ size }) => size),
        ],
      );
    });
  }

  /** The rows are locked first: what a commit named while this waited for it is seen by the second statement only. */
  markDead(keptMs: number): Promise<boolean> {
    const unnamed = 'NOT EXISTS (SELECT FROM raw_segment s WHERE s.object = o.name)';
    return this.#connections.transaction(async (tx) => {
      const lost = await tx.run(
        `UPDATE raw_object SET state = 'lost', at = ${nowSql} WHERE state = 'new' AND name IN (
           SELECT name FROM raw_object WHERE state = 'new' AND at <= ${nowSql} - $1::bigint ORDER BY name FOR UPDATE)`,
        [keptMs],
      );
      const found = await tx.query<Named>(
        `SELECT name FROM raw_object o WHERE state = 'live' AND ${unnamed} ORDER BY name LIMIT ${objectsPerStep} FOR UPDATE`,
      );
      const sql = `UPDATE raw_object o SET state = 'dead', at = ${nowSql} WHERE name = ANY($1::text[]) AND ${unnamed}`;
      const dead = found.length > 0 ? await tx.run(sql, [found.map(({ name }) => name)]) : 0;
      return lost + dead > 0;
    });
  }

  /** Of shared objects, or else of those of ended jobs. */
  async #withDeleted(): Promise<readonly MovedSegment[]> {
    const rows = await this.#connections.query<MovedSegment & { readonly of_one_job: boolean }>(
      `SELECT ${moved}, o.of_one_job FROM raw_object o JOIN raw_segment s ON s.object = o.name JOIN job j ON j.seq = s.job
       WHERE o.state = 'live' AND o.has_deleted AND ${kept} ORDER BY o.of_one_job, o.name LIMIT $1`,
      [segmentsPerMove],
    );
    return rows.filter((row) => row.of_one_job === rows[0]?.of_one_job);
  }

  async segmentOf(jobId: string, page: number): Promise<MovedSegment | undefined> {
    const places = await runSteps(this.#connections, placesOf(jobId, page));
    const [found] = await this.#connections.query<MovedSegment>(
      `SELECT ${moved} FROM unnest($1::bigint[], $2::int[]) AS o (job, page) JOIN raw_page p ON p.job = o.job AND p.page = o.page
         JOIN raw_segment s ON s.job = p.job AND s.page = p.segment
       WHERE p.length > 0 AND s.object IS NOT NULL LIMIT 1`,
      [places.map((place) => place.job), places.map((place) => place.page)],
    );
    return found;
  }

  takeIn({ job, segment, object }: MovedSegment, bytes: Uint8Array): Promise<boolean> {
    return this.#connections.transaction(async (tx) => {
      tx.send('UPDATE raw_object SET has_deleted = true WHERE name = $1', [object]);
      const sql =
        'UPDATE raw_segment SET bytes = $4, object = NULL, object_at = NULL, size = NULL WHERE job = $1 AND page = $2 AND object = $3';
      return (await tx.run(sql, [job, segment, object, bytes])) > 0;
    });
  }

  jobsOutside(): Promise<readonly JobOutside[]> {
    return this.#connections.query(
      `SELECT j.id, j.org, j.scraped AS pages,
         ARRAY(SELECT -s.page FROM raw_segment s WHERE s.job = j.seq AND s.page < 0 AND s.object IS NOT NULL) AS pictures
       FROM job j WHERE ${kept}
       AND EXISTS (SELECT FROM raw_segment s WHERE s.job = j.seq AND s.object IS NOT NULL)`,
    );
  }

  async #names(
    sql: string,
    values: readonly (number | readonly string[] | readonly number[])[],
  ): Promise<readonly string[]> {
    return (await this.#connections.query<Named>(sql, values)).map(({ name }) => name);
  }
}
