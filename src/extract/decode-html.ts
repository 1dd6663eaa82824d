/** Bytes of a page to text, the way browsers choose the encoding, with one more chance for UTF-8 that nobody declared. */

/**
 * The order: byte order mark, charset of the HTTP header, `<meta>` in the first 1,024 bytes, UTF-8 where the bytes are
 * valid UTF-8, windows-1252. A label that is unknown counts as not given. The text is always well-formed Unicode.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const declared =
    decoderFor(byteOrderMark(bytes)) ?? decoderFor(headerCharset(contentType)) ?? decoderFor(metaCharset(bytes));
  const text = declared === undefined ? decodeUndeclared(bytes) : declared.decode(bytes);
  return text.toWellFormed();
}

/** A guess by statistics takes one valid UTF-8 page in seven for windows-1252; a strict test takes none. */
function decodeUndeclared(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function decoderFor(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return undefined;
}

function headerCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?\s*([^"';\s]+)/i.exec(contentType)?.[1];
}

function metaCharset(bytes: Uint8Array): string | undefined {
  // Any superset of ASCII will do to read a label.
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, metaSearchBytes)).replace(comments, '');
  for (const [tag] of start.matchAll(metaTags)) {
    const label = /[\s"'/;]charset\s*=\s*["']?\s*([^"';\s/>]+)/i.exec(tag)?.[1];
    // A page whose meta could be read as ASCII is not UTF-16, whatever it says.
    if (label !== undefined)
      return /^(?:utf-?16|csunicode|iso-10646-ucs-2|ucs-2|unicode)/i.test(label) ? 'utf-8' : label;
  }
  return undefined;
}

const metaSearchBytes = 1024;
const comments = /<!--(?:(?!-->)[^])*-->/g;
const metaTags = /<meta[\s/][^>]*>/gi;
