// What an object with segments has in it.
import { constants, inflateRawSync, zstdDecompressSync } from 'node:zlib';

const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Its segments as text, unpacked. */
export function framesIn(bytes: Buffer): string[] {
  if (!bytes.subarray(0, frameStart.length).equals(frameStart)) return [...textsIn(bytes), ...framesWithin(bytes)];
  return framesWithin(bytes);
}

function framesWithin(bytes: Buffer): string[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(frameStart); at !== -1; at = bytes.indexOf(frameStart, at + 1)) starts.push(at);
  return starts.map((start, index) => zstdDecompressSync(bytes.subarray(start, starts[index + 1])).toString());
}

/** Packed texts, one after the other, are one deflated stream. Empty if the object has something else. */
function textsIn(bytes: Buffer): string[] {
  try {
    return [inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString()];
  } catch {
    return [];
  }
}
