import type { PageSlice, PageStore } from '../../../core/ports/stores.ts';
import { isMetaAsStored, packedMetaIn } from '../../rules/pages/checksums.ts';
import { behind, unbroken } from '../../rules/pages/page-slices.ts';
import { isMetaWhole } from '../../rules/pages/whole-text.ts';
import { projectMetas } from '../../rules/pages/project-metas.ts';
import type { Database, Statement } from '../file/database.ts';
import type { JoinedPages } from './joined-pages.ts';
import { pageId, pagesPerJob } from '../file/schema.ts';

/** JSON arrays, with a number for each page. */
type Found = Readonly<Record<'numbers' | 'sizes' | 'crcs' | 'lengths' | 'packedCrcs', string>>;
export type Numbers = readonly (number | null)[];

export interface MetaQuery extends Pick<Parameters<PageStore['read']>[0], 'after' | 'limit' | 'bytesMax'> {
  readonly job: number;
  /** The job's page count. */
  readonly scraped: number;
}

export interface MetaSlice extends JoinedPages, Pick<PageSlice, 'more' | 'damagedPage'> {}

const uint32Max = 2 ** 32 - 1;
const nothing: Found = { numbers: '[]', sizes: '[]', crcs: '[]', lengths: '[]', packedCrcs: '[]' };

/**
 * Reads metadata in order, plain or packed. Much of the cost is an object for each row and an `ArrayBuffer` for each
 * BLOB. So SQLite joins the bytes into one BLOB, and returns the numbers as JSON (docs/decisions/read-path.md).
 */
export class MetaReads {
  readonly #column: 'meta' | 'packed';
  readonly #find: Statement<[number, number, number], Found>;
  readonly #joined: Statement<[number, number], { readonly bytes: Uint8Array<ArrayBuffer> | null }>;
  readonly #rows: Statement<[number], Parameters<typeof isMetaWhole>[1]>;
  readonly #alone: Statement<[number, number], readonly [bytes: Uint8Array | null]>;

  constructor(db: Database, column: 'meta' | 'packed') {
    this.#column = column;
    // A damaged number can exceed what JavaScript can hold. Sizes are at the start of a row: reading them is cheap.
    const [selected, joined] =
      column === 'meta'
        ? ['', `'[]' AS lengths, '[]' AS packedCrcs`]
        : [
            `, length(meta) AS length, packed_crc & ${uint32Max} AS packed_crc`,
            'json_group_array(length) AS lengths, json_group_array(packed_crc) AS packedCrcs',
          ];
    this.#find = db.prepare(`
      SELECT json_group_array(id % ${pagesPerJob}) AS numbers, json_group_array(size) AS sizes, json_group_array(crc) AS crcs, ${joined}
      FROM (SELECT id, length(${column}) AS size, crc & ${uint32Max} AS crc${selected} FROM page WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)`);
    this.#joined = db.prepare(`
      SELECT CAST(group_concat(text, '') AS BLOB) AS bytes
      FROM (SELECT CAST(${column} AS TEXT) AS text FROM page WHERE id > ? AND id <= ? ORDER BY id)`);
    this.#rows = db.prepare(
      `SELECT meta, crc & ${uint32Max} AS crc, packed, packed_crc & ${uint32Max} AS packedCrc FROM page WHERE id = ?`,
    );
    this.#alone = db.prepareArrays(`SELECT CAST(${column} AS BLOB) FROM page WHERE id > ? AND id <= ? ORDER BY id`);
  }

  /** Pages up to the first that is not what was stored. */
  read({ job, after, limit, bytesMax, scraped }: MetaQuery): MetaSlice {
    const from = pageId(job, after);
    const found = this.#find.get(from, pageId(job, scraped), limit + 1) ?? nothing;
    const numbers = JSON.parse(found.numbers) as number[];
    const [crcs, lengths, packedCrcs] = [found.crcs, found.lengths, found.packedCrcs].map(numbersIn) as [
      Numbers,
      Numbers,
      Numbers,
    ];
    const isPacked = this.#column === 'packed';
    const stored = numbersIn(found.sizes).map((size) => size ?? 0);
    const wanted = countWithin(isPacked ? lengths : stored, limit, bytesMax);
    const { bytes, sizes } = this.#bytes(from, pageId(job, numbers[wanted - 1] ?? after), stored.slice(0, wanted));
    let [count, at] = [0, 0];
    for (const size of sizes.slice(0, unbroken(numbers, after))) {
      const part = bytes.subarray(at, at + size);
      const [crc = null, length = null, packedCrc = null] = [crcs[count], lengths[count], packedCrcs[count]];
      const isAsStored = isPacked
        ? packedMetaIn(after + count + 1, { packed: part, crc, length, packedCrc }) !== undefined
        : isMetaAsStored(part, crc);
      if (!isAsStored) break;
      at += size;
      count++;
    }
    // A damaged row number can be exactly the one that is expected here. Then the next row does not follow it.
    if (!isPacked && count > 0 && numbers.length > count && unbroken(numbers, after) === count) {
      if (!this.#isWhole(job, after + count)) at -= sizes[--count] ?? 0;
    }
    // A null becomes 0, and is not used.
    const first = (values: Numbers): Uint32Array => new Uint32Array(values.slice(0, count) as readonly number[]);
    return {
      numbers: first(numbers),
      sizes: first(sizes),
      bytes: bytes.subarray(0, at),
      ...(isPacked && { packed: { as: 'packedMeta' as const, crcs: first(crcs), lengths: first(lengths) } }),
      ...behind({ after, count, wanted: wanted < Math.min(limit, numbers.length) ? wanted : limit, scraped }),
    };
  }

  /** Uses the page's packed copy: its checksum covers the page number. */
  #isWhole(job: number, page: number): boolean {
    return this.#rows.all(pageId(job, page)).every((row) => isMetaWhole(page, row));
  }

  /**
   * SQLite does not define the handling of NUL bytes in joined text. Today they are kept. If a version ended the text
   * there, the length would differ, and each row is read alone.
   */
  #bytes(
    from: number,
    last: number,
    sizes: readonly number[],
  ): { readonly bytes: Uint8Array<ArrayBuffer>; readonly sizes: readonly number[] } {
    if (sizes.length === 0) return { bytes: new Uint8Array(), sizes };
    const bytes = this.#joined.get(from, last)?.bytes ?? new Uint8Array();
    if (bytes.length === sizes.reduce((sum, size) => sum + size, 0)) return { bytes, sizes };
    const parts = this.#alone.all(from, last).map(([part]) => part ?? new Uint8Array());
    return { bytes: new Uint8Array(Buffer.concat(parts)), sizes: parts.map(({ length }) => length) };
  }
}

/** Plain metadata reduced to some of its fields. */
export function projected(slice: MetaSlice, fields: readonly string[]): MetaSlice {
  let at = 0;
  const metas = Array.from(slice.sizes, (size, index) => ({
    page: slice.numbers[index] ?? 0,
    meta: slice.bytes.subarray(at, (at += size)),
  }));
  const parts = projectMetas(metas, fields).map(({ meta }) => meta);
  const sizes = Uint32Array.from(parts, ({ length }) => length);
  return { ...slice, sizes, bytes: new Uint8Array(Buffer.concat(parts)) };
}

export function numbersIn(json: string): Numbers {
  return JSON.parse(json) as Numbers;
}

/** How many of the leading rows are returned. The row that exceeds `bytesMax` is the last. */
export function countWithin(sizes: Numbers, limit: number, bytesMax: number): number {
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, sizes.length) && bytes <= bytesMax; count++) bytes += sizes[count] ?? 0;
  return count;
}
