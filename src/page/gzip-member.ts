import { crc32 } from 'node:zlib';
import { newMemory } from '../core/bytes/allocate.ts';
import type { Fragment } from '../core/page.ts';
import { crc32Combine } from './crc32-combine.ts';

/** RFC 1952, 2.3: deflate, no flags, no time, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final block with fixed codes (RFC 1951, 3.2.6). */
const finalBlock = Buffer.from([0x03, 0x00]);
const storedBytesMax = 0xff_ff;
const storedHeaderBytes = 5;

/**
 * One gzip member joined from stored fragments with short literal bytes between them. A single member, because common
 * clients silently stop after the first (curl 7.88 returned 1,000 of 2,500,000 bytes).
 *
 * Nothing is copied before {@link drain}.
 */
export class GzipMember {
  /** Strings are literals; byte arrays go into the member unchanged. */
  #parts: (string | Uint8Array)[] = [header];
  /** Bytes added since the last drain. */
  #bytes = header.length;
  #crc = 0;
  #length = 0;

  /** Adds text uncompressed. */
  literal(text: string): void {
    const length = Buffer.byteLength(text);
    if (length <= storedBytesMax) {
      this.#parts.push(text);
      this.#bytes += storedHeaderBytes + length;
    } else this.#longLiteral(Buffer.from(text));
    this.#crc = crc32(text, this.#crc);
    this.#length += length;
  }

  /** Inflated bytes of the whole member so far. */
  get length(): number {
    return this.#length;
  }

  fragment({ deflated, crc, length }: Fragment): void {
    this.#add(deflated);
    this.#crc = crc32Combine(this.#crc, crc, length);
    this.#length += length;
  }

  /** Ends the member. */
  end(): void {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#length % 2 ** 32, 4);
    this.#add(finalBlock);
    this.#add(trailer);
  }

  /** Returns the bytes added since the last call, in memory from `allocate`. @default new memory */
  drain(allocate = newMemory): Buffer {
    const drained = allocate(this.#bytes);
    let at = 0;
    for (const part of this.#parts) {
      if (typeof part === 'string') {
        const length = drained.write(part, at + storedHeaderBytes);
        writeStoredHeader(drained, at, length);
        at += storedHeaderBytes + length;
      } else {
        drained.set(part, at);
        at += part.length;
      }
    }
    this.#parts = [];
    this.#bytes = 0;
    return drained;
  }

  #longLiteral(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += storedBytesMax) {
      const block = bytes.subarray(at, at + storedBytesMax);
      const blockHeader = Buffer.alloc(storedHeaderBytes);
      writeStoredHeader(blockHeader, 0, block.length);
      this.#add(blockHeader);
      this.#add(block);
    }
  }

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
  }
}

/** Header of a stored block that is not the last (RFC 1951, 3.2.4). */
function writeStoredHeader(bytes: Buffer, at: number, length: number): void {
  bytes[at] = 0;
  bytes.writeUInt16LE(length, at + 1);
  bytes.writeUInt16LE(length ^ storedBytesMax, at + 3);
}
