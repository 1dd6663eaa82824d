// Damaged copies of files.

/** Numbers from 0 to 1 that only the seed decides. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Cut, with other bytes, with a part moved, or with noise: as the seed says. */
export function damaged(file: Uint8Array, seed: number): Uint8Array {
  const random = numbers(seed * 7_919 + 1);
  random();
  const at = (): number => Math.floor(random() * file.length);
  const bytes = new Uint8Array(file);
  switch (seed % 4) {
    case 0:
      return bytes.subarray(0, at());
    case 1:
      for (let count = 0; count < 1 + seed; count++) bytes[at()] = Math.floor(random() * 256);
      return bytes;
    case 2: {
      const length = Math.floor(random() * 200);
      bytes.copyWithin(at(), at(), Math.min(at() + length, file.length));
      return bytes;
    }
    default: {
      const from = at();
      return bytes.map((byte, index) => (index >= from && index < from + 100 ? Math.floor(random() * 256) : byte));
    }
  }
}
