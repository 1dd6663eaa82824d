/** Looks up names of tags and attributes without slicing them from the page each time. */

/** Values by name as written. A page has tens of names that occur in thousands of places. */
export class NameCache<Value> {
  /** Called again for names whose slot was overwritten. */
  readonly #make: (name: string) => Value;
  readonly #slots: (Slot<Value> | undefined)[] = emptySlots.slice();

  constructor(make: (name: string) => Value) {
    this.#make = make;
  }

  /** `hash` covers the characters from `start` to `end`; see {@link hashed}. */
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

/** Adds one character to a hash. */
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
