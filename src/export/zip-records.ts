// The records of a ZIP archive (PKWARE APPNOTE 6.3), with its extensions for many and large files (ZIP64).
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** As the stored pages have it (`page/encode.ts`). */
const level = 4;

const uint16Max = 0xff_ff;
const uint32Max = 0xff_ff_ff_ff;
/** Made by version 4.5 on Unix, so that readers take the permissions below. */
const madeBy = 0x03_2d;
const needsDeflate = 20;
const needsZip64 = 45;
/** Bit 11: names are UTF-8. */
const flags = 0x08_00;
const deflated = 8;
/** A file that its owner can write and all can read, in the upper half. */
const attributes = 0o100_644 * 2 ** 16;

export interface ZipEntry {
  readonly name: Buffer;
  readonly packed: Buffer;
  readonly crc: number;
  readonly length: number;
  /** Date and time as MS-DOS writes them, in UTC. */
  readonly dosTime: number;
}

/** `at`: milliseconds since the epoch. */
export function zipEntry(name: string, content: Buffer, at: number): ZipEntry {
  return {
    name: Buffer.from(name),
    packed: deflateRawSync(content, { level }),
    crc: crc32(content),
    length: content.length,
    dosTime: dosTimeOf(new Date(at)),
  };
}

/** Sizes are known before the data, so no record follows it. One file is never as large as 4 GiB. */
export function localHeader(entry: ZipEntry): Buffer {
  const header = Buffer.alloc(30 + entry.name.length);
  header.writeUInt32LE(0x04_03_4b_50, 0);
  header.writeUInt16LE(needsDeflate, 4);
  writeCommon(header, entry, 6);
  entry.name.copy(header, 30);
  return header;
}

/** The fields that both headers of a file have, up to the length of the extra field. */
function writeCommon(header: Buffer, { name, packed, crc, length, dosTime }: ZipEntry, at: number): void {
  header.writeUInt16LE(flags, at);
  header.writeUInt16LE(deflated, at + 2);
  header.writeUInt32LE(dosTime, at + 4);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(packed.length, at + 12);
  header.writeUInt32LE(length, at + 16);
  header.writeUInt16LE(name.length, at + 20);
}

/** Bytes that are compressed together. */
const blockBytes = 256 * 1024;

/**
 * Collects the directory, which is the end of an archive. Names repeat each other, so blocks of it are kept compressed:
 * a tenth of the memory.
 */
export class CentralDirectory {
  readonly #blocks: Uint8Array[] = [];
  #block: Buffer[] = [];
  #blockLength = 0;
  #length = 0;
  #entries = 0;

  get entries(): number {
    return this.#entries;
  }

  get length(): number {
    return this.#length;
  }

  /** `offset`: where the local header begins. */
  add(entry: ZipEntry, offset: number): void {
    const record = directoryRecord(entry, offset);
    this.#entries++;
    this.#length += record.length;
    this.#block.push(record);
    this.#blockLength += record.length;
    if (this.#blockLength < blockBytes) return;
    this.#blocks.push(deflateRawSync(Buffer.concat(this.#block), { level: 1 }));
    this.#block = [];
    this.#blockLength = 0;
  }

  *bytes(): Generator<Uint8Array> {
    for (const block of this.#blocks) yield inflateRawSync(block);
    if (this.#blockLength > 0) yield Buffer.concat(this.#block);
  }
}

function directoryRecord(entry: ZipEntry, offset: number): Buffer {
  const { name } = entry;
  const isFar = offset >= uint32Max;
  const record = Buffer.alloc(46 + name.length + (isFar ? 12 : 0));
  record.writeUInt32LE(0x02_01_4b_50, 0);
  record.writeUInt16LE(madeBy, 4);
  record.writeUInt16LE(isFar ? needsZip64 : needsDeflate, 6);
  writeCommon(record, entry, 8);
  record.writeUInt16LE(isFar ? 12 : 0, 30);
  record.writeUInt32LE(attributes, 38);
  record.writeUInt32LE(isFar ? uint32Max : offset, 42);
  name.copy(record, 46);
  if (isFar) {
    record.writeUInt16LE(1, 46 + name.length);
    record.writeUInt16LE(8, 48 + name.length);
    record.writeBigUInt64LE(BigInt(offset), 50 + name.length);
  }
  return record;
}

/** `offset`: where the directory begins. */
export function endOfArchive({ entries, length }: CentralDirectory, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(Math.min(entries, uint16Max), 8);
  end.writeUInt16LE(Math.min(entries, uint16Max), 10);
  end.writeUInt32LE(Math.min(length, uint32Max), 12);
  end.writeUInt32LE(Math.min(offset, uint32Max), 16);
  const isLarge = entries >= uint16Max || length >= uint32Max || offset >= uint32Max;
  return isLarge ? Buffer.concat([endOfArchive64(entries, length, offset), end]) : end;
}

function endOfArchive64(entries: number, length: number, offset: number): Buffer {
  const bytes = Buffer.alloc(76);
  bytes.writeUInt32LE(0x06_06_4b_50, 0);
  bytes.writeBigUInt64LE(44n, 4);
  bytes.writeUInt16LE(madeBy, 12);
  bytes.writeUInt16LE(needsZip64, 14);
  bytes.writeBigUInt64LE(BigInt(entries), 24);
  bytes.writeBigUInt64LE(BigInt(entries), 32);
  bytes.writeBigUInt64LE(BigInt(length), 40);
  bytes.writeBigUInt64LE(BigInt(offset), 48);
  // Where the record above is.
  bytes.writeUInt32LE(0x07_06_4b_50, 56);
  bytes.writeBigUInt64LE(BigInt(offset + length), 64);
  bytes.writeUInt32LE(1, 72);
  return bytes;
}

/** Years 1980 to 2107, in steps of two seconds. */
function dosTimeOf(at: Date): number {
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 2 ** 16 + time;
}
