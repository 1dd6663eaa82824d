// Changes an input at random: bytes, words of its format, parts of itself and of another input.
import type { Random } from '../simulation/random.ts';

/** Larger inputs find little more, and take longer. */
export const inputBytesMax = 8_192;

/** One to five changes, which may grow the input many times. */
export function mutate(input: Uint8Array, other: Uint8Array, words: readonly string[], random: Random): Uint8Array {
  let bytes: Uint8Array = input;
  for (let changes = random.between(1, 5); changes > 0; changes--)
    bytes = changed(bytes, other, words, random).subarray(0, inputBytesMax);
  return bytes;
}

function changed(bytes: Uint8Array, other: Uint8Array, words: readonly string[], random: Random): Uint8Array {
  const at = random.between(0, bytes.length);
  const to = Math.min(bytes.length, at + random.between(1, 64));
  switch (random.between(0, 7)) {
    case 0:
      return spliced(bytes, at, to, new Uint8Array());
    case 1:
      return spliced(bytes, at, Math.min(at + 1, bytes.length), Uint8Array.of(random.between(0, 255)));
    case 2:
      return spliced(bytes, at, at, repeated(bytes.subarray(at, to), random.of([1, 2, 9, 200])));
    case 3: {
      const from = random.between(0, other.length);
      return spliced(bytes, at, to, other.subarray(from, from + random.between(1, 200)));
    }
    case 4:
      return spliced(
        bytes,
        at,
        at,
        Buffer.from(random.of(['0', '-1', '1e99', '4294967296', '9'.repeat(30), '\u{1f600}', '\u00a0'])),
      );
    case 5:
      return spliced(bytes, at, at, repeated(Buffer.from(random.of(words)), random.of([1, 1, 2, 40])));
    default:
      return spliced(bytes, at, at, Buffer.from(random.of(words)));
  }
}

function spliced(bytes: Uint8Array, from: number, to: number, between: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, from), between, bytes.subarray(to)]);
}

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}
