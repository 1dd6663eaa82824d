/**
 * Jobs that a transaction of this process works on. A second transaction would wait for the row lock that the first one
 * holds. Instead, its writes wait here and are batched with others that arrive meanwhile.
 */
export class BusyJobs {
  readonly #jobs = new Set<number>();
  readonly #listeners: (() => void)[] = [];

  /** The listener is called each time jobs become free. */
  onFree(listener: () => void): void {
    this.#listeners.push(listener);
  }

  has(job: number): boolean {
    return this.#jobs.has(job);
  }

  add(jobs: Iterable<number>): void {
    for (const job of jobs) this.#jobs.add(job);
  }

  free(jobs: Iterable<number>): void {
    for (const job of jobs) this.#jobs.delete(job);
    for (const listener of this.#listeners) listener();
  }
}
