/** Names of tags and attributes, without cutting them out of the page each time. */

/** What is known of a name, by the letters of the page. A page has tens of names, and thousands of places where they stand. */
export class NameCache<Value> {
  /** Asked again for names that others have overwritten. */
  readonly #make: (name: string) => Value;
  readonly #slots: (Slot<Value> | undefined)[] = emptySlots.slice();

  constructor(make: (name: string) => Value) {
    this.#make = make;
  }

  /** `hash`: of the characters from `start` to `end`, by {@link hashed}. */
  get(html: string, start: number, end: number, hash: number): Value {
    const index = (hash ^ (hash >>> 10)) & (slotCount - 1);
    const slot = this.#slots[index];
    return slot !== undefined && isAt(html, start, end, slot.written)
      ? slot.value
      : this.#fill(html.slice(start, end), index);
  }

  #fill(written: string, index: number): Value {
    const value = this.#make(written.toLowerCase());
    this.#slots[index] = { written, value };
    return value;
  }
}

/** One more character. */
export function hashed(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

const slotCount = 1024;
const emptySlots: readonly undefined[] = Array.from({ length: slotCount });

interface Slot<Value> {
  readonly written: string;
  readonly value: Value;
}

function isAt(html: string, start: number, end: number, text: string): boolean {
  const { length } = text;
  if (end - start !== length) return false;
  for (let index = 0; index < length; index++) {
    if (html.charCodeAt(start + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}
