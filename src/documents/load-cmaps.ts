import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** Unpacked, the file has 1.2 MB. */
const unpackedBytesMax = 4 * 2 ** 20;

/** The packed files by name, as `scripts/pack-cmaps.ts` writes them. */
let cmaps: ReadonlyMap<string, Uint8Array> | undefined;

/**
 * How pdf.js gets the predefined character maps of Chinese, Japanese and Korean (ISO 32000, 9.7.5.2): without them the text of a PDF whose
 * fonts are not embedded is lost. They are a file of the program, read with the first PDF that needs one.
 */
export class CMapFactory {
  // oxlint-disable-next-line typescript/require-await -- as pdf.js calls it
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    cmaps ??= unpacked(readFileSync(new URL('cmaps.br', import.meta.url)));
    const cmap = kind === 'cMapUrl' ? cmaps.get(filename.replace(/\.bcmap$/, '')) : undefined;
    if (!cmap) throw new Error(`There is no ${kind} of the name ${filename}.`);
    return cmap;
  }
}

function unpacked(packed: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const bytes = brotliDecompressSync(packed, { maxOutputLength: unpackedBytesMax });
  let at = bytes.indexOf('\n') + 1;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file
  const listed = JSON.parse(bytes.toString('utf8', 0, at)) as readonly (readonly [name: string, bytes: number])[];
  return new Map(
    listed.map(([name, length]) => {
      const start = at;
      at += length;
      return [name, new Uint8Array(bytes.subarray(start, at))];
    }),
  );
}
