// Bounds the bytes of screenshots that wait for the store. While the store cannot write, they would fill the memory.

/** At this number of bytes, no further page with a screenshot is rendered. Pages in the browser then can exceed it. */
const bytesMax = 64 * 2 ** 20;

export class ScreenshotBudget {
  readonly #bytesMax: number;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(max = bytesMax) {
    this.#bytesMax = max;
  }

  /** Resolves when there is room. Rejects when the signal fires. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#bytes >= this.#bytesMax) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Call when they are stored. */
  remove(bytes: number): void {
    this.#bytes -= bytes;
    for (const resume of this.#waiting) resume();
  }
}
