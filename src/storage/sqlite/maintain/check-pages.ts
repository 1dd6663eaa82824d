import { Damage, type DamagedPage } from '../../../core/ports/check.ts';
import type { Segment } from '../../../core/ports/blobs.ts';
import { RawCheck } from '../../../page/raw-segments.ts';
import { freeIfOwned } from '../../../core/process/free-bytes.ts';
import { isWhole } from '../../rules/pages/whole-fragment.ts';
import { screenshotIn } from '../../rules/pages/screenshots.ts';
import { isKept } from './check-database.ts';
import type { Database } from '../file/database.ts';
import { knownVersion } from '../file/schema.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

/** A damaged number can exceed what JavaScript can hold. */
const uint32Max = 2 ** 32 - 1;
const crcs = `crc & ${uint32Max}, packed_crc & ${uint32Max}`;
/** Rows per statement: if the log grows meanwhile, it is held no longer than one statement. */
const rowsPerStatement = 1_000;
type FragmentRow = readonly [id: number, deflated: unknown, crc: number, packedCrc: number, length: number];
type SliceRow = readonly [id: number, segment: number, at: number, length: number, crc: number];
type ScreenshotRow = readonly [id: number, type: unknown, bytes: unknown, crc: unknown];

/**
 * Reads every page of a database whose structure is intact, unpacks its text, and returns the pages that are not what
 * was stored. Takes about 15 s for a gigabyte. Skips results that nobody can read any more at `now`.
 */
export function damageIn(db: Database, now: number): Damage {
  const damage = new Damage();
  knownVersion(db);
  const kept = new Map(
    db
      .prepare<[number], { seq: number; id: string }>(`SELECT seq, id FROM job WHERE ${isKept('?')}`)
      .all(now)
      .map(({ seq, id }) => [seq, id]),
  );
  // The text of a page whose job is gone belongs to the later jobs that name it.
  const sharers = db.prepare<[number, number], { job: string; page: number }>(
    `SELECT job.id AS job, coalesce(l.page, 0) AS page FROM ledger l JOIN job ON job.seq = l.job WHERE l.text_of = ? AND ${isKept('?')}`,
  );
  const note = (id: number, part: DamagedPage['part'], isWhole: boolean): void => {
    if (isWhole) return;
    const job = kept.get(Math.floor(id / pagesPerJob));
    if (job !== undefined) damage.add({ job, page: id % pagesPerJob, part });
    else for (const sharer of sharers.all(id, now)) damage.add({ ...sharer, part });
  };

  for (const [table, part] of [
    ['body', 'text'],
    ['page', 'metadata'],
  ] as const) {
    const fragments = `SELECT id, deflated, ${crcs}, length & ${uint32Max} FROM ${table}`;
    for (const [id, deflated, crc, packedCrc, length] of rowsOf<FragmentRow>(db, fragments)) {
      const isBytes = deflated instanceof Uint8Array;
      note(id, part, isBytes && isWhole(id % pagesPerJob, { deflated, crc, length }, packedCrc));
      if (isBytes) freeIfOwned(deflated);
    }
  }
  // Those in objects are compared there.
  const screenshots = `SELECT id, type, bytes, crc & ${uint32Max} FROM (
    SELECT p.* FROM screenshot p LEFT JOIN raw_segment s ON s.id = -p.id WHERE s.object IS NULL)`;
  for (const [id, type, bytes, crc] of rowsOf<ScreenshotRow>(db, screenshots)) {
    note(id, 'screenshot', screenshotIn({ type, bytes, crc }) !== 'damaged');
    if (bytes instanceof Uint8Array) freeIfOwned(bytes);
  }
  const segments = db.prepare<[number], Segment>('SELECT bytes, length FROM raw_segment WHERE id = ?');
  const raw = new RawCheck((id) => segments.get(id));
  const slices = `SELECT id, segment, at, length, crc & ${uint32Max} FROM (
    SELECT p.* FROM raw_page p LEFT JOIN raw_segment s ON s.id = p.segment WHERE s.object IS NULL)`;
  for (const [id, segment, at, length, crc] of rowsOf<SliceRow>(db, slices))
    note(id, 'raw body', raw.isWhole({ segment, at, length, crc }));
  return damage;
}

/** All rows of a table in the order of `id`, the first column. */
function* rowsOf<Row extends readonly [id: number, ...unknown[]]>(db: Database, select: string): Generator<Row> {
  const statement = db.prepareArrays<[number, number], Row>(`${select} WHERE id > ? ORDER BY id LIMIT ?`);
  for (let last = -1, found = rowsPerStatement; found === rowsPerStatement;) {
    found = 0;
    for (const row of statement.iterate(last, rowsPerStatement)) {
      [last] = row;
      found++;
      yield row;
    }
  }
}
