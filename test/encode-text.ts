/** What TextDecoder reads, the other way round: text in an encoding of the time before UTF-8. */
export function encodeText(label: string, text: string): Uint8Array {
  const codes = codesOf(label);
  return Uint8Array.from(
    Array.from(text).flatMap((character) => {
      const code = codes.get(character);
      if (!code) throw new Error(`${label} has no ${character}`);
      return code;
    }),
  );
}

const known = new Map<string, ReadonlyMap<string, readonly number[]>>();

function codesOf(label: string): ReadonlyMap<string, readonly number[]> {
  const made = known.get(label) ?? readCodes(new TextDecoder(label, { fatal: true }));
  known.set(label, made);
  return made;
}

/** Encodings with characters of one and of two bytes. */
function readCodes(decoder: InstanceType<typeof TextDecoder>): Map<string, readonly number[]> {
  const codes = new Map<string, readonly number[]>();
  const add = (...code: readonly number[]): boolean => {
    try {
      const character = decoder.decode(Uint8Array.from(code));
      if (Array.from(character).length === 1 && !codes.has(character)) codes.set(character, code);
      return true;
    } catch {
      return false;
    }
  };
  for (let first = 0; first < 256; first += 1) {
    if (add(first)) continue;
    for (let second = 0; second < 256; second += 1) add(first, second);
  }
  return codes;
}
