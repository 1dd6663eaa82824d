import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { metadataOf, type StoredPage, textOf } from '../core/page.ts';
import { type Allocate, newMemory } from './answer-memory.ts';
import { GzipMember } from './gzip-member.ts';

const gunzipAsync = promisify(gunzip);
const gzipAsync = promisify(gzip);

/** Memory that zlib fills at a time. */
const chunkBytesMax = 4 * 2 ** 20;

/** Of a page's number, with the comma behind it. */
const numberBytesMax = 9;

/** What stands before, between and behind the rows, in ASCII. */
export interface Envelope {
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/**
 * The rows of a response from their stored bytes. Texts are kept packed, so the packed answer is a copy, and the plain one
 * is that copy unpacked, off the main thread; metadata is kept plain, so there it is the other way round.
 */
export async function resultsBody(
  pages: readonly StoredPage[],
  envelope: Envelope,
  packed: boolean,
  allocate: Allocate = newMemory,
): Promise<Buffer> {
  const withText = pages[0]?.body !== undefined;
  if (!withText) {
    if (!packed) return metadataRows(pages, envelope, allocate);
    const plain = metadataRows(pages, envelope, newMemory);
    return gzipAsync(plain, { level: constants.Z_BEST_SPEED });
  }
  const member = new GzipMember();
  addTextRows(member, pages, envelope);
  member.end();
  return packed ? member.drain(allocate) : gunzipAsync(member.drain(), { chunkSize: chunkSizeFor(member.length) });
}

/** zlib comes back to the main thread whenever its memory is full: for every 16 KiB, if nothing is said. */
function chunkSizeFor(bytes: number): number {
  return Math.min(Math.max(bytes + 1, constants.Z_MIN_CHUNK), chunkBytesMax);
}

const rowOpening = '{"meta":{"page":';
const rowEnd = '}';

/** A page's row begins with its number, which was not known when the rest was stored. */
export function rowStart(page: number): string {
  return `${rowOpening}${page},`;
}

export function addTextRows(
  member: GzipMember,
  pages: readonly StoredPage[],
  { before, between, after }: Envelope,
): void {
  let separator = before;
  for (const stored of pages) {
    member.literal(separator + rowStart(stored.page));
    member.fragment(textOf(stored));
    separator = between;
  }
  member.literal((pages.length === 0 ? before : '') + after);
}

function metadataRows(pages: readonly StoredPage[], { before, between, after }: Envelope, allocate: Allocate): Buffer {
  // What stands before the number of a page is made once.
  const first = Buffer.from(before + rowOpening);
  const next = Buffer.from(rowEnd + between + rowOpening);
  const last = (pages.length === 0 ? before : rowEnd) + after;
  let bytesMax = first.length + last.length;
  for (const stored of pages) bytesMax += next.length + numberBytesMax + metadataOf(stored).length;

  const rows = allocate(bytesMax);
  let at = 0;
  let opening = first;
  for (const stored of pages) {
    at = write(rows, opening, at);
    at = writeAscii(rows, `${stored.page},`, at);
    at = write(rows, metadataOf(stored), at);
    opening = next;
  }
  return rows.subarray(0, writeAscii(rows, last, at));
}

/** Answers the place behind it. */
function write(bytes: Uint8Array, part: Uint8Array, at: number): number {
  bytes.set(part, at);
  return at + part.length;
}

/** The same. Of a few characters, a call of `Buffer.write` would take longer. */
function writeAscii(bytes: Uint8Array, text: string, at: number): number {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}
