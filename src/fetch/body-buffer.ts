/** Larger announcements are not believed until the bytes are there. */
const firstBytesMax = 64 * 1024;
const firstBytesDefault = 16 * 1024;

/**
 * Collects a body whose length is not known. Chunks are copied at once: kept as they are, a body sent in chunks of one
 * byte would hold about a hundred bytes of memory for each.
 */
export class BodyBuffer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(announcedBytes: number | undefined) {
    this.#bytes = allocate(Math.min(announcedBytes ?? firstBytesDefault, firstBytesMax));
  }

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = allocate(Math.max(length, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Owns its memory, all of it, so that it can be transferred to another thread. */
  take(): Uint8Array {
    const { length } = this;
    if (length === this.#bytes.length) {
      return this.#bytes;
    }
    const exact = allocate(length);
    exact.set(this.#bytes.subarray(0, length));
    return exact;
  }
}

/** Neither zeroed (every byte handed out was written) nor out of Node's shared pool, which cannot be transferred. */
function allocate(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes);
}
