/**
 * Detects the encoding of undeclared text that is not UTF-8, by statistics. docs/decisions/fetching.md compares
 * libraries and has the measurements for the numbers below.
 */

/**
 * Returns a label of the Encoding Standard, or undefined if no encoding is clear enough. The library takes about 60 MB
 * in the thread that loads it, so the first text that needs it loads it. Reads at most 1 MiB.
 */
export async function detectCharset(
  bytes: Uint8Array,
  { isMarkup }: { readonly isMarkup: boolean },
): Promise<string | undefined> {
  const outside = isMarkup ? textSample(bytes, { isMarkup }) : new Uint8Array();
  // The only text of a page can be in attributes.
  const sample = longestRun(outside) > 0 ? outside : textSample(bytes, { isMarkup: false });
  const run = longestRun(sample);
  if (run === 0) return undefined;
  const { detect } = await import('jschardet');
  const { encoding, confidence } = detect(sample, { detectEncodings: Object.keys(encodings) });
  const found = encodings[encoding?.toLowerCase() ?? ''];
  if (!found) return undefined;
  const isSure = found.isLatin ? confidence >= latinConfidenceMin : run >= foreignRunMin;
  return isSure ? found.label : undefined;
}

/** Below this, French with few accents is mistaken for Polish or Vietnamese. */
const latinConfidenceMin = 0.11;
/** Consecutive bytes beyond ASCII: an accent stands alone, a word of another script does not. */
const foreignRunMin = 3;

interface Encoding {
  /** A label of the Encoding Standard. */
  readonly label: string;
  /** Most of its text is ASCII. */
  readonly isLatin: boolean;
}

const latin = (label: string): Encoding => ({ label, isLatin: true });
const foreign = (label: string): Encoding => ({ label, isLatin: false });

/**
 * Encodings in use on the web, by the library's names in lower case. Left out: encodings of terminals and of the old
 * Macintosh, which the library reports for Bulgarian and Italian; UTF-7 and ISO-2022, because text in them can hide
 * tags in ASCII; and UTF-16.
 */
const encodings: Readonly<Record<string, Encoding>> = {
  'windows-1250': latin('windows-1250'),
  'windows-1252': latin('windows-1252'),
  'windows-1254': latin('windows-1254'),
  'windows-1257': latin('windows-1257'),
  cp1258: latin('windows-1258'),
  'iso-8859-2': latin('iso-8859-2'),
  'windows-1251': foreign('windows-1251'),
  'windows-1253': foreign('windows-1253'),
  'windows-1255': foreign('windows-1255'),
  'windows-1256': foreign('windows-1256'),
  'iso-8859-5': foreign('iso-8859-5'),
  'iso-8859-6': foreign('iso-8859-6'),
  'iso-8859-7': foreign('iso-8859-7'),
  'iso-8859-8': foreign('iso-8859-8'),
  'koi8-r': foreign('koi8-r'),
  'koi8-u': foreign('koi8-u'),
  ibm866: foreign('ibm866'),
  cp874: foreign('windows-874'),
  'tis-620': foreign('windows-874'),
  cp932: foreign('shift_jis'),
  shift_jis: foreign('shift_jis'),
  'euc-jp': foreign('euc-jp'),
  gb18030: foreign('gb18030'),
  big5: foreign('big5'),
  cp949: foreign('euc-kr'),
  'euc-kr': foreign('euc-kr'),
};

/** Bytes of text to judge. More do not improve the result. */
const sampleBytes = 16 * 2 ** 10;
/**
 * Limit for bytes of ASCII-only lines among them. With more, a short text after a long English menu counts as English.
 */
const asciiBytesMax = 256;
const lineBytesMax = sampleBytes / 4;
/** Bytes to search for text. */
const searchBytes = 2 ** 20;

/** Returns lines of text; of markup, those outside tags, comments, scripts and styles. */
function textSample(bytes: Uint8Array, { isMarkup }: { readonly isMarkup: boolean }): Uint8Array {
  const sample = new Sample(bytes);
  const searchEnd = Math.min(bytes.length, searchBytes);
  let start = 0;
  let beyondAscii: number | undefined;
  let at = 0;
  while (at < searchEnd && !sample.isFull) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) beyondAscii ??= at;
    const isLineEnd = byte === newline;
    if (isLineEnd || (isMarkup && byte === lessThan && isTag(bytes[at + 1]))) {
      sample.add(start, at, beyondAscii);
      start = isLineEnd ? at + 1 : endOfTag(bytes, at);
      at = start;
      beyondAscii = undefined;
    } else at += 1;
  }
  sample.add(start, searchEnd, beyondAscii);
  return sample.taken;
}

class Sample {
  readonly #bytes: Uint8Array;
  readonly #taken = new Uint8Array(sampleBytes);
  #length = 0;
  #asciiLength = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isFull(): boolean {
    return this.#length >= sampleBytes;
  }

  get taken(): Uint8Array {
    return this.#taken.subarray(0, this.#length);
  }

  /** Adds a line. A long line is read from shortly before `beyondAscii`, its first byte beyond ASCII. */
  add(start: number, end: number, beyondAscii: number | undefined): void {
    if (this.isFull) return;
    const from = beyondAscii === undefined ? start : Math.max(start, beyondAscii - asciiBytesMax);
    const left = beyondAscii === undefined ? asciiBytesMax - this.#asciiLength : lineBytesMax;
    // Keep one byte for the line end.
    const line = this.#bytes.subarray(from, Math.min(end, from + Math.min(left, sampleBytes - this.#length - 1)));
    if (line.length === 0) return;
    this.#taken.set(line, this.#length);
    this.#length += line.length;
    if (beyondAscii === undefined) this.#asciiLength += line.length;
    this.#taken[this.#length++] = newline;
  }
}

const newline = 0x0a;
const lessThan = 0x3c;

/** A letter, or one of `!/?`. */
function isTag(next = 0): boolean {
  return /[a-z!/?]/i.test(String.fromCharCode(next));
}

/**
 * Returns the position after the tag, the comment, or the whole script or style; the end of the bytes if nothing closes
 * it.
 */
function endOfTag(bytes: Uint8Array, at: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const after = (closing: string, from: number): number => {
    const found = buffer.indexOf(closing, from, 'latin1');
    return found === -1 ? bytes.length : found + closing.length;
  };
  const opening = buffer.toString('latin1', at, at + 8).toLowerCase();
  if (opening.startsWith('<!--')) return after('-->', at + 2);
  const name = /^<(script|style)\b/.exec(opening)?.[1];
  if (name === undefined) return after('>', at);
  for (let from = at; from < bytes.length;) {
    from = after('</', from);
    if (buffer.toString('latin1', from, from + name.length).toLowerCase() === name) return after('>', from);
  }
  return bytes.length;
}

/** Returns the length of the longest run of bytes beyond ASCII. */
function longestRun(bytes: Uint8Array): number {
  let longest = 0;
  let run = 0;
  for (const byte of bytes) {
    run = byte > 0x7f ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
