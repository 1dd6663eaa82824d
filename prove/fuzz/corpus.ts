// Inputs that are kept from one run to the next, a file for each target.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Short ones are kept first: they are easy to understand, and the repository stays small. */
const storedBytesMax = 12_000;

export function storedInputs(file: string): readonly Uint8Array[] {
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]).map((text) => Buffer.from(text, 'base64'));
}

/** Returns how many are kept. */
export function storeInputs(file: string, corpus: readonly Uint8Array[]): number {
  const kept: string[] = [];
  let bytes = 0;
  for (const input of corpus.toSorted((one, other) => one.length - other.length)) {
    bytes += input.length;
    if (bytes > storedBytesMax) break;
    kept.push(Buffer.from(input).toString('base64'));
  }
  writeFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`);
  return kept.length;
}
