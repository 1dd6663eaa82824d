import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { type Allocate, newMemory } from '../core/bytes/allocate.ts';
import { fragmentIn, type StoredPage } from '../core/page.ts';
import { metadataIn } from './decode.ts';
import { GzipMember } from './gzip-member.ts';
import { rowEnd, rowOpening, rowStart } from './row.ts';

const gunzipAsync = promisify(gunzip);
const gzipAsync = promisify(gzip);

/** Limit of zlib's output chunk. */
const chunkBytesMax = 4 * 2 ** 20;

/** Digits of a page number, plus the comma after it. */
const numberBytesMax = 9;

/** Text before, between and after the rows, in ASCII. */
export interface Envelope {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/**
 * Builds the rows of a response from their stored bytes. Compressed rows are joined without recompression; for a plain
 * response the result is inflated off the main thread. Selected fields of metadata are plain already.
 */
export async function resultsBody(
  pages: readonly StoredPage[],
  envelope: Envelope,
  packed: boolean,
  allocate: Allocate = newMemory,
): Promise<Buffer> {
  if (!arePacked(pages)) {
    if (!packed) return rowsOfFields(pages, envelope, allocate);
    const plain = rowsOfFields(pages, envelope, newMemory);
    return gzipAsync(plain, { level: constants.Z_BEST_SPEED });
  }
  const member = new GzipMember();
  addPackedRows(member, pages, envelope);
  member.end();
  return packed ? member.drain(allocate) : gunzipAsync(member.drain(), { chunkSize: chunkSizeFor(member.length) });
}

/** zlib returns to its caller whenever its output chunk is full: by default after every 16 KiB. */
function chunkSizeFor(bytes: number): number {
  return Math.min(Math.max(bytes + 1, constants.Z_MIN_CHUNK), chunkBytesMax);
}

/** Returns true if the rows can be joined into a gzip member. All rows of a slice have the same form. */
export function arePacked([first]: readonly StoredPage[]): boolean {
  return first !== undefined && first.fields === undefined;
}

export function addPackedRows(
  member: GzipMember,
  pages: readonly StoredPage[],
  { before, between, after }: Envelope,
): void {
  // A text includes the end of its row; metadata does not.
  const end = pages[0]?.body === undefined ? rowEnd : '';
  let separator = before;
  for (const stored of pages) {
    member.literal(separator + rowStart(stored.page));
    member.fragment(fragmentIn(stored));
    separator = end + between;
  }
  member.literal((pages.length === 0 ? before : end) + after);
}

function rowsOfFields(pages: readonly StoredPage[], { before, between, after }: Envelope, allocate: Allocate): Buffer {
  // The bytes before a page's number are built once.
  const first = Buffer.from(before + rowOpening);
  const next = Buffer.from(rowEnd + between + rowOpening);
  const last = (pages.length === 0 ? before : rowEnd) + after;
  let bytesMax = first.length + last.length;
  for (const stored of pages) bytesMax += next.length + numberBytesMax + metadataIn(stored).length;

  const rows = allocate(bytesMax);
  let at = 0;
  let opening = first;
  for (const stored of pages) {
    at = write(rows, opening, at);
    at = writeAscii(rows, `${stored.page},`, at);
    at = write(rows, metadataIn(stored), at);
    opening = next;
  }
  return rows.subarray(0, writeAscii(rows, last, at));
}

/** Returns the position after the part. */
function write(bytes: Uint8Array, part: Uint8Array, at: number): number {
  bytes.set(part, at);
  return at + part.length;
}

/** The same. For a few characters, `Buffer.write` would take longer. */
function writeAscii(bytes: Uint8Array, text: string, at: number): number {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}
