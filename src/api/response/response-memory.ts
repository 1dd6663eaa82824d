import type { ServerResponse } from 'node:http';
import { BufferPool } from '../../core/bytes/buffer-pool.ts';

/** Memory for the bytes of responses. */
export class ResponseMemory {
  readonly #pool = new BufferPool();

  /**
   * Returns memory for everything that a response sends. The memory returns to the pool when the system has taken all
   * bytes. If the client leaves before, it is unknown what is still to be sent, so the garbage collector frees it.
   */
  take(bytes: number, response: ServerResponse): Buffer {
    const { buffer } = this.#pool.take(bytes);
    if (this.#pool.keeps(buffer)) response.once('finish', () => this.#pool.giveBack(buffer));
    return Buffer.from(buffer, 0, bytes);
  }
}
