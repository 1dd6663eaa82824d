// Small files that become large when they are read, made when a test wants them.
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { strToU8 } from 'fflate';
import { docx, pdfOf, relations } from './make-files.ts';

export const MiB = 2 ** 20;

/** A raw deflate stream that unpacks to so many times `piece`, without anybody having packed them all. */
export function repeatedDeflate(piece: Uint8Array, times: number): Buffer {
  const packed = deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  return Buffer.concat([...Array.from({ length: times }, () => packed), Buffer.from([3, 0])]);
}

/** A raw deflate stream as a zlib stream without its check sum: readers of PDF do not look at it. */
export function zlibOf(deflated: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x78, 0x9c]), deflated, Buffer.alloc(4)]);
}

export function repeatedZlib(piece: Uint8Array, times: number): Buffer {
  return zlibOf(repeatedDeflate(piece, times));
}

export const spaces = (bytes: number): Buffer => Buffer.alloc(bytes, ' ');

export function pdfStream(dictionary: string, bytes: Uint8Array): string {
  return `<< ${dictionary} /Length ${bytes.length} >>\nstream\n${Buffer.from(bytes).toString('latin1')}\nendstream`;
}

/** A word that is drawn on a page, with what is to be drawn besides. */
export const drawn = (word: string, more = ''): string => `BT /F1 12 Tf 72 720 Td (${word}) Tj ET ${more}`;

export interface BombPage {
  readonly contents: string | readonly string[];
  /** Beside the font. */
  readonly resources?: string;
}

/**
 * Pages whose contents are streams as {@link pdfStream} writes them; `others` are numbered from 4 on. `%N` in `resources` is
 * the number of the first of them.
 */
export function bombPdf(pages: readonly BombPage[], others: readonly string[] = []): Uint8Array {
  const objects = [...others];
  const firstOther = 4;
  const add = (object: string): number => objects.push(object) + firstOther - 1;
  const kids = pages.map(({ contents, resources = '' }) => {
    const streams = (typeof contents === 'string' ? [contents] : contents).map((stream) => `${add(stream)} 0 R`);
    const all = `/Font << /F1 3 0 R >> ${resources}`;
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << ${all} >> /Contents [${streams.join(' ')}] >>`,
    );
  });
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...objects,
  ]);
}

/** As `LZWDecode` reads it: each code one byte longer than the one before, until the table is full. */
export function lzwBomb(bytesMin: number): Uint8Array {
  const out: number[] = [];
  let bits = 0;
  let held = 0;
  const write = (code: number, width: number): void => {
    held = (held << width) | code;
    bits += width;
    while (bits >= 8) {
      bits -= 8;
      out.push((held >> bits) & 255);
      held &= (1 << bits) - 1;
    }
  };
  for (let decoded = 0; decoded < bytesMin;) {
    write(256, out.length === 0 ? 9 : 12);
    write(32, 9);
    decoded++;
    for (let next = 258; next < 4_093; next++) {
      const width = next < 511 ? 9 : next < 1_023 ? 10 : next < 2_047 ? 11 : 12;
      write(next, width);
      decoded += next - 256;
    }
  }
  return Uint8Array.from(out);
}

/** Two bytes for 128. */
export const runLengths = (times: number): Uint8Array => Buffer.alloc(times * 2, Buffer.from([129, 32]));

/** An archive whose directory says what it likes: `size` is what an entry unpacks to, as it claims. */
export interface RawEntry {
  readonly name: string;
  readonly deflated: Uint8Array;
  readonly size: number;
  /** The checksum that it claims. @default 0, as of an empty entry */
  readonly checksum?: number | undefined;
}

/** Entries that share `deflated` share their bytes in the archive: they overlap. */
export function rawZip(entries: readonly RawEntry[]): Uint8Array {
  const parts: Buffer[] = [];
  const places = new Map<Uint8Array, number>();
  let length = 0;
  const directory = entries.map(({ name, deflated, size, checksum = 0 }) => {
    const bytes = Buffer.from(name);
    let place = places.get(deflated);
    if (place === undefined) {
      place = length;
      places.set(deflated, place);
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      local.writeUInt16LE(8, 8);
      local.writeUInt32LE(checksum, 14);
      local.writeUInt32LE(deflated.length, 18);
      local.writeUInt32LE(size, 22);
      local.writeUInt16LE(bytes.length, 26);
      parts.push(local, bytes, Buffer.from(deflated));
      length += 30 + bytes.length + deflated.length;
    }
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(8, 10);
    head.writeUInt32LE(checksum, 16);
    head.writeUInt32LE(deflated.length, 20);
    head.writeUInt32LE(size, 24);
    head.writeUInt16LE(bytes.length, 28);
    head.writeUInt32LE(place, 42);
    return Buffer.concat([head, bytes]);
  });
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(length, 16);
  return Buffer.concat([...parts, all, end]);
}

export function entry(name: string, text: string): RawEntry {
  const bytes = strToU8(text);
  return { name, deflated: deflateRawSync(bytes), size: bytes.length, checksum: crc32(bytes) };
}

/** Unpacks to `head`, `times` copies of `piece`, and `tail`. */
export function longDeflate(head: string, piece: string, times: number, tail = ''): Buffer {
  const flushed = (text: string): Buffer => deflateRawSync(strToU8(text), { finishFlush: constants.Z_FULL_FLUSH });
  const packed = flushed(piece);
  return Buffer.concat([
    flushed(head),
    ...Array.from({ length: times }, () => packed),
    flushed(tail),
    Buffer.from([3, 0]),
  ]);
}

export function longEntry(name: string, head: string, piece: string, times: number, tail = ''): RawEntry {
  const repeated = strToU8(piece);
  let checksum = crc32(strToU8(head));
  for (let count = 0; count < times; count++) checksum = crc32(repeated, checksum);
  return {
    name,
    deflated: longDeflate(head, piece, times, tail),
    size: head.length + piece.length * times + tail.length,
    checksum: crc32(strToU8(tail), checksum),
  };
}

/** A workbook of one sheet. */
export function bombXlsx(sheet: RawEntry, others: readonly RawEntry[] = []): Uint8Array {
  return rawZip([
    entry(
      'xl/workbook.xml',
      '<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>',
    ),
    entry('xl/_rels/workbook.xml.rels', relations([['r0', 'worksheet', 'worksheets/s0.xml']])),
    sheet,
    ...others,
  ]);
}

/** One stored member and nothing else, whose content is the archive up to there. */
export function nestedZip(depth: number): Uint8Array {
  let inner: Uint8Array = docx({ body: '<w:p><w:r><w:t>innermost</w:t></w:r></w:p>' });
  for (let level = 0; level < depth; level++) {
    inner = rawZip([{ name: 'word/document.xml', deflated: deflateRawSync(inner), size: inner.length }]);
  }
  return inner;
}
