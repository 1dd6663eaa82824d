// NDJSON: one row per line. The last line distinguishes a complete stream from a cut one.
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { StoredPage } from '../../core/page.ts';
import type { Results } from '../../jobs/read-results.ts';
import { GzipMember } from '../../page/gzip-member.ts';
import { addPackedRows, arePacked, resultsBody } from '../../page/join-rows.ts';
import { rowLines } from '../../page/lines.ts';
import { chained } from './chained.ts';
import { type Shaping, shapedLines } from './shaped-results.ts';

const deflateRawAsync = promisify(deflateRaw);

/** Some rows of a stream, and the lines that follow them. */
export interface LineSlice {
  /** Pages as stored, or complete lines. */
  readonly rows: readonly StoredPage[] | Uint8Array;
  readonly after: string;
  readonly isLast: boolean;
  /** Frees the memory of the rows. */
  readonly release: () => void;
}

export async function* plainLines(slices: AsyncIterable<LineSlice>): AsyncGenerator<Uint8Array> {
  for await (const { rows, after, release } of slices) {
    const lines = await plain(rows);
    release();
    if (lines.length > 0) yield lines;
    if (after !== '') yield Buffer.from(after);
  }
}

/** The same, as one gzip member that grows with the rows. */
export async function* packedLines(slices: AsyncIterable<LineSlice>): AsyncGenerator<Uint8Array> {
  const member = new GzipMember();
  for await (const { rows, after, isLast, release } of slices) {
    if (!(rows instanceof Uint8Array) && arePacked(rows)) addPackedRows(member, rows, rowLines);
    else await addPlain(member, await plain(rows));
    if (after !== '') member.literal(after);
    if (isLast) member.end();
    const lines = member.drain();
    release();
    yield lines;
  }
}

/** The lines of a job's pages. `first` was already taken from `rest`. */
export async function* pageLines(
  first: IteratorResult<Results>,
  rest: AsyncGenerator<Results>,
  shaping?: Shaping,
): AsyncGenerator<LineSlice> {
  let damaged = 0;
  let chunks = 0;
  for await (const slice of chained(first, rest)) {
    const { pages, damagedPage, more, release } = slice;
    let after = '';
    if (damagedPage !== undefined) {
      damaged++;
      after += damagedLine(damagedPage);
    }
    let rows: LineSlice['rows'] = pages;
    if (shaping !== undefined) {
      const shaped = await shapedLines(pages, shaping);
      rows = shaped.lines;
      chunks += shaped.count;
    }
    if (!more) after += endLine(slice, damaged, shaping?.chunkChars === undefined ? undefined : chunks);
    yield { rows, after, isLast: !more, release };
  }
}

/** The lines of a list. `first` was already taken from `rest`. `endOf`: the last line; undefined if more slices follow. */
export async function* listLines<Slice>(
  first: IteratorResult<Slice>,
  rest: AsyncGenerator<Slice>,
  rowsOf: (slice: Slice) => readonly object[],
  endOf: (slice: Slice, count: number) => object | undefined,
): AsyncGenerator<LineSlice> {
  let count = 0;
  for await (const slice of chained(first, rest)) {
    const rows = rowsOf(slice);
    count += rows.length;
    const end = endOf(slice, count);
    yield {
      rows: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
      after: end ? `${JSON.stringify({ end: true, ...end })}\n` : '',
      isLast: end !== undefined,
      release: () => {},
    };
  }
}

async function plain(rows: LineSlice['rows']): Promise<Uint8Array> {
  if (rows instanceof Uint8Array) return rows;
  return rows.length === 0 ? Buffer.alloc(0) : resultsBody(rows, rowLines, false);
}

async function addPlain(member: GzipMember, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) return;
  const options = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_FULL_FLUSH };
  member.fragment({ deflated: await deflateRawAsync(bytes, options), crc: crc32(bytes), length: bytes.length });
}

/** Stands in for a damaged page. */
function damagedLine(page: number): string {
  return `${JSON.stringify({ error: 'page_damaged', page })}\n`;
}

/** `pages`: all committed pages, including damaged ones. */
function endLine({ total }: Results, damaged: number, chunks: number | undefined): string {
  const counts = { pages: total, ...(chunks !== undefined && { chunks }), ...(damaged > 0 && { damaged }) };
  return `${JSON.stringify({ end: true, ...counts })}\n`;
}
