import { crc32 } from 'node:zlib';
import type { Fragment } from '../core/page.ts';
import { crc32Combine } from './crc32-combine.ts';

/** RFC 1952, 2.3: deflate, no flags, no time, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final block with fixed codes (RFC 1951, 3.2.6). */
const finalBlock = Buffer.from([0x03, 0x00]);
const storedBytesMax = 0xff_ff;

/**
 * One gzip member put together from stored fragments and short literal bytes between them. One member and not several:
 * common clients stop silently after the first (curl 7.88 returned 1,000 of 2,500,000 bytes).
 */
export class GzipMember {
  #chunks: Uint8Array[] = [header];
  #crc = 0;
  #length = 0;

  /** Bytes that are not packed (RFC 1951, 3.2.4). */
  literal(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += storedBytesMax) {
      const block = bytes.subarray(at, at + storedBytesMax);
      const blockHeader = Buffer.alloc(5);
      blockHeader.writeUInt16LE(block.length, 1);
      blockHeader.writeUInt16LE(block.length ^ 0xff_ff, 3);
      this.#chunks.push(blockHeader, block);
    }
    this.#crc = crc32(bytes, this.#crc);
    this.#length += bytes.length;
  }

  fragment({ deflated, crc, length }: Fragment): void {
    this.#chunks.push(deflated);
    this.#crc = crc32Combine(this.#crc, crc, length);
    this.#length += length;
  }

  /** Ends the member. */
  end(): void {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#length % 2 ** 32, 4);
    this.#chunks.push(finalBlock, trailer);
  }

  /** What was added since the last call. */
  drain(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return bytes;
  }
}
