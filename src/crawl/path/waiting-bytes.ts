// Bounds the bytes of screenshots and raw bodies that wait for the store. While the store cannot write, they would fill
// the memory.
import type { Outcome } from '../../core/request.ts';

/** At this number of bytes, no further page with either is converted or rendered. Pages under way then can exceed it. */
const bytesMax = 64 * 2 ** 20;

export class WaitingBytes {
  readonly #bytesMax: number;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  /** `bytes`: what there is for it; it takes less. */
  constructor(bytes = bytesMax) {
    this.#bytesMax = Math.min(bytesMax, bytes);
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

  add(outcome: Outcome): void {
    this.#bytes += attachedBytes(outcome);
  }

  /** Call when it is stored, before its bytes are freed. */
  remove(outcome: Outcome): void {
    this.#bytes -= attachedBytes(outcome);
    for (const resume of this.#waiting) resume();
  }
}

function attachedBytes(outcome: Outcome): number {
  if (outcome.kind !== 'scraped') return 0;
  const { screenshot, raw } = outcome.page;
  return (screenshot?.bytes.length ?? 0) + (raw?.received.length ?? 0) + (raw?.rendered?.length ?? 0);
}
