import { constants, crc32, inflateRawSync } from 'node:zlib';
import type { Fragment } from '../core/page.ts';

/**
 * Inflates a fragment, at most {@link Fragment.length} bytes; undefined if the result differs from what was deflated.
 */
export function inflateFragment({ deflated, crc, length }: Fragment): Buffer | undefined {
  const inflated = unpacked(deflated, length);
  return inflated?.length === length && crc32(inflated) === crc ? inflated : undefined;
}

function unpacked(deflated: Uint8Array, maxOutputLength: number): Buffer | undefined {
  // zlib treats zero as no limit, and no stored fragment is empty.
  if (maxOutputLength <= 0) return undefined;
  try {
    return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength });
  } catch (error) {
    if (error instanceof Error && 'code' in error && isOfContent.has(String(error.code))) return undefined;
    throw error;
  }
}

const isOfContent: ReadonlySet<string> = new Set([
  'Z_DATA_ERROR',
  'Z_BUF_ERROR',
  'Z_NEED_DICT',
  'ERR_BUFFER_TOO_LARGE',
]);
