// The wall clock of a page, which stops while a resource is fetched for it: a polite host is not the page's fault.

/** Milliseconds of browser work. */
const browserMs = 15_000;
/** Milliseconds including all fetches and their waits. */
const wholeMs = 60_000;

export class BrowserClock {
  readonly #browserMs: number;
  readonly #over = Promise.withResolvers<false>();
  readonly #wholeTimer: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #runsSince = performance.now();
  #usedMs = 0;
  #fetching = 0;

  constructor(ms = browserMs) {
    this.#browserMs = ms;
    this.#wholeTimer = setTimeout(() => this.#over.resolve(false), wholeMs);
    this.#run();
  }

  /** The clock stops until the work has ended. */
  async standStill<T>(work: Promise<T>): Promise<T> {
    if (this.#fetching++ === 0) {
      clearTimeout(this.#timer);
      this.#usedMs += performance.now() - this.#runsSince;
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
    const timer = setTimeout(() => late.resolve(undefined), ms);
    work.catch(() => {});
    return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#wholeTimer);
  }

  #run(): void {
    this.#runsSince = performance.now();
    const leftMs = Math.max(0, this.#browserMs - this.#usedMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#over.resolve(false), leftMs);
  }
}
