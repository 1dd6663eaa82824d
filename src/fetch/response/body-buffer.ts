import { freeBytes } from '../../core/process/free-bytes.ts';
import { allocateOwned, type OwnedBytes } from '../../core/bytes/owned-bytes.ts';

/** A larger announced length is not trusted until the bytes arrive. */
const firstBytesMax = 64 * 1024;
const firstBytesDefault = 16 * 1024;

/**
 * Collects a body of unknown length. Chunks are copied at once: kept as received, a body sent in chunks of one byte
 * would hold about a hundred bytes of memory for each.
 */
export class BodyBuffer {
  readonly #announcedBytes: number;
  #bytes: OwnedBytes;
  #length = 0;

  constructor(announcedBytes: number | undefined) {
    this.#announcedBytes = announcedBytes ?? 0;
    this.#bytes = allocateOwned(Math.min(announcedBytes ?? firstBytesDefault, firstBytesMax));
  }

  get length(): number {
    return this.#length;
  }

  /** Allocated memory: more than the content while the body is being read. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** The bytes so far. Valid until the next `append`. */
  view(): Buffer {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns the body. Do not use this buffer afterwards. */
  take(): OwnedBytes {
    if (this.#length < this.#bytes.length) this.#move(this.#length);
    return this.#bytes;
  }

  /** Doubles the size, but not beyond the announced length while that can still be right. */
  #grow(length: number): void {
    const doubled = Math.max(length, this.#bytes.length * 2);
    this.#move(length <= this.#announcedBytes ? Math.min(doubled, this.#announcedBytes) : doubled);
  }

  #move(bytes: number): void {
    const moved = allocateOwned(bytes);
    moved.set(this.#bytes.subarray(0, this.#length));
    freeBytes(this.#bytes);
    this.#bytes = moved;
  }
}
