import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { Fragment } from '../src/core/page.ts';

/** Text packed as a stored page is. */
export function fragmentOf(text: string, level: number = constants.Z_DEFAULT_COMPRESSION): Fragment {
  const bytes = Buffer.from(text);
  return {
    deflated: new Uint8Array(deflateRawSync(bytes, { level, finishFlush: constants.Z_FULL_FLUSH })),
    crc: crc32(bytes),
    length: bytes.length,
  };
}
