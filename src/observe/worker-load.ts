import { performance } from 'node:perf_hooks';

/** How often the load is looked at, and how many looks the mean is of: a minute. */
export const lookEveryMs = 5_000;
const looksKept = 12;
/** More is said only while a further worker would help. An autoscaler aims at this. */
export const enoughLoad = 0.7;
/** A host that is due is leased within this time by a worker that has a lane for it. */
const patienceMs = 2_000;

export interface WorkerLoadParts {
  /** Fetches that are under way, without those that wait for their turn. */
  readonly fetching: () => number;
  readonly fetchesMax: number;
  /** Pages that are being converted, or wait for it. */
  readonly converting: () => number;
  readonly threads: number;
  /** For how long a host has been due that nobody has leased; 0 where there is none. */
  readonly dueForMs: () => Promise<number>;
  /** @default that of the main thread since the last call */
  readonly mainThread?: () => number;
}

/**
 * How near this process is to what it can do, from 0 to 1: the fullest of its fetches, its converter threads and its
 * main thread, as a mean of the last minute.
 *
 * Work that waits for something else leaves all three idle: for a delay between requests, for a slow host that has as
 * many requests as it may, for a lock of the database. A further worker would wait just as long, so the load stays low
 * there, however long hosts have been due. And a process that is full is no reason for another one while no host waits
 * for a lane: above {@link enoughLoad} a look counts only where one does.
 */
export class WorkerLoad {
  readonly #parts: WorkerLoadParts;
  readonly #looks: number[] = [];
  readonly #mainThread: () => number;

  constructor(parts: WorkerLoadParts) {
    this.#parts = parts;
    let before = performance.eventLoopUtilization();
    this.#mainThread =
      parts.mainThread ??
      (() => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, before);
        before = now;
        return utilization;
      });
  }

  get mean(): number {
    return this.#looks.reduce((sum, look) => sum + look, 0) / Math.max(1, this.#looks.length);
  }

  async look(): Promise<void> {
    const { fetching, fetchesMax, converting, threads, dueForMs } = this.#parts;
    // As many pages again wait while all threads are busy.
    const fullest = Math.max(fetching() / fetchesMax, converting() / (2 * threads), this.#mainThread());
    const isShort = fullest > enoughLoad && (await dueForMs()) >= patienceMs;
    this.#looks.push(isShort ? Math.min(1, fullest) : Math.min(enoughLoad, fullest));
    if (this.#looks.length > looksKept) this.#looks.shift();
  }
}
