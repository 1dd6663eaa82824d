/** Requests in flight over all hosts. Whoever finds no room is called, in turn, until the room is taken. */
export class Concurrency {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /** True when room was taken; else `retry` is called once when it is worth trying again. */
  tryEnter(retry: () => void): boolean {
    if (this.#free === 0) {
      this.#waiting.add(retry);
      return false;
    }
    this.#free--;
    return true;
  }

  leave(): void {
    this.#free++;
    // Who waited may have no use for the room any more: then it is the next one's.
    for (const next of this.#waiting) {
      if (this.#free === 0) return;
      this.#waiting.delete(next);
      next();
    }
  }
}
