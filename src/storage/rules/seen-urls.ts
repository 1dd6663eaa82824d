/** More are forgotten. */
const seenMax = 100_000;

/**
 * URLs that jobs were given of late, with the least rank at which they could be followed: most links of a page were seen on
 * the page before, and need not be looked up.
 */
export class SeenUrls {
  /** Ranks of URLs, by job: see `findingRank`. */
  readonly #ranks = new Map<number, Map<string, number>>();
  #size = 0;
  readonly #committed: SeenUrls | undefined;

  /**
   * With `committed`, it is for one transaction: what is seen here counts there once {@link commit} is called, since another one must
   * not rely on it before. What was found there once stays found here, whatever is forgotten there meanwhile: it was not looked up.
   */
  constructor(committed?: SeenUrls) {
    this.#committed = committed;
  }

  /** `rank`: infinite where the URL cannot be followed. */
  has(job: number, key: string, rank: number): boolean {
    const earlier = this.#ranks.get(job)?.get(key);
    if (earlier !== undefined && earlier <= rank) return true;
    if (!this.#committed || !this.#committed.has(job, key, rank)) return false;
    this.#set(job, key, rank);
    return true;
  }

  add(job: number, key: string, rank: number): void {
    // A transaction forgets nothing before its end.
    if (!this.#committed && this.#size >= seenMax) this.forget();
    this.#set(job, key, rank);
  }

  commit(): void {
    for (const [job, urls] of this.#ranks) {
      for (const [key, rank] of urls) {
        if (this.#committed && !this.#committed.has(job, key, rank)) this.#committed.add(job, key, rank);
      }
    }
    this.forget();
  }

  /** Of a job that has ended. */
  forgetJob(job: number): void {
    this.#size -= this.#ranks.get(job)?.size ?? 0;
    this.#ranks.delete(job);
  }

  forget(): void {
    this.#ranks.clear();
    this.#size = 0;
  }

  #set(job: number, key: string, rank: number): void {
    let urls = this.#ranks.get(job);
    if (!urls) this.#ranks.set(job, (urls = new Map()));
    const before = urls.size;
    urls.set(key, rank);
    this.#size += urls.size - before;
  }
}
