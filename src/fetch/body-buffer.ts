import { freeBytes } from '../core/free-bytes.ts';

/** Larger announcements are not believed until the bytes are there. */
const firstBytesMax = 64 * 1024;
const firstBytesDefault = 16 * 1024;

/**
 * Collects a body whose length is not known. Chunks are copied at once: kept as they are, a body sent in chunks of one
 * byte would hold about a hundred bytes of memory for each.
 */
export class BodyBuffer {
  readonly #announcedBytes: number;
  #bytes: Uint8Array;
  #length = 0;

  constructor(announcedBytes: number | undefined) {
    this.#announcedBytes = announcedBytes ?? 0;
    this.#bytes = allocate(Math.min(announcedBytes ?? firstBytesDefault, firstBytesMax));
  }

  get length(): number {
    return this.#length;
  }

  /** Memory that is taken, which is more than what is in it while the body is read. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Owns its memory, all of it, so that it can be transferred to another thread. */
  take(): Uint8Array {
    if (this.#length < this.#bytes.length) this.#move(this.#length);
    return this.#bytes;
  }

  /** To twice the size, but not beyond what was announced as long as that may be true. */
  #grow(length: number): void {
    const doubled = Math.max(length, this.#bytes.length * 2);
    this.#move(length <= this.#announcedBytes ? Math.min(doubled, this.#announcedBytes) : doubled);
  }

  #move(bytes: number): void {
    const moved = allocate(bytes);
    moved.set(this.#bytes.subarray(0, this.#length));
    freeBytes(this.#bytes);
    this.#bytes = moved;
  }
}

/** Neither zeroed (every byte handed out was written) nor out of Node's shared pool, which cannot be transferred. */
function allocate(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes);
}
