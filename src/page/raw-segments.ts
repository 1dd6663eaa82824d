// The stored form of raw bodies. A piece is two lengths, the head as JSON, the body, and the rendered document. Pieces
// that are committed together form a segment: 32 pages of one site take a third to a half less than each alone, in a
// third of the time.
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { promisify } from 'node:util';
import type { FoundSlice, FoundSlices, Segment, Slice, StoredSlice } from '../core/ports/blobs.ts';
import type { RawHead, RawPage } from '../core/raw-page.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Unpacked bytes of a segment: a read of one page unpacks all of it. A larger page has a segment of its own. */
const segmentBytesMax = 2 ** 20;
const lengthsBytes = 8;
/** zlib works in pieces of 16 KB otherwise, each with a turn of the thread pool and memory of its own. */
const pieceBytesMax = segmentBytesMax + 2 ** 10;
const packing = { chunkSize: 2 ** 18, params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Packs pages into as few segments as possible, in order: one slice for each. */
export async function packRawPages(pages: readonly RawPage[]): Promise<readonly StoredSlice[]> {
  const groups: Buffer[][] = [];
  let bytes = 0;
  for (const piece of pages.map(pieceOf)) {
    const isFull = bytes + piece.length > segmentBytesMax;
    if (isFull || groups.length === 0) groups.push([]);
    bytes = isFull ? piece.length : bytes + piece.length;
    groups.at(-1)?.push(piece);
  }
  return (await Promise.all(groups.map(packed))).flat();
}

async function packed(pieces: readonly Buffer[]): Promise<readonly StoredSlice[]> {
  const all = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  const segment: Segment = {
    bytes: await compress(all, packing),
    length: all.length,
  };
  let at = 0;
  return pieces.map((piece): StoredSlice => {
    const slice = { segment, at, length: piece.length, crc: crc32(piece) };
    at += piece.length;
    return slice;
  });
}

/** The page was erased: no stored piece is empty. */
export function isErasedSlice({ length }: Pick<Slice, 'length'>): boolean {
  return length === 0;
}

/** The segment with zeros in place of a slice, of the same length; undefined if it cannot be unpacked. */
export function blankedSegment(segment: Segment, { at, length }: Slice): Segment | undefined {
  const all = unpackNow(segment);
  if (all?.length !== segment.length) return undefined;
  all.fill(0, at, at + length);
  return { bytes: zstdCompressSync(all, packing), length: all.length };
}

function pieceOf({ head, received, rendered }: RawPage): Buffer {
  const json = Buffer.from(JSON.stringify(rendered ? { ...head, isRendered: true } : head));
  const lengths = Buffer.alloc(lengthsBytes);
  lengths.writeUInt32LE(json.length, 0);
  lengths.writeUInt32LE(received.length, 4);
  return Buffer.concat([lengths, json, received, ...(rendered ? [rendered] : [])]);
}

/** Unpacks slices that were read together, each segment once. */
export class SegmentReader {
  readonly #segments: FoundSlices['segments'];
  readonly #unpacked = new Map<number, Promise<Buffer | undefined>>();

  constructor(segments: FoundSlices['segments']) {
    this.#segments = segments;
  }

  /** Undefined if it differs from what was stored, or was erased. Shares the memory of its segment. */
  async read({ segment, at, length, crc }: FoundSlice): Promise<RawPage | undefined> {
    if (isErasedSlice({ length })) return undefined;
    const all = await this.#unpack(segment);
    const piece = all?.subarray(at, at + length);
    if (piece?.length !== length || crc32(piece) !== crc) return undefined;
    return pageIn(piece);
  }

  #unpack(name: number): Promise<Buffer | undefined> {
    const known = this.#unpacked.get(name);
    if (known) return known;
    const segment = this.#segments.get(name);
    const unpacked = segment ? unpack(segment) : Promise.resolve(undefined);
    this.#unpacked.set(name, unpacked);
    return unpacked;
  }
}

/** Compares the slices of one segment after the other with what was stored. */
export class RawCheck {
  readonly #segmentOf: (name: number) => Segment | undefined;
  #last: { readonly name: number; readonly all: Buffer | undefined } | undefined;

  constructor(segmentOf: (name: number) => Segment | undefined) {
    this.#segmentOf = segmentOf;
  }

  isWhole({ segment: name, at, length, crc }: Omit<FoundSlice, 'page'>): boolean {
    if (isErasedSlice({ length })) return true;
    if (this.#last?.name !== name) this.#last = { name, all: unpackNow(this.#segmentOf(name)) };
    const piece = this.#last.all?.subarray(at, at + length);
    return piece?.length === length && crc32(piece) === crc;
  }
}

function unpackNow(segment: Segment | undefined): Buffer | undefined {
  if (!(segment?.bytes instanceof Uint8Array)) return undefined;
  try {
    return zstdDecompressSync(segment.bytes, { maxOutputLength: unpackedMax(segment) });
  } catch {
    return undefined;
  }
}

/** A damaged number can be anything. */
function unpackedMax({ length }: Segment): number {
  return Math.min(Math.max(1, length), 2 ** 27);
}

async function unpack(segment: Segment): Promise<Buffer | undefined> {
  try {
    const maxOutputLength = unpackedMax(segment);
    // One byte more: a full piece would be followed by an empty one.
    return await decompress(segment.bytes, {
      maxOutputLength,
      chunkSize: Math.min(maxOutputLength + 64, pieceBytesMax),
    });
  } catch {
    // Not what was stored, so no slice of it is.
    return undefined;
  }
}

function pageIn(piece: Buffer): RawPage {
  const body = lengthsBytes + piece.readUInt32LE(0);
  const end = body + piece.readUInt32LE(4);
  const json = JSON.parse(piece.toString('utf8', lengthsBytes, body)) as RawHead & { readonly isRendered?: true };
  const { isRendered, ...head } = json;
  const received = piece.subarray(body, end);
  return isRendered === true ? { head, received, rendered: piece.subarray(end) } : { head, received };
}
