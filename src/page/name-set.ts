import { hash } from 'node:crypto';

/** Slots of a new set; a power of two. */
const slotsMin = 1024;

/**
 * A set of names for millions of them: 16 bytes each, whatever their length. It keeps 52 bits of a hash, so rarely (with a
 * million names, once in ten thousand sets) it takes a new name for a known one, always the same.
 */
export class NameSet {
  /** Zero is an empty slot. */
  #slots = new Float64Array(slotsMin);
  #size = 0;

  has(name: string): boolean {
    const key = keyOf(name);
    return this.#slots[this.#slotOf(key)] === key;
  }

  add(name: string): void {
    const key = keyOf(name);
    const slot = this.#slotOf(key);
    if (this.#slots[slot] === key) return;
    this.#slots[slot] = key;
    if (++this.#size * 2 > this.#slots.length) this.#grow();
  }

  /** The slot of a key, or the empty one where it belongs. */
  #slotOf(key: number): number {
    const { length } = this.#slots;
    let slot = key % length;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== key) slot = (slot + 1) % length;
    return slot;
  }

  #grow(): void {
    const keys = this.#slots;
    this.#slots = new Float64Array(keys.length * 2);
    for (const key of keys) if (key !== 0) this.#slots[this.#slotOf(key)] = key;
  }
}

/** Cryptographic, so that nobody can choose names that meet in a slot. */
function keyOf(name: string): number {
  const digest = hash('sha256', name, 'buffer');
  return digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) >> 4) + 1;
}
