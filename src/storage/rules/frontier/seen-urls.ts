/** Beyond this number, all are forgotten. */
const seenMax = 100_000;

/**
 * URLs that jobs found recently, with the lowest rank at which each could be followed. Most links of a page were on the
 * page before, and need no lookup.
 */
export class SeenUrls {
  /** Ranks of URLs, by job: see `findingRank`. */
  readonly #ranks = new Map<number, Map<string, number>>();
  #size = 0;
  readonly #committed: SeenUrls | undefined;

  /**
   * With `committed`, it serves one transaction. URLs added here count there once {@link commit} is called: no other
   * transaction can rely on them before. A URL found there once stays found here, even if it is forgotten there
   * meanwhile, because this transaction did not look it up.
   */
  constructor(committed?: SeenUrls) {
    this.#committed = committed;
  }

  /** `rank`: infinite if the URL cannot be followed. */
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

  /** Call when the job has ended. */
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
