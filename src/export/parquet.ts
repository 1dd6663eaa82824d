import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { PageJson } from '../page/decode.ts';
import { type Column, columnsOf } from './columns.ts';
import { eachPage, type Encode } from './export-format.ts';

/** A row group holds at most this many pages. */
const groupPages = 500;
/** The same in characters of text, plus at most one page. */
const groupChars = 8 * 2 ** 20;
/** A larger buffer is not kept for the next row group. */
const keptBytes = 16 * 2 ** 20;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type ColumnData = Parameters<ParquetWriter['write']>[0]['columnData'][number];

export const encodeParquet: Encode = async function* (slices, job) {
  const columns = columnsOf(job);
  const writer = new DrainedWriter();
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'pages', num_children: columns.length }, ...columns.map(elementOf)],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'hayrake',
  });
  let pages: PageJson[] = [];
  let chars = 0;
  for await (const page of eachPage(slices)) {
    pages.push(page);
    chars += page.text.length;
    if (pages.length < groupPages && chars < groupChars) continue;
    writeGroup(file, pages, columns);
    [pages, chars] = [[], 0];
    yield writer.drain();
  }
  if (pages.length > 0) writeGroup(file, pages, columns);
  void file.finish();
  yield writer.drain();
};

function elementOf(column: Column): SchemaElement {
  const { name, type } = column;
  if (type === 'integer') return { name, type: 'INT32', repetition_type: name === 'page' ? 'REQUIRED' : 'OPTIONAL' };
  if (type === 'real') return { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' };
  if (type === 'flag') return { name, type: 'BOOLEAN', repetition_type: 'OPTIONAL' };
  const repetition = type === 'text' && column.isOptional === true ? 'OPTIONAL' : 'REQUIRED';
  return { name, type: 'BYTE_ARRAY', converted_type: type === 'json' ? 'JSON' : 'UTF8', repetition_type: repetition };
}

function writeGroup(file: ParquetWriter, pages: readonly PageJson[], columns: readonly Column[]): void {
  void file.write({
    rowGroupSize: pages.length,
    columnData: columns.map((column) => columnData(column, pages)),
  });
}

function columnData(column: Column, pages: readonly PageJson[]): ColumnData {
  const usual = { name: column.name, data: pages.map((page) => column.of(page)), offsetIndex: false };
  // Statistics and dictionaries of long values would cost memory and find nothing.
  const isLong = column.type === 'json' || (column.type === 'text' && column.isLong === true);
  return isLong ? { ...usual, statistics: false, encoding: 'PLAIN' } : usual;
}

/** Collects bytes until they are taken. The library calls `flush` after each row group, and resets nothing itself. */
class DrainedWriter extends ByteWriter {
  drain(): Uint8Array {
    const bytes = this.getBytes().slice();
    if (this.buffer.byteLength > keptBytes) {
      this.buffer = new ArrayBuffer(1024);
      this.view = new DataView(this.buffer);
    }
    this.index = 0;
    return bytes;
  }
}
