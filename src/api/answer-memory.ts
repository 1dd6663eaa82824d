// Memory for the bytes of answers, used over and over again. Made anew for each answer, a megabyte at a time, it would be
// freed only by looking through the whole heap, which costs more than the answer (decision 14).
import type { ServerResponse } from 'node:http';

/** Answers that are longer get memory of their own: 400 pages of 6 KB take 1.3 MB, packed. */
const bufferBytes = 2 * 2 ** 20;
/** Kept for answers to come. */
const keptMax = 8;

/** Gives memory for so many bytes. What is in it does not matter. */
export type Allocate = (bytes: number) => Buffer;

export const newMemory: Allocate = (bytes) => Buffer.allocUnsafeSlow(bytes);

export class AnswerMemory {
  readonly #kept: Buffer[] = [];

  /**
   * Memory for all of what a response sends. It comes back when all was handed to the system; when the client leaves
   * before, nobody knows what is still to be sent from it, and it is left to the garbage collector.
   */
  take(bytes: number, response: ServerResponse): Buffer {
    if (bytes > bufferBytes) return newMemory(bytes);
    const buffer = this.#kept.pop() ?? newMemory(bufferBytes);
    response.once('finish', () => {
      if (this.#kept.length < keptMax) this.#kept.push(buffer);
    });
    return buffer.subarray(0, bytes);
  }
}
