import type { ServerResponse } from 'node:http';
import { BufferPool } from '../core/buffer-pool.ts';

/** Memory for the bytes of answers. */
export class AnswerMemory {
  readonly #pool = new BufferPool();

  /**
   * Memory for all of what a response sends. It comes back when all was handed to the system; when the client leaves
   * before, nobody knows what is still to be sent from it, and it is left to the garbage collector.
   */
  take(bytes: number, response: ServerResponse): Buffer {
    const { buffer } = this.#pool.take(bytes);
    if (this.#pool.keeps(buffer)) response.once('finish', () => this.#pool.giveBack(buffer));
    return Buffer.from(buffer, 0, bytes);
  }
}
