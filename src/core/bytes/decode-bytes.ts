/** Decodes bytes to text: the one place that knows encoding labels, for pages, sitemaps, feeds and text files. */
import { isUtf8 } from 'node:buffer';
import { detectCharset } from './detect-charset.ts';

export interface Declared {
  /** The `Content-Type` header, or empty. */
  readonly contentType?: string;
  /** Labels in the bytes themselves, in order of precedence. Read only if header and byte order mark say nothing. */
  readonly labels?: Iterable<string>;
}

/**
 * Decodes by the first of these that gives an encoding: byte order mark, charset of the header, labels in the bytes,
 * UTF-8, detection, windows-1252. An unknown label counts as absent. `isMarkup`: detection reads only the text outside
 * tags. The result is well-formed Unicode.
 */
export async function decodeBytes(
  bytes: Uint8Array,
  declared: Declared & { readonly isMarkup: boolean },
): Promise<string> {
  return (await decodeNamed(bytes, declared)).text;
}

/** Like {@link decodeBytes}. Also returns the encoding by its name in the Encoding Standard, in lower case. */
export function decodeNamed(
  bytes: Uint8Array,
  declared: Declared & { readonly isMarkup: boolean },
): Promise<DecodedText> {
  return decodeBy(declaredDecoder(bytes, declared), bytes, declared);
}

interface DecodedText {
  readonly text: string;
  readonly encoding: string;
}

/** Like {@link decodeNamed}, but UTF-8 stays as it is, without its byte order mark, and other text becomes UTF-8. */
export async function toUtf8(
  bytes: Uint8Array,
  declared: Declared & { readonly isMarkup: boolean },
): Promise<{ readonly utf8: Uint8Array; readonly encoding: string }> {
  const decoder = declaredDecoder(bytes, declared);
  if ((decoder?.encoding ?? 'utf-8') === 'utf-8' && isUtf8(bytes)) return { utf8: unmarked(bytes), encoding: 'utf-8' };
  const { text, encoding } = await decodeBy(decoder, bytes, declared);
  return { utf8: Buffer.from(text), encoding };
}

/** Without the byte order mark of UTF-8. */
export function unmarked(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

async function decodeBy(
  decoder: InstanceType<typeof TextDecoder> | undefined,
  bytes: Uint8Array,
  declared: { readonly isMarkup: boolean },
): Promise<DecodedText> {
  const utf8 = decoder ? undefined : decodeUtf8(bytes);
  if (utf8 !== undefined) return { text: utf8.toWellFormed(), encoding: 'utf-8' };
  const used = decoder ?? new TextDecoder((await detectCharset(bytes, declared)) ?? fallback);
  return { text: used.decode(bytes).toWellFormed(), encoding: used.encoding };
}

/**
 * The same for XML. An undeclared encoding is not detected: it is UTF-8, or windows-1252 if the bytes are not UTF-8.
 */
export function decodeXml(bytes: Uint8Array, contentType = ''): string {
  const decoder = declaredDecoder(bytes, { contentType, labels: xmlLabels(bytes) });
  const text = decoder ? decoder.decode(bytes) : (decodeUtf8(bytes) ?? new TextDecoder(fallback).decode(bytes));
  return text.toWellFormed();
}

/** Browsers use this for pages of unknown encoding. */
const fallback = 'windows-1252';

/** The label of an XML declaration, if the bytes begin with one. */
export function xmlLabels(bytes: Uint8Array): readonly string[] {
  const start = asLatin1(bytes.subarray(0, 200));
  const label = /^\s*<\?xml\s[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  return label === undefined ? [] : [readableLabel(label)];
}

/** A label that was readable as ASCII cannot be UTF-16, whatever it claims. */
export function readableLabel(label: string): string {
  return /^(?:utf-?16|csunicode|iso-10646-ucs-2|ucs-2|unicode)/i.test(label) ? 'utf-8' : label;
}

/** Returns undefined for an unknown label. */
export function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    // The characters of `x-user-defined` exist only in the fonts of single sites. Browsers also read a `<meta>` with it
    // as windows-1252, and Node 22 does not know the label.
    return new TextDecoder(/^\s*x-user-defined\s*$/i.test(label) ? fallback : label);
  } catch {
    return undefined;
  }
}

/** Reads bytes as Latin-1: in any superset of ASCII, ASCII characters keep their positions. */
export function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The decoder of the encoding that mark, header or labels declare. */
export function declaredDecoder(
  bytes: Uint8Array,
  { contentType = '', labels = [] }: Declared,
): InstanceType<typeof TextDecoder> | undefined {
  for (const label of [byteOrderMark(bytes), headerCharset(contentType)]) {
    const decoder = label === undefined ? undefined : decoderOf(label);
    if (decoder) return decoder;
  }
  for (const label of labels) {
    const decoder = decoderOf(label);
    if (decoder) return decoder;
  }
  return undefined;
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function headerCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?\s*([^"';\s]+)/i.exec(contentType)?.[1];
}

/**
 * Returns undefined if the bytes are not UTF-8. Statistics misjudge one valid page in seven; a strict test misjudges
 * none.
 */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return isNearlyUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
  }
}

/**
 * Programs cut UTF-8 in the middle of a character, and one such place would turn the whole page into another encoding.
 * So this requires 20 characters beyond ASCII for each broken place. Text in other encodings had at most 1.7
 * (docs/decisions/fetching.md).
 */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, nearlyBytes));
  const broken = text.match(/\ufffd+/g)?.length ?? 0;
  const beyondAscii = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return broken * 20 <= beyondAscii;
}

const nearlyBytes = 2 ** 18;
