// Whether what is stored is what was stored, and adds up. Both stores are checked while processes crawl.
import { Damage, type DamagedPage } from '../../core/ports/check.ts';
import { RawCheck } from '../../page/raw-segments.ts';
import { pageId, pagesPerJob } from '../rules/jobs/page-id.ts';
import { type FragmentColumns, fragmentColumns, fragmentOf } from '../rules/pages/checksums.ts';
import { segmentIn, type SegmentRow } from '../rules/pages/raw-bodies.ts';
import { screenshotIn, type ScreenshotRow } from '../rules/pages/screenshots.ts';
import { inflateFragment } from '../../page/inflate-fragment.ts';
import { all, bytes, one, type Steps } from './operation.ts';
import { clock, isIn, raw, type Sql, sql } from './sql.ts';

/** Pages whose sizes are read together. */
const pagesPerLook = 500;
/** Bytes read at a time. A larger page is read alone. */
const bytesPerRead = 8 * 2 ** 20;
const perJob = raw(String(pageId(1, 0)));

/**
 * True if clients can still read the results of a job, which then must be complete. The first step of their removal sets
 * `swept`, so a clock that is set back restores nothing.
 */
export const isKept = (now?: number): Sql =>
  sql`swept = 0 AND (results_gone_at IS NULL OR results_gone_at > ${clock(now)})`;

/** Each finds a job whose texts or metadata are not all there. */
export function textsMissing(now?: number): readonly WrongJob[] {
  const tables = ['page', 'body'];
  return [
    ...tables.map((table) => ({
      what: `its table ${table} has gaps`,
      sql: sql`WITH held AS (
          SELECT id / ${perJob} AS seq, count(*) AS held, max(id) % ${perJob} AS last, min(id) % ${perJob} AS first FROM ${raw(table)} GROUP BY 1)
        SELECT id FROM job LEFT JOIN held USING (seq) WHERE ${isKept(now)}
          AND (coalesce(held, 0) <> scraped OR coalesce(last, 0) <> scraped OR coalesce(first, 1) <> 1) LIMIT 1`,
    })),
    ...tables.map((table) => ({
      what: `a text that it shares is missing in the table ${table}`,
      sql: sql`SELECT id FROM job WHERE ${isKept(now)} AND since IS NOT NULL AND EXISTS (
          SELECT 1 FROM ledger l WHERE l.job = job.seq AND l.text_of IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM ${raw(table)} t WHERE t.id = l.text_of)) LIMIT 1`,
    })),
  ];
}

export interface WrongJob {
  readonly what: string;
  readonly sql: Sql;
}

/** What is wrong with the first job that does not add up. */
export function* whatIsWrongWith(jobs: readonly WrongJob[]): Steps<string | undefined> {
  for (const { what, sql: found } of jobs) {
    const job = yield* one<{ readonly id: string }>(found);
    if (job) return `job ${job.id}: ${what}`;
  }
  return undefined;
}

/**
 * Reads every page, unpacks its text, and returns the pages that are not what was stored. Takes about 15 s for a gigabyte.
 * Skips results that nobody can read any more at `now`.
 */
export function* damageIn(now?: number): Steps<Damage> {
  const damage = new Damage();
  const kept = yield* all<{ readonly seq: number; readonly id: string }>(
    sql`SELECT seq, id FROM job WHERE ${isKept(now)}`,
  );
  const idOf = new Map(kept.map(({ seq, id }) => [seq, id]));
  const note = function* (id: number, part: DamagedPage['part']): Steps<void> {
    const job = idOf.get(Math.floor(id / pagesPerJob));
    if (job !== undefined) damage.add({ job, page: id % pagesPerJob, part });
    else for (const sharer of yield* sharersOf(id, now)) damage.add({ ...sharer, part });
  };
  for (const [table, part] of [
    ['body', 'text'],
    ['page', 'metadata'],
  ] as const) {
    const fragments: Pages<FragmentColumns> = { table, size: 'length(deflated)', columns: fragmentColumns };
    for (let batch = yield* batchAfter(-1, fragments); batch; batch = yield* batchAfter(batch.end, fragments))
      for (const row of batch.rows) {
        // A text can have been damaged before it had a checksum: then it does not inflate. 30 us for 6 KB, the checksum 1 us.
        const fragment = fragmentOf(row, row.id % pagesPerJob);
        if (!fragment || inflateFragment(fragment) === undefined) yield* note(row.id, part);
      }
  }
  // Those in objects are compared there.
  const object = '(SELECT s.object FROM raw_segment s WHERE s.id = -screenshot.id) AS object';
  const pictures: Pages<ScreenshotRow & { readonly object: string | null }> = {
    table: 'screenshot',
    size: 'length(bytes)',
    columns: `type, bytes, crc, ${object}`,
  };
  for (let batch = yield* batchAfter(-1, pictures); batch; batch = yield* batchAfter(batch.end, pictures))
    for (const row of batch.rows)
      if (row.object === null && screenshotIn(row) === 'damaged') yield* note(row.id, 'screenshot');
  const slices: Pages<SliceRow> = {
    table: 'raw_page',
    size: 'length',
    columns: `segment, at, length, crc & ${2 ** 32 - 1} AS crc`,
  };
  for (let batch = yield* batchAfter(-1, slices); batch; batch = yield* batchAfter(batch.end, slices)) {
    const segments = yield* segmentsOf(batch.rows);
    const check = new RawCheck((segment) => segments.get(segment));
    for (const row of batch.rows)
      if (!segments.get(row.segment)?.place && !check.isWhole(row)) yield* note(row.id, 'raw body');
  }
  return damage;
}

interface SliceRow {
  readonly segment: number;
  readonly at: number;
  readonly length: number;
  readonly crc: number;
}

/** The text of a page whose job is gone belongs to the later jobs that name it. */
function sharersOf(id: number, now?: number): Steps<{ readonly job: string; readonly page: number }[]> {
  return all(
    sql`SELECT job.id AS job, coalesce(l.page, 0) AS page FROM ledger l JOIN job ON job.seq = l.job WHERE l.text_of = ${id} AND ${isKept(now)}`,
  );
}

function* segmentsOf(slices: readonly SliceRow[]): Steps<Map<number, ReturnType<typeof segmentIn>>> {
  const rows = yield* bytes<SegmentRow & { readonly id: number }>(
    sql`SELECT id, bytes, length, object, object_at, size FROM raw_segment WHERE id ${isIn([...new Set(slices.map(({ segment }) => segment))])}`,
  );
  return new Map(rows.map(({ id, ...row }) => [id, segmentIn(row)]));
}

/** A table with a row a page. */
interface Pages<Row> {
  readonly table: string;
  readonly size: string;
  readonly columns: string;
  /** What a row has besides its id. */
  readonly row?: Row;
}

interface Batch<Row> {
  readonly rows: readonly (Row & { readonly id: number })[];
  /** The last id that was looked at. */
  readonly end: number;
}

/** The next rows, a few megabytes at a time. Undefined behind the last. */
function* batchAfter<Row>(last: number, { table, size, columns }: Pages<Row>): Steps<Batch<Row> | undefined> {
  const from = sql`FROM ${raw(table)} WHERE id > ${last}`;
  const sized = yield* all<{ readonly id: number; readonly size: number }>(
    sql`SELECT id, ${raw(size)} AS size ${from} ORDER BY id LIMIT ${pagesPerLook}`,
  );
  if (sized.length === 0) return undefined;
  let sum = 0;
  const past = sized.findIndex(({ size: own }) => (sum += own) > bytesPerRead);
  const end = sized[past < 0 ? sized.length - 1 : Math.max(0, past - 1)]?.id ?? last;
  const rows = yield* bytes<Row & { readonly id: number }>(
    sql`SELECT id, ${raw(columns)} ${from} AND id <= ${end} ORDER BY id`,
  );
  return { rows, end };
}
