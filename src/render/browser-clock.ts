// The clock of a page. It stops while a resource is fetched for the page, which takes as long as the host's pace says.
import type { BrowserTime } from './browser-time.ts';

/** Milliseconds of browser work. */
const browserMs = 15_000;
/** Milliseconds including all fetches and their waits. */
const wholeMs = 60_000;

export class BrowserClock {
  readonly #time: Pick<BrowserTime, 'now' | 'after'>;
  readonly #browserMs: number;
  readonly #over = Promise.withResolvers<false>();
  readonly #cancelWhole: () => void;
  #cancel: () => void = () => {};
  #runsSince = 0;
  #usedMs = 0;
  #fetching = 0;

  constructor(time: Pick<BrowserTime, 'now' | 'after'>, ms = browserMs) {
    this.#time = time;
    this.#browserMs = ms;
    this.#cancelWhole = time.after(wholeMs, () => this.#over.resolve(false));
    this.#run();
  }

  /** The clock stops until the work has ended. */
  async standStill<T>(work: Promise<T>): Promise<T> {
    if (this.#fetching++ === 0) {
      this.#cancel();
      this.#usedMs += Math.max(0, this.#time.now() - this.#runsSince);
    }
    try {
      return await work;
    } finally {
      if (--this.#fetching === 0) this.#run();
    }
  }

  /** Returns false if the time was up before the work had ended. */
  async within(work: Promise<void>): Promise<boolean> {
    const done = work.then(() => true);
    // The loser of the race can still reject.
    done.catch(() => {});
    return Promise.race([done, this.#over.promise]);
  }

  /** Undefined if the work took longer. */
  async atMost<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#time.after(ms, () => late.resolve(undefined));
    work.catch(() => {});
    return Promise.race([work, late.promise]).finally(cancel);
  }

  close(): void {
    this.#cancel();
    this.#cancelWhole();
  }

  #run(): void {
    this.#runsSince = this.#time.now();
    const leftMs = Math.max(0, this.#browserMs - this.#usedMs);
    this.#cancel();
    this.#cancel = this.#time.after(leftMs, () => this.#over.resolve(false));
  }
}
