import { allocateOwned } from './owned-bytes.ts';

/** 400 pages of 6 KB take 1.3 MB, packed. */
const bufferBytes = 2 * 2 ** 20;
/** Kept for takers to come, 16 MiB in all. */
const keptMax = 8;

/**
 * Buffers that are used over and over again: for the bytes of answers, and for pages on their way from one thread to another. Memory that
 * is made anew, a megabyte at a time, is asked of the system page by page, and freed only when V8 looks through the whole heap. Both take
 * longer than to fill it (decision 14).
 *
 * A buffer belongs to the pool, or to its taker until that gives it back. One that is not given back is left to V8.
 */
export class BufferPool {
  readonly #smallBytesMax: number;
  #kept: ArrayBuffer[] = [];

  /** Bytes up to `smallBytesMax` get memory of their own. @default 0 */
  constructor({ smallBytesMax = 0 }: { readonly smallBytesMax?: number } = {}) {
    this.#smallBytesMax = smallBytesMax;
  }

  /** Room for so many bytes. Its content is undefined. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes <= this.#smallBytesMax || bytes > bufferBytes) return allocateOwned(bytes);
    return new Uint8Array(this.#kept.pop() ?? allocateOwned(bufferBytes).buffer, 0, bytes);
  }

  /** Once for each buffer, by its owner, who reads it no more: of this pool, or of that of another thread. Others are freed. */
  giveBack(buffer: ArrayBuffer): void {
    if (this.keeps(buffer) && this.#kept.length < keptMax) this.#kept.push(buffer);
    else buffer.transfer(0);
  }

  /** Whether a buffer is of the size that is used again. */
  keeps({ byteLength }: ArrayBuffer): boolean {
    return byteLength === bufferBytes;
  }

  /** All that are kept, for the pool of another thread. */
  takeAll(): ArrayBuffer[] {
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }
}
