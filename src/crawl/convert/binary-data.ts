// Binary files sent as pages, by mistake or without a type: they have no readable text.

/** The first bytes of common file types. */
const signatures: readonly (readonly [kind: string, start: readonly number[]])[] = [
  ['PNG', [0x89, 0x50, 0x4e, 0x47]],
  ['JPEG', [0xff, 0xd8, 0xff]],
  ['GIF', [0x47, 0x49, 0x46, 0x38]],
  ['PDF', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['ZIP', [0x50, 0x4b, 0x03, 0x04]],
  ['OLE', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]],
  ['RTF', [0x7b, 0x5c, 0x72, 0x74, 0x66]],
  ['gzip', [0x1f, 0x8b, 0x08]],
  ['RIFF', [0x52, 0x49, 0x46, 0x46]],
  ['ELF', [0x7f, 0x45, 0x4c, 0x46]],
  ['woff', [0x77, 0x4f, 0x46]],
];

/** Kinds that can be documents. */
export const documentSignatures: ReadonlySet<string> = new Set(['PDF', 'ZIP', 'OLE', 'RTF']);

/** Bytes looked at, as in WHATWG MIME Sniffing, 7.1. */
const lookedAt = 512;

/** The kind of file that begins with these bytes; undefined if it can be text. */
export function binaryKind(bytes: Uint8Array, options: { readonly isTyped: boolean }): string | undefined {
  const known = signatures.find(([, start]) => start.every((byte, index) => bytes[index] === byte));
  if (known) return known[0];
  // Typed as text, or marked as Unicode, it can be UTF-16, which is full of zeros.
  return !options.isTyped && !hasTextMark(bytes) && bytes.subarray(0, lookedAt).some(isBinary)
    ? 'binary data'
    : undefined;
}

/** A byte-order mark of UTF-16 or UTF-8. */
function hasTextMark([first, second, third]: Uint8Array): boolean {
  const isUtf16 = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  return isUtf16 || (first === 0xef && second === 0xbb && third === 0xbf);
}

/** A "binary data byte" (WHATWG MIME Sniffing, 3): a control character that text does not contain. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;
}
