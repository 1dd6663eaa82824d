import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { CrawlError } from '../../core/request.ts';

/**
 * Undoes the content codings of a body, named as in `FetchedHeaders.contentEncoding`, the last first. No step may come to more
 * than `bytesMax`: a bomb is cut as soon as it passes that.
 */
export function unpackBody(body: Uint8Array, contentEncoding: string, bytesMax: number): Uint8Array | CrawlError {
  let unpacked = body;
  for (const coding of contentEncoding.split(' ').toReversed()) {
    if (coding === '') continue;
    const unpack = coding === 'br' ? brotliDecompressSync : gunzipSync;
    try {
      unpacked = unpack(unpacked, { maxOutputLength: bytesMax });
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

function tooLarge(bytesMax: number): CrawlError {
  return { reason: 'body_too_large', message: `The body is larger than ${bytesMax / 2 ** 20} MiB when unpacked.` };
}
