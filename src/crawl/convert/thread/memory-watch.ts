import type { Worker } from 'node:worker_threads';

/** Most tasks are finished before the first look. */
const lookMs = 100;

/**
 * Runs while a thread works on a task, and ends it when the thread uses more than `bytesMax`: the heap, and memory
 * outside the heap, where V8 sets no limit. Measured from outside, so that a thread that never pauses is seen. A look
 * costs 0.1 ms. Between two looks a thread can take some hundred megabytes more.
 */
export class MemoryWatch {
  readonly #worker: Worker;
  readonly #bytesMax: number;
  readonly #onOver: () => void;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #isStopped = false;

  constructor(worker: Worker, bytesMax: number, onOver: () => void) {
    this.#worker = worker;
    this.#bytesMax = bytesMax;
    this.#onOver = onOver;
    this.#timer = setInterval(() => void this.#look(), lookMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // A thread that has ended meanwhile reports nothing.
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    this.#isLooking = false;
    if (this.#isStopped || !statistics) return;
    const { used_heap_size: heap, external_memory: external, malloced_memory: malloced } = statistics;
    if (heap + external + malloced <= this.#bytesMax) return;
    this.stop();
    this.#onOver();
  }
}
