/**
 * Queries of links in the encoding of their page: "percent-encode after encoding" of the URL Standard. Path and fragment
 * are UTF-8 in every page.
 */

/**
 * Returns the reference with the characters beyond ASCII of its query percent-encoded; unchanged if the encoding is
 * UTF-8, UTF-16 or unknown. A character that the encoding lacks becomes `&#N;`, percent-encoded. `encoding` is a name of
 * the Encoding Standard in lower case. Only for references that resolve to http or https: any other query is UTF-8.
 */
export function encodeQuery(reference: string, encoding: string): string {
  const fragment = reference.indexOf('#');
  const end = fragment === -1 ? reference.length : fragment;
  const start = reference.indexOf('?');
  if (start === -1 || start > end) return reference;
  const query = reference.slice(start, end);
  const encode = beyondAscii.test(query) ? encoderOf(encoding) : undefined;
  if (encode === undefined) return reference;
  const encoded = query.replaceAll(beyondAsciiRun, (run) => percentEncoded(run, encode));
  return reference.slice(0, start) + encoded + reference.slice(end);
}

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\0-\x7f]/;
// oxlint-disable-next-line no-control-regex
const beyondAsciiRun = /[^\0-\x7f]+/g;

/** Returns the bytes of a code point beyond ASCII; none if the encoding lacks it. */
type CharacterEncoder = (codePoint: number) => readonly number[];

interface Encoder {
  readonly bytesOf: CharacterEncoder;
  /** ISO-2022-JP: what begins and ends characters beyond ASCII. */
  readonly shift?: { readonly out: string; readonly back: string };
}

function percentEncoded(run: string, { bytesOf, shift }: Encoder): string {
  let text = '';
  let isOut = false;
  for (const character of run) {
    const codePoint = character.codePointAt(0) ?? 0;
    const bytes = bytesOf(codePoint);
    if (shift !== undefined && isOut !== bytes.length > 0) {
      text += isOut ? shift.back : shift.out;
      isOut = !isOut;
    }
    text += bytes.length === 0 ? `%26%23${codePoint}%3B` : bytes.map(percentEncodedByte).join('');
  }
  return shift !== undefined && isOut ? text + shift.back : text;
}

/** The special-query percent-encode set. The second byte of a character can be ASCII, such as `\`, which stays. */
function percentEncodedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return byte <= 0x20 || byte > 0x7e || '"#<>\''.includes(character)
    ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    : character;
}

/** By encoding, built when a link first needs it: 128 KB each, 256 KB for gb18030. */
const encoders = new Map<string, Encoder | undefined>();

function encoderOf(encoding: string): Encoder | undefined {
  if (!encoders.has(encoding)) encoders.set(encoding, newEncoder(encoding));
  return encoders.get(encoding);
}

function newEncoder(encoding: string): Encoder | undefined {
  if (/^(?:utf-?(?:8|16)|replacement)/.test(encoding)) return undefined;
  if (encoding === 'gb18030') return { bytesOf: gb18030(readCodes(encoding)) };
  if (encoding !== 'iso-2022-jp') return { bytesOf: bytesIn(readCodes(encoding)) };
  const bytesOf = bytesIn(readCodes('euc-jp'));
  // The same table of characters, with seven bits.
  return { bytesOf: (codePoint) => sevenBits(bytesOf(codePoint)), shift: { out: '%1B$B', back: '%1B(B' } };
}

/** The code of each character up to U+FFFF; 0 for none. */
type Codes = Uint16Array;

function bytesIn(codes: Codes): CharacterEncoder {
  return (codePoint) => {
    const code = codes[codePoint] ?? 0;
    return code > 0xff ? [code >> 8, code & 0xff] : code === 0 ? [] : [code];
  };
}

function sevenBits(bytes: readonly number[]): readonly number[] {
  return bytes.length === 2 && bytes.every((byte) => byte > 0xa0) ? bytes.map((byte) => byte & 0x7f) : [];
}

/**
 * Reads what the decoder of the encoding makes of each code: Node has no encoder, and so a link keeps the bytes that
 * its page has. If a character has several codes, the one counts that the Encoding Standard writes, nearly always the
 * first.
 */
function readCodes(encoding: string): Codes {
  const codes = new Uint16Array(0x1_0000);
  const add = (code: number, text: string): void => {
    const codePoint = text.charCodeAt(0);
    if (text.length !== 1 || codePoint < 0x80 || codePoint === replacement) return;
    if (codes[codePoint] === 0 || isLastOfBig5(encoding, text)) codes[codePoint] = code;
  };
  const wide = encoding === 'gb18030' ? 'gbk' : encoding;
  const leads = leadsOf[wide];
  // gb18030 writes the euro sign, the only single byte, with two bytes.
  if (encoding !== 'gb18030') {
    const singles = Array.from({ length: 0x80 }, (_, index) => [0x80 + index]);
    for (const [index, text] of decodedEach(singles, encoding).entries()) add(0x80 + index, text);
  }
  for (let lead = leads?.[0] ?? 1; lead <= (leads?.[1] ?? 0); lead++) {
    if (wide === 'shift_jis' && lead >= 0xed && lead <= 0xf9) continue;
    const pairs = Array.from({ length: 0xff - firstTrail }, (_, index) => [lead, firstTrail + index]);
    for (const [index, text] of decodedEach(pairs, encoding).entries()) add(lead * 0x100 + firstTrail + index, text);
  }
  if (wide === 'shift_jis' || wide === 'euc-jp') {
    codes[0xa5] = 0x5c;
    codes[0x203e] = 0x7e;
    codes[0x2212] = codes[0xff0d] || (codes[0x2212] ?? 0);
  }
  if (wide === 'gbk') codes[0xe5e5] = 0;
  return codes;
}

const replacement = 0xfffd;
const firstTrail = 0x40;

/** First bytes of the two-byte codes that the standard writes. Big5 has more, of Hong Kong, which it only reads. */
const leadsOf: Readonly<Record<string, readonly [first: number, last: number]>> = {
  gbk: [0x81, 0xfe],
  big5: [0xa1, 0xfe],
  'euc-jp': [0xa1, 0xfe],
  'euc-kr': [0x81, 0xfe],
  shift_jis: [0x81, 0xfc],
};

function isLastOfBig5(encoding: string, character: string): boolean {
  return encoding === 'big5' && '═╞╡╪十卅'.includes(character);
}

/** A line end after each code ends one that is incomplete. */
function decodedEach(codes: readonly (readonly number[])[], encoding: string): readonly string[] {
  const lines = new TextDecoder(encoding).decode(Uint8Array.from(codes.flatMap((code) => [...code, 0x0a]))).split('\n');
  return lines.length === codes.length + 1 ? lines.slice(0, -1) : [];
}

/** Four bytes for each character without a code of two. */
function gb18030(pairs: Codes): CharacterEncoder {
  const two = bytesIn(pairs);
  const indexes = new Uint16Array(0x1_0000);
  const four = Array.from({ length: fourByteCodes }, (_, index) => fourBytes(index));
  for (const [index, text] of decodedEach(four, 'gb18030').entries()) {
    if (text.length === 1) indexes[text.charCodeAt(0)] = index + 1;
  }
  return (codePoint) => {
    const pair = two(codePoint);
    if (pair.length > 0) return pair;
    if (codePoint > 0xffff) return fourBytes(codePoint - 0x1_0000 + astralIndex);
    const index = indexes[codePoint] ?? 0;
    return index === 0 || codePoint === 0xe5e5 ? [] : fourBytes(index - 1);
  };
}

/** Codes of four bytes for characters up to U+FFFF. */
const fourByteCodes = 39_420;
/** The index of U+10000. */
const astralIndex = 189_000;

function fourBytes(index: number): readonly number[] {
  return [
    0x81 + Math.floor(index / 12_600),
    0x30 + (Math.floor(index / 1_260) % 10),
    0x81 + (Math.floor(index / 10) % 126),
    0x30 + (index % 10),
  ];
}
