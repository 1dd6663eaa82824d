// What an object with segments has in it.
import { zstdDecompressSync } from 'node:zlib';

const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Its segments as text, unpacked. */
export function framesIn(bytes: Buffer): string[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(frameStart); at !== -1; at = bytes.indexOf(frameStart, at + 1)) starts.push(at);
  return starts.map((start, index) => zstdDecompressSync(bytes.subarray(start, starts[index + 1])).toString());
}
