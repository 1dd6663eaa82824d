/**
 * Jobs that a transaction of this process is about. A second one would wait for the row that the first one holds: rather, what it is to write
 * waits here, and goes with what else comes in meanwhile.
 */
export class BusyJobs {
  readonly #jobs = new Set<number>();
  readonly #listeners: (() => void)[] = [];

  /** Told whenever jobs are free again. */
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
