// Makes src/documents/pdf/cmaps.br from the folder `cmaps` of a release of pdf.js (the package pdfjs-dist): node scripts/pack-cmaps.ts FOLDER
// It is kept packed in the repository, since that package has 70 MB more, and native ones of which not every registry has all.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Which folder? node scripts/pack-cmaps.ts FOLDER');
const ending = '.bcmap';
const names = readdirSync(folder)
  .filter((name) => name.endsWith(ending))
  .toSorted();
const files = names.map((name) => readFileSync(path.join(folder, name)));
// A line with the names and lengths, then the files.
const head = JSON.stringify(names.map((name, index) => [name.slice(0, -ending.length), files[index]?.length ?? 0]));
const packed = brotliCompressSync(Buffer.concat([Buffer.from(`${head}\n`), ...files]), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
});
const file = path.join(import.meta.dirname, '../src/documents/pdf/cmaps.br');
writeFileSync(file, packed);
console.log(`${names.length} maps, ${packed.length} bytes`);
