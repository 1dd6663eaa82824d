// What the database knows of objects outside of it: the statements that are the same on both stores.
import type { SegmentPlace } from '../../core/ports/blobs.ts';
import type {
  JobOutside,
  MovedSegment,
  ObjectsIdentity,
  SegmentMove,
  SegmentObjects,
} from '../../core/ports/object-store.ts';
import {
  identityBytes,
  identityIn,
  identitySetting,
  isAliveSql,
  objectsPerStep,
  segmentsPerMove,
  withinMove,
} from '../rules/pages/segment-objects.ts';
import { placesOf } from './erase-traces.ts';
import { all, each, one, type OperationsOf, run, send, type Steps } from './operation.ts';
import { clock, either, forUpdate, isIn, nothing, raw, type Sql, sql } from './sql.ts';
import { pageId, pagesPerJob } from '../rules/jobs/page-id.ts';

const kept = sql`j.swept = 0 AND (j.results_gone_at IS NULL OR j.results_gone_at > ${clock()})`;
const moved = raw('s.id AS segment, s.object, s.object_at AS at, s.size');
/** The job of a segment, whose id is negative where it holds a screenshot. */
const jobOfSegment = raw(`abs(s.id) / ${pagesPerJob}`);
const isNamed = raw('EXISTS (SELECT 1 FROM raw_segment s WHERE s.object = raw_object.name)');

export const objectRows: OperationsOf<SegmentObjects> = {
  register: {
    kind: 'write',
    waits: true,
    // A job that is deleted later finds the object: a sweep marks it. Until this ends, none of them is.
    *steps(name: string, bytes: number, jobs: readonly string[]) {
      const found = yield* all<{ readonly seq: number; readonly id: string; readonly kept: boolean | number }>(
        sql`SELECT seq, id, ${kept} AS kept FROM job j WHERE id ${isIn(jobs)} ORDER BY seq ${either(nothing, raw('FOR SHARE'))}`,
      );
      // It can be repeated after a lost response.
      const isNew = sql`SELECT ${name}, ${bytes}, 'new', ${clock()} WHERE NOT EXISTS (SELECT 1 FROM raw_object WHERE name = ${name})`;
      if ((yield* run(sql`INSERT INTO raw_object (name, bytes, state, at) ${isNew}`)) > 0)
        yield* each({
          rows: found.map(({ seq }) => ({ seq })),
          columns: { seq: 'bigint' },
          statement: (u) => sql`INSERT INTO raw_object_job (object, job) SELECT ${name}, u.seq FROM ${u}`,
        });
      return found.filter((job) => !job.kept).map(({ id }) => id);
    },
  },
  nextMove: {
    kind: 'read',
    *steps(bytesMax: number) {
      const shared = sql`o.state = 'live' AND o.of_one_job = 0`;
      const ended = yield* one<{ readonly job: number }>(
        sql`SELECT j.seq AS job FROM raw_object o JOIN raw_segment s ON s.object = o.name JOIN job j ON j.seq = ${jobOfSegment}
          WHERE ${shared} AND j.finished_at IS NOT NULL AND ${kept} LIMIT 1`,
      );
      const segments = yield* all<Listed>(
        ended
          ? sql`SELECT ${moved}, 1 AS of_one_job FROM raw_segment s JOIN raw_object o ON o.name = s.object
              WHERE ${ofJob(sql`CAST(${ended.job} AS bigint)`)} AND o.of_one_job = 0 ORDER BY s.id < 0, abs(s.id) LIMIT ${segmentsPerMove}`
          : sql`SELECT ${moved}, o.of_one_job FROM raw_object o JOIN raw_segment s ON s.object = o.name JOIN job j ON j.seq = ${jobOfSegment}
              WHERE o.state = 'live' AND o.has_deleted = 1 AND ${kept} ORDER BY o.of_one_job, o.name LIMIT ${segmentsPerMove}`,
      );
      const [first] = segments;
      return first && (yield* moveOf(first, segments, bytesMax));
    },
  },
  move: {
    kind: 'write',
    *steps(name: string, { isOfOneJob, segments }: SegmentMove, places: readonly SegmentPlace[]) {
      const live = sql`UPDATE raw_object SET state = 'live', of_one_job = ${Number(isOfOneJob)} WHERE name = ${name} AND ${raw(isAliveSql)}`;
      if ((yield* run(live)) === 0) throw new Error(`object ${name} is dead`);
      yield* each({
        rows: segments.map(({ segment, object }, index) => ({
          id: segment,
          object,
          at: places[index]?.at ?? 0,
          size: places[index]?.size ?? 0,
        })),
        columns: { id: 'bigint', object: 'text', at: 'int', size: 'int' },
        statement: (u) => sql`UPDATE raw_segment SET object = ${name}, object_at = u.at, size = u.size FROM ${u}
          WHERE raw_segment.id = u.id AND raw_segment.object = u.object`,
      });
    },
  },
  segmentOf: {
    kind: 'read',
    *steps(jobId: string, page: number) {
      const ids = (yield* placesOf(jobId, page)).map((place) => pageId(place.job, place.page ?? 0));
      return yield* one<MovedSegment>(
        sql`SELECT ${moved} FROM raw_page p JOIN raw_segment s ON s.id = p.segment
          WHERE p.id ${isIn(ids)} AND p.length > 0 AND s.object IS NOT NULL LIMIT 1`,
      );
    },
  },
  takeIn: {
    kind: 'write',
    makesRoom: true,
    *steps({ segment, object }: MovedSegment, bytes: Uint8Array) {
      yield* send(sql`UPDATE raw_object SET has_deleted = 1 WHERE name = ${object}`);
      yield* send(
        sql`UPDATE raw_segment SET bytes = ${bytes}, object = NULL, object_at = NULL, size = NULL WHERE id = ${segment} AND object = ${object}`,
      );
    },
  },
  markDead: {
    kind: 'write',
    makesRoom: true,
    // The rows are locked first: what a commit named while this waited for it is seen by the second statement only.
    *steps(keptMs: number) {
      const isOld = sql`state = 'new' AND at <= ${clock()} - CAST(${keptMs} AS bigint)`;
      const lost = yield* run(
        sql`UPDATE raw_object SET state = 'lost', at = ${clock()} WHERE state = 'new' AND name IN (
          SELECT name FROM raw_object WHERE ${isOld} ORDER BY name ${forUpdate})`,
      );
      const found = yield* namesOf(
        sql`state = 'live' AND NOT ${isNamed} ORDER BY name LIMIT ${objectsPerStep} ${forUpdate}`,
      );
      const dead = sql`UPDATE raw_object SET state = 'dead', at = ${clock()} WHERE name ${isIn(found)} AND NOT ${isNamed}`;
      return lost + (found.length > 0 ? yield* run(dead) : 0) > 0;
    },
  },
  jobsOutside: {
    kind: 'snapshot',
    *steps() {
      const jobs = yield* all<Omit<JobOutside, 'pictures'> & { readonly seq: number }>(
        sql`SELECT j.seq, j.id, j.org, j.scraped AS pages FROM job j
          WHERE ${kept} AND EXISTS (SELECT 1 FROM raw_segment s WHERE s.object IS NOT NULL AND ${ofJob(raw('j.seq'))})`,
      );
      const rows = yield* all<{ readonly id: number }>(
        sql`SELECT -id AS id FROM raw_segment WHERE id < 0 AND object IS NOT NULL`,
      );
      const pictures = Map.groupBy(rows, ({ id }) => Math.floor(id / pagesPerJob));
      return jobs.map(({ seq, id, org, pages }) => ({
        id,
        org,
        pages,
        pictures: pictures.get(seq)?.map((picture) => picture.id % pagesPerJob) ?? [],
      }));
    },
  },
  areAlive: {
    kind: 'read',
    waits: true,
    *steps(names: readonly string[]) {
      const alive = yield* namesOf(sql`name ${isIn(names)} AND ${raw(isAliveSql)}`);
      return alive.length === new Set(names).size;
    },
  },
  dead: { kind: 'read', steps: (sinceMs: number) => namesOf(sql`state = 'dead' AND ${isSince(sinceMs)}`) },
  lost: { kind: 'read', steps: (sinceMs: number) => namesOf(sql`state = 'lost' AND ${isSince(sinceMs)}`) },
  forget: {
    kind: 'write',
    makesRoom: true,
    *steps(names: readonly string[]) {
      const gone = sql`name ${isIn(names)} AND state IN ('dead', 'lost')`;
      yield* send(sql`DELETE FROM raw_object_job WHERE object IN (SELECT name FROM raw_object WHERE ${gone})`);
      yield* send(sql`DELETE FROM raw_object WHERE ${gone}`);
    },
  },
  known: { kind: 'read', steps: (names: readonly string[]) => namesOf(sql`name ${isIn(names)}`) },
  live: {
    kind: 'read',
    steps: (after: string) =>
      all<{ readonly name: string; readonly bytes: number }>(
        sql`SELECT name, bytes FROM raw_object WHERE name > ${after} AND state = 'live' ORDER BY name LIMIT ${objectsPerStep}`,
      ),
  },
  identity: {
    kind: 'read',
    *steps() {
      const row = yield* one<{ readonly value: Uint8Array }>(
        sql`SELECT value FROM setting WHERE name = ${identitySetting}`,
      );
      return identityIn(row?.value);
    },
  },
  setIdentity: {
    kind: 'write',
    *steps(identity: ObjectsIdentity, replaces: boolean) {
      const change = raw(replaces ? 'UPDATE SET value = excluded.value' : 'NOTHING');
      yield* run(
        sql`INSERT INTO setting (name, value) VALUES (${identitySetting}, ${identityBytes(identity)}) ON CONFLICT (name) DO ${change}`,
      );
    },
  },
};

function isSince(sinceMs: number): Sql {
  return sql`at <= ${clock()} - CAST(${sinceMs} AS bigint) LIMIT ${objectsPerStep}`;
}

function* namesOf(condition: Sql): Steps<readonly string[]> {
  const rows = yield* all<{ readonly name: string }>(sql`SELECT name FROM raw_object WHERE ${condition}`);
  return rows.map(({ name }) => name);
}

/** Segments `s` with raw bodies or screenshots of a job. */
function ofJob(seq: Sql): Sql {
  const per = raw(String(pagesPerJob));
  return sql`(s.id >= ${seq} * ${per} AND s.id < (${seq} + 1) * ${per} OR s.id > (${seq} + 1) * -${per} AND s.id <= ${seq} * -${per})`;
}

type Listed = MovedSegment & { readonly of_one_job: 0 | 1 };

/** Gathered segments stay with those of their job. */
function* moveOf(first: Listed, listed: readonly Listed[], bytesMax: number): Steps<SegmentMove> {
  const isOfOneJob = first.of_one_job === 1;
  const jobOf = ({ segment }: MovedSegment): number => Math.floor(Math.abs(segment) / pagesPerJob);
  const together = listed.filter(
    (other) => other.of_one_job === first.of_one_job && (!isOfOneJob || jobOf(other) === jobOf(first)),
  );
  const segments = withinMove(together, bytesMax).map(({ segment, object, at, size }) => ({
    segment,
    object,
    at,
    size,
  }));
  const jobs = yield* all<{ readonly id: string }>(
    sql`SELECT id FROM job WHERE seq ${isIn([...new Set(segments.map(jobOf))])}`,
  );
  return { isOfOneJob, jobs: jobs.map(({ id }) => id), segments };
}

/**
 * Parts of these objects are of a job or a page that is gone: shared ones are written again without it, new ones are
 * deleted. `names`: SQL that lists them. A commit can name the same objects: they are locked in one order.
 */
export function* giveUpObjects(names: Sql): Steps<void> {
  const found = isIn(yield* namesOf(sql`name IN (${names}) ORDER BY name ${forUpdate}`));
  yield* send(sql`UPDATE raw_object SET has_deleted = 1 WHERE name ${found} AND state = 'live' AND of_one_job = 0`);
  yield* send(sql`UPDATE raw_object SET state = 'lost', at = ${clock()} WHERE name ${found} AND state = 'new'`);
}
