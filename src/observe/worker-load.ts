import { performance } from 'node:perf_hooks';

/** How often the load is measured, and how many measurements the mean covers: a minute. */
export const lookEveryMs = 5_000;
const looksKept = 12;
/** A higher load is reported only while a further worker would help. An autoscaler aims at this. */
export const enoughLoad = 0.7;
/** A worker with a free lane leases a due host within this time. */
const patienceMs = 2_000;

export interface WorkerLoadParts {
  /** Fetches under way, not counting those that wait for their turn. */
  readonly fetching: () => number;
  readonly fetchesMax: number;
  /** Pages that are being converted or wait for it. */
  readonly converting: () => number;
  readonly threads: number;
  /** How long the oldest due host has waited without a lease; 0 if there is none. */
  readonly dueForMs: () => Promise<number>;
  /** The utilization of the main thread. @default measured since the last call */
  readonly mainThread?: () => number;
}

/**
 * How near this process is to its limit, from 0 to 1: the highest use among fetches, converter threads and main thread,
 * as a mean of the last minute.
 *
 * Work that waits for something else leaves all three idle: for a delay between requests, for a slow host at its limit
 * of requests, for a lock of the database. A further worker would wait just as long, so the load stays low then,
 * however long hosts have been due. A full process needs no further worker either, as long as no host waits for a lane:
 * a measurement counts above {@link enoughLoad} only if one does.
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
    // Converter threads are full when as many pages wait as are converted.
    const fullest = Math.max(fetching() / fetchesMax, converting() / (2 * threads), this.#mainThread());
    const isShort = fullest > enoughLoad && (await dueForMs()) >= patienceMs;
    this.#looks.push(isShort ? Math.min(1, fullest) : Math.min(enoughLoad, fullest));
    if (this.#looks.length > looksKept) this.#looks.shift();
  }
}
