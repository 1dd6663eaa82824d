import { pipeline, Readable, type Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { CrawlError } from '../../core/request.ts';
import { zstdFrames } from './zstd-frames.ts';

/** Bytes of a page or file, after content codings are undone. */
export const pageBytesMax = 20 * 2 ** 20;

/**
 * Undoes the content codings of a body, named as in `FetchedHeaders.contentEncoding`, the last first. No step can
 * produce more than `bytesMax`: a decompression bomb is cut off there.
 */
export function unpackBody(body: Uint8Array, contentEncoding: string, bytesMax: number): Uint8Array | CrawlError {
  let unpacked = body;
  for (const coding of codingsToUndo(contentEncoding)) {
    try {
      unpacked = unpackStep(unpacked, coding, bytesMax);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(bytesMax);
      return { reason: 'bad_encoding', message: `The body is not valid ${coding}.` };
    }
  }
  return unpacked.length > bytesMax ? tooLarge(bytesMax) : unpacked;
}

export function isError(unpacked: Uint8Array | CrawlError): unpacked is CrawlError {
  return !(unpacked instanceof Uint8Array);
}

/**
 * As {@link unpackBody}, but returns the first `bytesMax` bytes of a longer body. A body sent with `bytesMax` bytes or
 * more might have been cut off there by the caller, so a missing end is no error. An empty body is empty in any coding.
 * Undefined if the body is broken before that. Yields the thread between chunks.
 */
export async function unpackBeginning(
  body: Uint8Array,
  contentEncoding: string,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  if (body.length === 0) return body;
  let unpacked = body;
  for (const coding of codingsToUndo(contentEncoding)) {
    const step = await unpackStepBeginning(unpacked, coding, bytesMax);
    if (step === undefined) return undefined;
    unpacked = step;
  }
  return unpacked.subarray(0, bytesMax);
}

interface Unpacker {
  readonly sync: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
  readonly stream: () => Transform;
}

/** RFC 9659. Without this limit a few bytes of a body could take 128 MiB of memory. */
const zstdWindowBytesMax = 8 * 2 ** 20;
const zstdParams = { params: { [constants.ZSTD_d_windowLogMax]: Math.log2(zstdWindowBytesMax) } };

const gzip: Unpacker = { sync: gunzipSync, stream: createGunzip };
const zlib: Unpacker = { sync: inflateSync, stream: createInflate };
const rawDeflate: Unpacker = { sync: inflateRawSync, stream: createInflateRaw };
const unpackers = new Map<string, (bytes: Uint8Array) => Unpacker>([
  ['gzip', () => gzip],
  ['br', () => ({ sync: brotliDecompressSync, stream: createBrotliDecompress })],
  ['deflate', (bytes) => (hasZlibHeader(bytes) ? zlib : rawDeflate)],
  [
    'zstd',
    () => ({
      sync: (bytes, options) => zstdDecompressSync(bytes, { ...zstdParams, ...options }),
      stream: () => createZstdDecompress(zstdParams),
    }),
  ],
]);

function codingsToUndo(contentEncoding: string): readonly string[] {
  return contentEncoding.split(' ').filter(Boolean).toReversed();
}

function unpackerOf(coding: string, bytes: Uint8Array): Unpacker {
  const unpacker = unpackers.get(coding);
  if (unpacker === undefined) throw new Error(`The coding ${coding} has no decoder.`);
  return unpacker(bytes);
}

/** RFC 9110, 8.4.1.2: "deflate" means zlib, and some servers send it without that wrapper (RFC 1950, 2.2). */
function hasZlibHeader(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && ((method << 8) | flags) % 31 === 0;
}

/** Throws the errors of node:zlib. */
function unpackStep(bytes: Uint8Array, coding: string, bytesMax: number): Uint8Array {
  const { sync } = unpackerOf(coding, bytes);
  if (coding !== 'zstd') return sync(bytes, { maxOutputLength: bytesMax });
  const { frames, isWhole } = zstdFrames(bytes);
  if (!isWhole) throw new Error('A frame is missing or cut off.');
  const read: Uint8Array[] = [];
  let length = 0;
  for (const frame of frames) {
    // An empty frame can follow the frame that uses up the limit, and the limit must be above zero.
    const piece = sync(frame, { maxOutputLength: Math.max(1, bytesMax - length) });
    read.push(piece);
    length += piece.length;
  }
  return read.length === 1 && read[0] !== undefined ? read[0] : Buffer.concat(read);
}

async function unpackStepBeginning(
  bytes: Uint8Array,
  coding: string,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const { stream } = unpackerOf(coding, bytes);
  const mayBeCut = bytes.length >= bytesMax;
  const { frames, isWhole } = coding === 'zstd' ? zstdFrames(bytes) : { frames: [bytes], isWhole: true };
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for (const frame of frames) {
      const unpacking = stream();
      pipeline([Readable.from([frame]), unpacking], () => {});
      for await (const chunk of unpacking) {
        if (!(chunk instanceof Uint8Array)) break;
        read.push(chunk);
        length += chunk.length;
        if (length >= bytesMax) return Buffer.concat(read).subarray(0, bytesMax);
      }
    }
  } catch (error) {
    const isEndMissing = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
    if (!(mayBeCut && isEndMissing)) return undefined;
  }
  return isWhole || (mayBeCut && frames.length > 0) ? Buffer.concat(read) : undefined;
}

function tooLarge(bytesMax: number): CrawlError {
  return { reason: 'body_too_large', message: `The body is larger than ${bytesMax / 2 ** 20} MiB when decompressed.` };
}
