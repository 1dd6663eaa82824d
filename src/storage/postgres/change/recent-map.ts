/**
 * A map that forgets entries that were not used recently: an entry stays until at least `max` others were used after
 * it. So an entry looked up before a transaction is still there when the transaction needs it.
 */
export class RecentMap<Key, Value> {
  readonly #max: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** It holds up to twice `max` entries. */
  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#max && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
