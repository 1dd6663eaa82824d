/**
 * A map that forgets what was not used for long: at least so many other entries are used before one is forgotten. So what a
 * transaction looks up before it begins is there when it needs it, whatever others look up meanwhile.
 */
export class RecentMap<Key, Value> {
  readonly #max: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** It holds twice as many at most. */
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
