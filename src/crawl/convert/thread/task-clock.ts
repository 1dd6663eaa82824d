import type { Worker } from 'node:worker_threads';

/** A task is looked at this many times within its deadline. Most are finished before the first look. */
const looksMin = 5;
/** Wall-clock limit, however little the thread has worked: it could wait for something that never comes. */
const wallMsMax = 60_000;

/**
 * Runs while a thread works on a task, and ends it when the thread has worked on it for longer than its deadline. This
 * is processor time: on an overloaded machine a page takes longer, and is not lost. If the thread cannot report it
 * (Node before 24.6), or gives no report for as long as the deadline, wall-clock time counts.
 */
export class TaskClock {
  readonly #worker: Worker;
  readonly #deadlineMs: number;
  readonly #onOver: () => void;
  readonly #startedAt = performance.now();
  /** The thread's processor time when it began. */
  #usedBefore: number | undefined;
  #askedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(worker: Worker, deadlineMs: number, onOver: () => void) {
    this.#worker = worker;
    this.#deadlineMs = deadlineMs;
    this.#onOver = onOver;
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  get #lookMs(): number {
    return this.#deadlineMs / looksMin;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      if (this.#isLate()) return this.#end();
      if (this.#askedAt === undefined && canTell(this.#worker)) void this.#look();
      this.#wait();
    }, this.#lookMs);
  }

  #isLate(): boolean {
    const now = performance.now();
    const since = canTell(this.#worker) ? this.#askedAt : this.#startedAt;
    if (since !== undefined && now - since >= this.#deadlineMs) return true;
    return now - this.#startedAt >= Math.max(wallMsMax, this.#deadlineMs);
  }

  async #look(): Promise<void> {
    this.#askedAt = performance.now();
    // A thread that has ended meanwhile reports nothing.
    const usage = await this.#worker.cpuUsage().catch(() => undefined);
    this.#askedAt = undefined;
    if (this.#isStopped || !usage) return;
    const usedMs = (usage.user + usage.system) / 1000;
    // At the first look, assume that it has worked all the time.
    this.#usedBefore ??= usedMs - this.#lookMs;
    if (usedMs - this.#usedBefore >= this.#deadlineMs) this.#end();
  }

  #end(): void {
    this.stop();
    this.#onOver();
  }
}

function canTell(worker: Partial<Pick<Worker, 'cpuUsage'>>): boolean {
  return typeof worker.cpuUsage === 'function';
}
