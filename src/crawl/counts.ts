/** Counts by name. A name without a count is not kept, so the memory is bounded by what is counted. */
export class Counts {
  readonly #counts = new Map<string, number>();

  /** A live view. */
  get all(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, count: 1 | -1): void {
    const left = this.of(name) + count;
    if (left === 0) this.#counts.delete(name);
    else this.#counts.set(name, left);
  }
}
