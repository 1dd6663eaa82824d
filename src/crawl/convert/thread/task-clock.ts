import type { Worker } from 'node:worker_threads';

/** A task is looked at this many times within its deadline. Most are finished before the first look. */
const looksMin = 5;
/**
 * Limit for each fifth of the deadline, however little the thread has worked: it could wait for something that never
 * comes. Counted in looks, since a process that is stopped or gets no processor does not look.
 */
const waitMsMax = 60_000;

/**
 * Runs while a thread works on a task, and ends it when the thread has worked on it for longer than its deadline. This
 * is processor time: on an overloaded machine a page takes longer, and is not lost. A thread that gives no report can be
 * inside one long native call, or the machine can be overloaded: it is ended if the deadline is over both by looks and in
 * processor time of the whole process, which includes the thread's. If threads cannot report (Node before 24.6),
 * wall-clock time counts.
 */
export class TaskClock {
  readonly #worker: Worker;
  readonly #onOver: () => void;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #startedAt = 0;
  #looks = 0;
  /** The look at which the thread last reported a further fifth of the deadline, and its processor time then. */
  #moved = { look: 0, usedMs: 0 };
  /** The thread's processor time when it began. */
  #usedBefore: number | undefined;
  #asked: { readonly look: number; readonly processMs: number } | undefined;
  /** Kept from task to task, if their deadlines are equal. */
  #timer: NodeJS.Timeout | undefined;
  #tasks = 0;

  constructor(worker: Worker, onOver: () => void) {
    this.#worker = worker;
    this.#onOver = onOver;
  }

  /** A task begins, and the one before has ended. */
  start(deadlineMs: number): void {
    if (deadlineMs !== this.#deadlineMs) this.stop();
    this.#tasks++;
    this.#deadlineMs = deadlineMs;
    this.#startedAt = performance.now();
    this.#looks = 0;
    this.#moved = { look: 0, usedMs: 0 };
    this.#usedBefore = undefined;
    this.#asked = undefined;
    if (this.#timer) this.#timer.refresh();
    else this.#wait();
  }

  stop(): void {
    this.#tasks++;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #lookMs(): number {
    return this.#deadlineMs / looksMin;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#looks++;
      if (this.#isLate()) return this.#end();
      if (this.#asked === undefined && canTell(this.#worker)) void this.#look();
      this.#wait();
    }, this.#lookMs);
  }

  #isLate(): boolean {
    if (!canTell(this.#worker)) return performance.now() - this.#startedAt >= this.#deadlineMs;
    const passedMs = (look: number): number => (this.#looks - look) * this.#lookMs;
    if (passedMs(this.#moved.look) >= Math.max(waitMsMax, this.#deadlineMs)) return true;
    if (!this.#asked) return false;
    const { look, processMs } = this.#asked;
    return passedMs(look) >= this.#deadlineMs && processorMs() - processMs >= this.#deadlineMs;
  }

  async #look(): Promise<void> {
    const task = this.#tasks;
    this.#asked = { look: this.#looks, processMs: processorMs() };
    // A thread that has ended meanwhile reports nothing.
    const usage = await this.#worker.cpuUsage().catch(() => undefined);
    if (this.#tasks !== task) return;
    this.#asked = undefined;
    if (!usage) return;
    const usedMs = (usage.user + usage.system) / 1000;
    // At the first look, assume that it has worked all the time.
    this.#usedBefore ??= usedMs - this.#lookMs;
    if (usedMs - this.#usedBefore >= this.#deadlineMs) this.#end();
    if (usedMs - this.#moved.usedMs >= this.#lookMs) this.#moved = { look: this.#looks, usedMs };
  }

  #end(): void {
    this.stop();
    this.#onOver();
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function canTell(worker: Partial<Pick<Worker, 'cpuUsage'>>): boolean {
  return typeof worker.cpuUsage === 'function';
}
