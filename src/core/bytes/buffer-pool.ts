import { allocateOwned } from './owned-bytes.ts';

/** 400 pages of 6 KB take 1.3 MB, compressed. */
const bufferBytes = 2 * 2 ** 20;
/** Buffers kept for reuse: 16 MiB in all. */
const keptMax = 8;

/**
 * Reuses buffers: for the bytes of responses, and for pages on their way between threads. New memory in megabyte pieces
 * comes from the system page by page, and V8 frees it only when it scans the whole heap. Both take longer than filling
 * it (docs/decisions/storage.md).
 *
 * A buffer belongs to the pool, or to its taker until the taker gives it back. V8 collects a buffer that is not given
 * back.
 */
export class BufferPool {
  readonly #smallBytesMax: number;
  #kept: ArrayBuffer[] = [];

  /** Bytes up to `smallBytesMax` get memory of their own. @default 0 */
  constructor({ smallBytesMax = 0 }: { readonly smallBytesMax?: number } = {}) {
    this.#smallBytesMax = smallBytesMax;
  }

  /** Returns room for this many bytes. Its content is undefined. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes <= this.#smallBytesMax || bytes > bufferBytes) return allocateOwned(bytes);
    return new Uint8Array(this.#kept.pop() ?? allocateOwned(bufferBytes).buffer, 0, bytes);
  }

  /**
   * Takes a buffer back: one of this pool, or of another thread's pool. The owner calls it once and does not read the
   * buffer afterwards. A buffer of another size, or one too many, is freed.
   */
  giveBack(buffer: ArrayBuffer): void {
    if (this.keeps(buffer) && this.#kept.length < keptMax) this.#kept.push(buffer);
    else buffer.transfer(0);
  }

  /** Returns true if a buffer has the size that the pool reuses. */
  keeps({ byteLength }: ArrayBuffer): boolean {
    return byteLength === bufferBytes;
  }

  /** Returns all kept buffers, for the pool of another thread. */
  takeAll(): ArrayBuffer[] {
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }
}
