import { freeBytes } from '../core/free-bytes.ts';
import { allocateOwned, type OwnedBytes } from '../core/owned-bytes.ts';

/** Larger announcements are not believed until the bytes are there. */
const firstBytesMax = 64 * 1024;
const firstBytesDefault = 16 * 1024;

/**
 * Collects a body whose length is not known. Chunks are copied at once: kept as they are, a body sent in chunks of one
 * byte would hold about a hundred bytes of memory for each.
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

  /** Memory that is taken, which is more than what is in it while the body is read. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** What is there, until the next `append`. */
  view(): Buffer {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** The body. This buffer is not used any more. */
  take(): OwnedBytes {
    if (this.#length < this.#bytes.length) this.#move(this.#length);
    return this.#bytes;
  }

  /** To twice the size, but not beyond what was announced as long as that may be true. */
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
