import { brotliDecompressSync } from 'node:zlib';
import { readProgramFile } from '../../core/process/program-files.ts';

/** The unpacked file is 1.2 MB. */
const unpackedBytesMax = 4 * 2 ** 20;

/** Packed files by name, as `scripts/pack-cmaps.ts` writes them. */
let cmaps: ReadonlyMap<string, Uint8Array> | undefined;

/**
 * Gives pdf.js the predefined character maps for Chinese, Japanese and Korean (ISO 32000, 9.7.5.2). Without them, the
 * text of a PDF whose fonts are not embedded is lost. The maps ship with the program and are read for the first PDF
 * that needs one.
 */
export class CMapFactory {
  // oxlint-disable-next-line typescript/require-await -- as pdf.js calls it
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    cmaps ??= unpacked(readProgramFile('cmaps.br', import.meta.url));
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
