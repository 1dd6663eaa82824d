import { getHeapStatistics } from 'node:v8';
import { totalmem } from 'node:os';
import { memoryShareMax } from './limits.ts';

/** How long what was measured stands: asking takes 20 µs. */
const measuredForMs = 500;

/** Memory that the process may have: that of its container, else of the machine. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Without a limit some systems answer zero, others 2^64.
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}

/** Whether the process has used up nearly all the memory that it may have: what begins new work is then refused. */
export class MemoryGuard {
  readonly #bytesMax = memoryBytes() * memoryShareMax;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #isShort = false;

  get isShort(): boolean {
    const now = performance.now();
    if (now - this.#measuredAt < measuredForMs) return this.#isShort;
    this.#measuredAt = now;
    const { used_heap_size: used, heap_size_limit: heapMax } = getHeapStatistics();
    this.#isShort = process.memoryUsage.rss() > this.#bytesMax || used > heapMax * memoryShareMax;
    return this.#isShort;
  }
}
