// Text in the encodings that Node reads and does not write.
import { range } from './words.ts';

/** Encodes what `charset` has in one or two bytes, and throws for anything else. */
export function encoderOf(charset: 'gbk' | 'windows-1251'): (text: string) => Uint8Array {
  const codes = codesOf(charset);
  return (text) =>
    Uint8Array.from(
      Array.from(text).flatMap((character) => {
        const code = character < '\u0080' ? [character.charCodeAt(0)] : codes.get(character);
        if (code === undefined) throw new Error(`${charset} has no ${character}`);
        return code;
      }),
    );
}

/** For each character its bytes: the table of the decoder, inverted. */
function codesOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(charset);
  const high = range(128).map((index) => 128 + index);
  const low = range(192).map((index) => 64 + index);
  const sequences =
    charset === 'gbk' ? high.flatMap((lead) => low.map((trail) => [lead, trail])) : high.map((byte) => [byte]);
  const codes = new Map<string, readonly number[]>();
  for (const sequence of sequences) {
    const text = decoder.decode(Uint8Array.from(sequence));
    if (Array.from(text).length === 1 && text !== '\uFFFD' && !codes.has(text)) codes.set(text, sequence);
  }
  return codes;
}
