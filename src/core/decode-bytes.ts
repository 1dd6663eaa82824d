/** Bytes to text: the one place that knows labels of encodings, for pages, sitemaps, feeds and text files. */
import { detectCharset } from './detect-charset.ts';

export interface Declared {
  /** The header, or empty. */
  readonly contentType?: string;
  /** Labels that stand in the bytes themselves, in the order in which they count. Read only if header and mark say nothing. */
  readonly labels?: Iterable<string>;
}

/**
 * The order: byte order mark, charset of the header, labels in the bytes, UTF-8, detection, windows-1252. A label that is
 * unknown counts as not given. `isMarkup`: detection reads what stands outside of tags. The text is well-formed Unicode.
 */
export async function decodeBytes(
  bytes: Uint8Array,
  declared: Declared & { readonly isMarkup: boolean },
): Promise<string> {
  const text = decodeDeclared(bytes, declared) ?? decodeUtf8(bytes);
  const read = text ?? new TextDecoder((await detectCharset(bytes, declared)) ?? fallback).decode(bytes);
  return read.toWellFormed();
}

/** The same for XML, in which an encoding that nobody declares is UTF-8, and is not detected. */
export function decodeXml(bytes: Uint8Array, contentType = ''): string {
  const text = decodeDeclared(bytes, { contentType, labels: xmlLabels(bytes) }) ?? decodeUtf8(bytes);
  return (text ?? new TextDecoder(fallback).decode(bytes)).toWellFormed();
}

/** Browsers show pages so whose encoding they cannot find out. */
const fallback = 'windows-1252';

/** The label of an XML declaration, if the bytes begin with one. */
export function xmlLabels(bytes: Uint8Array): readonly string[] {
  const start = asLatin1(bytes.subarray(0, 200));
  const label = /^\s*<\?xml\s[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  return label === undefined ? [] : [readableLabel(label)];
}

/** A label that could be read as ASCII is not that of UTF-16, whatever it says. */
export function readableLabel(label: string): string {
  return /^(?:utf-?16|csunicode|iso-10646-ucs-2|ucs-2|unicode)/i.test(label) ? 'utf-8' : label;
}

/** Undefined for a label that is unknown. */
export function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    // Its characters exist in the fonts of single sites only. Browsers read a `<meta>` with it so too, and Node 22 does not know it.
    return new TextDecoder(/^\s*x-user-defined\s*$/i.test(label) ? fallback : label);
  } catch {
    return undefined;
  }
}

/** Reads bytes as Latin-1: in any superset of ASCII, the ASCII characters then stand at their places. */
export function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function decodeDeclared(bytes: Uint8Array, { contentType = '', labels = [] }: Declared): string | undefined {
  for (const label of [byteOrderMark(bytes), headerCharset(contentType)]) {
    const decoder = label === undefined ? undefined : decoderOf(label);
    if (decoder) return decoder.decode(bytes);
  }
  for (const label of labels) {
    const decoder = decoderOf(label);
    if (decoder) return decoder.decode(bytes);
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

/** Undefined where the bytes are not UTF-8. Statistics take one valid page in seven for something else; a strict test takes none. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return isNearlyUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
  }
}

/**
 * Programs cut UTF-8 in the middle of a character. One such place would turn the whole page into another encoding. This asks for
 * 20 characters to a broken place. Text in other encodings had at most 1.7 (decision 27).
 */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, nearlyBytes));
  const broken = text.match(/\ufffd+/g)?.length ?? 0;
  const beyondAscii = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return broken * 20 <= beyondAscii;
}

const nearlyBytes = 2 ** 18;
