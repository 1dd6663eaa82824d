// The best URLs of a long list, in one pass and bounded memory: at most `limit` URLs of at most `mapBytesMax` characters.

/** Length of all URLs of a response. */
export const mapBytesMax = 8 * 2 ** 20;

export class BestOf<Entry extends { readonly url: string }> {
  readonly #limit: number;
  readonly #rank: ((url: string) => number) | undefined;
  /** By rank, each in the order of arrival. */
  readonly #ranks = new Map<number, Entry[]>();
  #count = 0;
  #bytes = 0;
  #wasCut = false;

  /** Without `rank`, the first are the best. */
  constructor(limit: number, rank?: (url: string) => number) {
    this.#limit = limit;
    this.#rank = rank;
  }

  add(entry: Entry): void {
    const rank = this.#rank?.(entry.url) ?? 0;
    const equals = this.#ranks.get(rank);
    if (equals) equals.push(entry);
    else this.#ranks.set(rank, [entry]);
    this.#count++;
    this.#bytes += entry.url.length;
    while (this.#count > this.#limit || (this.#bytes > mapBytesMax && this.#count > 0)) this.#dropWorst();
  }

  /** The last one of the lowest rank. */
  #dropWorst(): void {
    const lowest = Math.min(...this.#ranks.keys());
    const last = this.#ranks.get(lowest)?.pop();
    if (this.#ranks.get(lowest)?.length === 0) this.#ranks.delete(lowest);
    this.#count--;
    this.#bytes -= last?.url.length ?? 0;
    this.#wasCut = true;
  }

  /** Nothing that follows could be among the best. */
  get isComplete(): boolean {
    return this.#wasCut && !this.#rank;
  }

  /** More were added than there is room for. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Best first. */
  get found(): readonly Entry[] {
    return [...this.#ranks].toSorted(([a], [b]) => b - a).flatMap(([, entries]) => entries);
  }
}
