import { getHeapStatistics } from 'node:v8';
import { memoryShareMax } from '../limits.ts';

/** How long a measurement stays valid: measuring takes 20 µs. */
const measuredForMs = 500;

/** Bytes in use by the process, and their limits. */
interface Memory {
  readonly resident: number;
  readonly residentMax: number;
  readonly heap: number;
  readonly heapMax: number;
}

/** `residentMax`: what the process may use. */
export function memoryOfProcess(residentMax: number): Memory {
  const { used_heap_size: heap, heap_size_limit: heapMax } = getHeapStatistics();
  return { resident: process.memoryUsage.rss(), residentMax, heap, heapMax };
}

/** Reports whether the process has used nearly all of its memory: requests that begin new work are then refused. */
export class MemoryGuard {
  readonly #measure: () => Memory;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #isShort = false;

  /** `measure` is called at most twice a second. */
  constructor(measure: () => Memory) {
    this.#measure = measure;
  }

  checkShort(): boolean {
    const now = performance.now();
    if (now - this.#measuredAt < measuredForMs) return this.#isShort;
    this.#measuredAt = now;
    const { resident, residentMax, heap, heapMax } = this.#measure();
    this.#isShort = resident > residentMax * memoryShareMax || heap > heapMax * memoryShareMax;
    return this.#isShort;
  }
}
