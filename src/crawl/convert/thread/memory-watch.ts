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
  readonly #onOver: () => void;
  /** Kept from task to task: a timer of its own for each would be two for each page. */
  #timer: NodeJS.Timeout | undefined;
  #bytesMax = Number.POSITIVE_INFINITY;
  #tasks = 0;
  #isLooking = false;

  constructor(worker: Worker, onOver: () => void) {
    this.#worker = worker;
    this.#onOver = onOver;
  }

  /** A task begins, and the one before has ended. */
  start(bytesMax: number): void {
    this.#tasks++;
    this.#bytesMax = bytesMax;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setInterval(() => void this.#look(), lookMs);
  }

  stop(): void {
    this.#tasks++;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const task = this.#tasks;
    // A thread that has ended meanwhile reports nothing.
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    this.#isLooking = false;
    if (this.#tasks !== task || !statistics) return;
    const { used_heap_size: heap, external_memory: external, malloced_memory: malloced } = statistics;
    if (heap + external + malloced <= this.#bytesMax) return;
    this.stop();
    this.#onOver();
  }
}
