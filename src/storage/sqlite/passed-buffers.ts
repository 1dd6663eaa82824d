/** 400 pages of 6 KB take 1.3 MB, packed. */
const bufferBytes = 2 * 2 ** 20;
/** What is smaller is made anew for less than it costs to pass a buffer to and fro. */
const smallBytesMax = 64 * 2 ** 10;

/**
 * Buffers in which one thread passes bytes to another, which passes them back: memory that is made anew is asked of the system
 * page by page, which takes longer than to fill it. Shared memory would need no passing, but takes V8 nearly twice as long to fill
 * and to read (decision 14).
 */
export class PassedBuffers {
  /** Kept for reads to come, by each of the two threads. */
  static readonly keptMax = 8;

  readonly #kept: ArrayBuffer[] = [];

  /** Room for so many bytes. What is in it does not matter. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (bytes <= smallBytesMax || bytes > bufferBytes) return new Uint8Array(bytes);
    return new Uint8Array(this.#kept.pop() ?? new ArrayBuffer(bufferBytes), 0, bytes);
  }

  /** Buffers that were passed on, and came back. */
  giveBack(buffers: readonly ArrayBuffer[]): void {
    for (const buffer of buffers) {
      if (this.#kept.length < PassedBuffers.keptMax) this.#kept.push(buffer);
      else buffer.transfer(0);
    }
  }

  /** Whether a buffer is one to be given back. */
  static isOne({ byteLength }: ArrayBuffer): boolean {
    return byteLength === bufferBytes;
  }
}
