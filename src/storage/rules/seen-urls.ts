/** More are forgotten. */
const seenMax = 100_000;

/**
 * URLs that jobs were given of late, with the least depth at which they could be followed: most links of a page were seen on
 * the page before, and need not be looked up.
 */
export class SeenUrls {
  readonly #depths = new Map<string, number>();
  readonly #committed: SeenUrls | undefined;

  /**
   * With `committed`, it is for one transaction: what is seen here counts there once {@link commit} is called, since another one must
   * not rely on it before. What was found there once stays found here, whatever is forgotten there meanwhile: it was not looked up.
   */
  constructor(committed?: SeenUrls) {
    this.#committed = committed;
  }

  /** `depth`: infinite where the URL cannot be followed. */
  has(job: number, key: string, depth: number): boolean {
    return this.#has(nameOf(job, key), depth);
  }

  add(job: number, key: string, depth: number): void {
    this.#add(nameOf(job, key), depth);
  }

  commit(): void {
    for (const [name, depth] of this.#depths) {
      if (this.#committed && !this.#committed.#has(name, depth)) this.#committed.#add(name, depth);
    }
    this.#depths.clear();
  }

  forget(): void {
    this.#depths.clear();
  }

  #has(name: string, depth: number): boolean {
    const earlier = this.#depths.get(name);
    if (earlier !== undefined && earlier <= depth) return true;
    if (!this.#committed || !this.#committed.#has(name, depth)) return false;
    this.#depths.set(name, depth);
    return true;
  }

  #add(name: string, depth: number): void {
    // A transaction forgets nothing before its end.
    if (!this.#committed && this.#depths.size >= seenMax) this.#depths.clear();
    this.#depths.set(name, depth);
  }
}

function nameOf(job: number, key: string): string {
  return `${job} ${key}`;
}
