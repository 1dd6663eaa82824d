/** Numbers the names of tags and attributes in the bytes of a page, without making a string of each. */

declare const isName: unique symbol;
/** Position of a name in its table. */
export type NameId = number & { readonly [isName]: true };

/** The same in each table. The first stands for texts. At most 31: sets of them are the bits of a number. */
const firstNames = [
  '',
  'img',
  'encoding',
  'class',
  'id',
  'role',
  'hidden',
  'style',
  'itemscope',
  'itemtype',
  'itemprop',
  'typeof',
  'property',
  'rel',
  'href',
  'datetime',
  'content',
  'title',
  'type',
  'src',
  'hreflang',
] as const;

/* oxlint-disable typescript/no-unsafe-type-assertion -- here positions become numbers of names */
export const firstIds = Object.fromEntries(firstNames.map((name, at) => [name, at as NameId])) as Readonly<
  Record<(typeof firstNames)[number], NameId>
>;
export const textName = firstIds[''];

/** Adds one byte of a name to a hash. Ignores case. */
export function hashed(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + (byte | 0x20)) | 0;
}

/** Names are in lower case. */
export class NameTable {
  readonly #names: string[] = [];
  readonly #ids = new Map<string, NameId>();
  /** Names of ASCII by their hash; 0 if empty. */
  readonly #slots = new Int32Array(slotCount);

  constructor() {
    for (const name of firstNames) this.#add(name);
  }

  get count(): number {
    return this.#names.length;
  }

  /** `hash` covers the bytes from `start` to `end`. */
  find(bytes: Buffer, start: number, end: number, hash: number): NameId {
    let slot = hash ^ (hash >>> 10);
    const last = slot + probesMax;
    for (; slot < last; slot++) {
      const id = this.#slots[slot & slotMask] as NameId;
      if (id === 0) break;
      if (this.isAt(id, bytes, start, end)) return id;
    }
    const name = bytes.toString('utf8', start, end).toLowerCase();
    const id = this.#ids.get(name) ?? this.#add(name);
    if (slot < last && this.isAt(id, bytes, start, end)) this.#slots[slot & slotMask] = id;
    return id;
  }

  /** Returns true if the name is at this place, in any case. False for a name beyond ASCII. */
  isAt(id: NameId, bytes: Uint8Array, start: number, end: number): boolean {
    const name = this.of(id);
    if (name.length !== end - start) return false;
    for (let index = 0; index < name.length; index++) {
      const byte = bytes[start + index] ?? 0;
      const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
      if (lower !== name.charCodeAt(index) || byte > 0x7f) return false;
    }
    return true;
  }

  of(id: NameId): string {
    return this.#names[id] ?? '';
  }

  #add(name: string): NameId {
    // Keys of objects are interned: comparing one with a literal compares pointers. Each name costs a shape of objects.
    const [key = name] = this.count < keptMax ? Object.keys({ [name]: true }) : [];
    const id = (this.#names.push(key) - 1) as NameId;
    this.#ids.set(key, id);
    return id;
  }
}
/* oxlint-enable typescript/no-unsafe-type-assertion */

const slotCount = 4_096;
const slotMask = slotCount - 1;
/** Names of a hostile page can have one hash. */
const probesMax = 8;

/** Pages of a site have the same names. */
const keptMax = 2_000;
let kept = new NameTable();

/** The names of this thread, without those of a page that had too many. */
export function keptNames(): NameTable {
  if (kept.count > keptMax) kept = new NameTable();
  return kept;
}
