import type { BufferPool } from '../../../core/bytes/buffer-pool.ts';
import type { Fragment } from '../../../core/page.ts';
import type { PageSlice, PageStore } from '../../../core/ports/stores.ts';
import { freeIfOwned } from '../../../core/process/free-bytes.ts';
import { fragmentOf } from '../../rules/pages/checksums.ts';
import { behind, unbroken } from '../../rules/pages/page-slices.ts';
import type { Database, Statement } from '../file/database.ts';
import type { JoinedPages } from './joined-pages.ts';
import { pageId, pagesPerJob } from '../../rules/jobs/page-id.ts';

/** A damaged row can have something else in place of its bytes. */
export type FragmentRow = readonly [
  deflated: unknown,
  crc: number | null,
  length: number | null,
  checksum: number | null,
];

export interface FragmentQuery extends Pick<Parameters<PageStore['read']>[0], 'after' | 'limit' | 'bytesMax'> {
  readonly job: number;
  /** The job's page count. */
  readonly scraped: number;
}

export interface FragmentSlice extends JoinedPages, Pick<PageSlice, 'more' | 'damagedPage'> {}

type Numbers = readonly (number | null)[];

/** JSON arrays with the numbers of rows, and the sizes of their fragments. */
interface Found {
  readonly numbers: string;
  readonly sizes: string;
}

/** Consecutive rows: their fragments joined, and JSON arrays with the numbers next to them. */
interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly crcs: string;
  readonly lengths: string;
  readonly checksums: string;
}

/** The numbers next to consecutive fragments. */
type Facts = Readonly<Record<'crcs' | 'lengths' | 'checksums', Numbers>>;

const uint32Max = 2 ** 32 - 1;
const nothing: Found = { numbers: '[]', sizes: '[]' };

/** From 128 KiB on, malloc takes memory from the system and returns it each time: twice the time. */
const pieceBytesMax = 48 * 2 ** 10;

/**
 * Reads the metadata or the texts of pages in order. Much of the cost is an array and an `ArrayBuffer` for each row. So
 * SQLite joins the fragments of some rows at a time, and returns their numbers as JSON (docs/decisions/storage.md).
 */
export class FragmentReads {
  readonly #as: 'meta' | 'body';
  readonly #buffers: BufferPool;
  readonly #find: Statement<[number, number, number], Found>;
  readonly #joined: Statement<[number, number], Piece>;
  readonly #rows: Statement<[number, number], FragmentRow>;

  constructor(db: Database, buffers: BufferPool, table: 'page' | 'body') {
    this.#as = table === 'page' ? 'meta' : 'body';
    this.#buffers = buffers;
    // Sizes are at the start of a row, so they cost no read of its bytes.
    this.#find = db.prepare(`
      SELECT json_group_array(id % ${pagesPerJob}) AS numbers, json_group_array(size) AS sizes
      FROM (SELECT id, length(deflated) AS size FROM ${table} WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)`);
    // A damaged number can exceed what JavaScript can hold.
    const facts = `crc & ${uint32Max} AS crc, length & ${uint32Max} AS length, packed_crc & ${uint32Max} AS checksum`;
    this.#joined = db.prepare(`
      SELECT CAST(group_concat(text, '') AS BLOB) AS bytes, json_group_array(crc) AS crcs,
        json_group_array(length) AS lengths, json_group_array(checksum) AS checksums
      FROM (SELECT CAST(deflated AS TEXT) AS text, ${facts} FROM ${table} WHERE id > ? AND id <= ? ORDER BY id)`);
    this.#rows = db.prepareArrays(`SELECT deflated, ${facts} FROM ${table} WHERE id > ? AND id <= ? ORDER BY id`);
  }

  /** Pages up to the first that is not what was stored. */
  read({ job, after, limit, bytesMax, scraped }: FragmentQuery): FragmentSlice {
    const found = this.#find.get(pageId(job, after), pageId(job, scraped), limit) ?? nothing;
    const numbers = numbersIn(found.numbers) as readonly number[];
    const stored = numbersIn(found.sizes).map((size) => size ?? 0);
    // First limit by packed size, so that no more is read than allowed; the loop below limits by unpacked size.
    const wanted = countWithin(stored, limit, bytesMax);
    const sizes = stored.slice(0, Math.min(wanted, unbroken(numbers, after)));
    const bytes = this.#buffers.take(sumOf(sizes));
    const [crcs, lengths] = [new Uint32Array(sizes.length), new Uint32Array(sizes.length)];
    let [count, at, unpacked] = [0, 0, 0];
    for (let end = 0; count === end && count < sizes.length && unpacked <= bytesMax;) {
      const start = count;
      end = endOfPiece(sizes, start);
      const facts = this.#copy(pageId(job, after + start), sizes.slice(start, end), bytes.subarray(at));
      while (count < end && unpacked <= bytesMax) {
        const deflated = bytes.subarray(at, at + (sizes[count] ?? 0));
        const fragment = fragmentAt(deflated, facts, count - start, after + count + 1);
        if (!fragment) break;
        crcs[count] = fragment.crc;
        unpacked += lengths[count] = fragment.length;
        at += deflated.length;
        count++;
      }
    }
    const isFull = unpacked > bytesMax;
    return {
      numbers: Uint32Array.from(numbers.slice(0, count)),
      sizes: Uint32Array.from(sizes.slice(0, count)),
      bytes: bytes.subarray(0, at),
      packed: { as: this.#as, crcs: crcs.slice(0, count), lengths: lengths.slice(0, count) },
      ...behind({ after, count, wanted: isFull ? count : wanted < numbers.length ? wanted : limit, scraped }),
    };
  }

  /** Copies the fragments of the rows after `id` to `target`, up to the first that is damaged, and returns their numbers. */
  #copy(id: number, sizes: readonly number[], target: Uint8Array): Facts {
    const last = id + sizes.length;
    const piece = sizes.length > 1 ? this.#joined.get(id, last) : undefined;
    if (piece?.bytes?.length === sumOf(sizes)) {
      target.set(piece.bytes);
      freeIfOwned(piece.bytes);
      return { crcs: numbersIn(piece.crcs), lengths: numbersIn(piece.lengths), checksums: numbersIn(piece.checksums) };
    }
    // A large fragment, or a damaged row. Or SQLite ended the joined bytes at a NUL, for which it defines nothing.
    const facts: Record<keyof Facts, (number | null)[]> = { crcs: [], lengths: [], checksums: [] };
    let at = 0;
    for (const [deflated, crc, length, checksum] of this.#rows.all(id, last)) {
      if (!(deflated instanceof Uint8Array) || deflated.length !== sizes[facts.crcs.length]) break;
      target.set(deflated, at);
      at += deflated.length;
      freeIfOwned(deflated);
      facts.crcs.push(crc);
      facts.lengths.push(length);
      facts.checksums.push(checksum);
    }
    return facts;
  }
}

/** The end of a piece that starts with this row: it has at least one row. */
function endOfPiece(sizes: readonly number[], start: number): number {
  let end = start + 1;
  for (let bytes = sizes[start] ?? 0; end < sizes.length; end++) {
    bytes += sizes[end] ?? 0;
    if (bytes > pieceBytesMax) break;
  }
  return end;
}

function fragmentAt(deflated: Uint8Array, facts: Facts, index: number, page: number): Fragment | undefined {
  const { crcs, lengths, checksums } = facts;
  return fragmentOfRow([deflated, crcs[index] ?? null, lengths[index] ?? null, checksums[index] ?? null], page);
}

/** Undefined if there is none, or if it is not what was stored. */
export function fragmentOfRow(row: FragmentRow | undefined, page: number): Fragment | undefined {
  const [deflated, crc = null, length = null, checksum = null] = row ?? [];
  return fragmentOf({ deflated, crc, length, packed_crc: checksum }, page);
}

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

function numbersIn(json: string): Numbers {
  return JSON.parse(json) as Numbers;
}

/** How many of the leading rows are returned. The row that exceeds `bytesMax` is the last. */
function countWithin(sizes: Numbers, limit: number, bytesMax: number): number {
  let count = 0;
  for (let bytes = 0; count < Math.min(limit, sizes.length) && bytes <= bytesMax; count++) bytes += sizes[count] ?? 0;
  return count;
}
