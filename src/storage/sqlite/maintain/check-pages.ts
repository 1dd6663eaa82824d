import { Damage, type DamagedPage } from '../../../core/ports/check.ts';
import { freeIfOwned } from '../../../core/process/free-bytes.ts';
import { isMetaWhole, isTextWhole } from '../../rules/pages/whole-text.ts';
import { screenshotIn } from '../../rules/pages/screenshots.ts';
import { isKept } from './check-database.ts';
import type { Database } from '../file/database.ts';
import { knownVersion, pagesPerJob } from '../file/schema.ts';

/** A damaged number can exceed what JavaScript can hold. */
const uint32Max = 2 ** 32 - 1;
const numberColumns: ReadonlySet<string> = new Set(['crc', 'length', 'packed_crc']);
/** Rows per statement: if the log grows meanwhile, it is held no longer than one statement. */
const rowsPerStatement = 1_000;
type TextRow = readonly [id: number, deflated: unknown, crc: number, length: number, checksum: number | null];
type ScreenshotRow = readonly [id: number, type: unknown, bytes: unknown, crc: unknown];
type MetaRow = readonly [id: number, meta: unknown, crc: number | null, packed: unknown, packedCrc: number | null];

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
  const note = (id: number, part: DamagedPage['part'], isWhole: boolean): void => {
    const job = kept.get(Math.floor(id / pagesPerJob));
    if (!isWhole && job !== undefined) damage.add({ job, page: id % pagesPerJob, part });
  };
  // A database of an earlier version can lack columns.
  const columns = db.prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)');
  const selectFrom = (table: string, wanted: readonly string[]): string => {
    const names = new Set(columns.all(table).map(({ name }) => name));
    const list = wanted.map((name) => {
      if (!names.has(name)) return 'NULL';
      return numberColumns.has(name) ? `${name} & ${uint32Max}` : name;
    });
    return `SELECT ${list.join(', ')} FROM ${table}`;
  };

  const texts = selectFrom('body', ['id', 'deflated', 'crc', 'length', 'packed_crc']);
  for (const [id, deflated, crc, length, packedCrc] of rowsOf<TextRow>(db, texts)) {
    note(
      id,
      'text',
      deflated instanceof Uint8Array && isTextWhole(id % pagesPerJob, { deflated, crc, length }, packedCrc),
    );
    if (deflated instanceof Uint8Array) freeIfOwned(deflated);
  }
  const metas = selectFrom('page', ['id', 'meta', 'crc', 'packed', 'packed_crc']);
  for (const [id, meta, crc, packed, packedCrc] of rowsOf<MetaRow>(db, metas)) {
    note(id, 'metadata', isMetaWhole(id % pagesPerJob, { meta, crc, packed, packedCrc }));
    for (const bytes of [meta, packed]) if (bytes instanceof Uint8Array) freeIfOwned(bytes);
  }
  // A database of an earlier version has no such table.
  if (columns.all('screenshot').length === 0) return damage;
  const screenshots = selectFrom('screenshot', ['id', 'type', 'bytes', 'crc']);
  for (const [id, type, bytes, crc] of rowsOf<ScreenshotRow>(db, screenshots)) {
    note(id, 'screenshot', screenshotIn({ type, bytes, crc }) !== 'damaged');
    if (bytes instanceof Uint8Array) freeIfOwned(bytes);
  }
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
