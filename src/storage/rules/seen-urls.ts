/** More are forgotten. */
const seenMax = 100_000;

/**
 * URLs that jobs were given of late, with the least depth at which they could be followed: most links of a page were seen on
 * the page before, and need not be looked up.
 */
export class SeenUrls {
  /** Depths of URLs, by job. */
  readonly #depths = new Map<number, Map<string, number>>();
  #size = 0;
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
    const earlier = this.#depths.get(job)?.get(key);
    if (earlier !== undefined && earlier <= depth) return true;
    if (!this.#committed || !this.#committed.has(job, key, depth)) return false;
    this.#set(job, key, depth);
    return true;
  }

  add(job: number, key: string, depth: number): void {
    // A transaction forgets nothing before its end.
    if (!this.#committed && this.#size >= seenMax) this.forget();
    this.#set(job, key, depth);
  }

  commit(): void {
    for (const [job, urls] of this.#depths) {
      for (const [key, depth] of urls) {
        if (this.#committed && !this.#committed.has(job, key, depth)) this.#committed.add(job, key, depth);
      }
    }
    this.forget();
  }

  /** Of a job that has ended. */
  forgetJob(job: number): void {
    this.#size -= this.#depths.get(job)?.size ?? 0;
    this.#depths.delete(job);
  }

  forget(): void {
    this.#depths.clear();
    this.#size = 0;
  }

  #set(job: number, key: string, depth: number): void {
    let urls = this.#depths.get(job);
    if (!urls) this.#depths.set(job, (urls = new Map()));
    const before = urls.size;
    urls.set(key, depth);
    this.#size += urls.size - before;
  }
}
