import { getHeapStatistics } from 'node:v8';
import { totalmem } from 'node:os';
import { memoryShareMax } from '../limits.ts';

/** How long a measurement stays valid: measuring takes 20 µs. */
const measuredForMs = 500;

/** Memory available to the process: that of its container, else of the machine. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Without a limit some systems report zero, others 2^64.
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}

/** Bytes in use by the process, and their limits. */
interface Memory {
  readonly resident: number;
  readonly residentMax: number;
  readonly heap: number;
  readonly heapMax: number;
}

function memoryOfProcess(): Memory {
  const { used_heap_size: heap, heap_size_limit: heapMax } = getHeapStatistics();
  return { resident: process.memoryUsage.rss(), residentMax: memoryBytes(), heap, heapMax };
}

/** Reports whether the process has used nearly all of its memory: requests that begin new work are then refused. */
export class MemoryGuard {
  readonly #measure: () => Memory;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #isShort = false;

  /** `measure` is called at most twice a second. */
  constructor(measure = memoryOfProcess) {
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
