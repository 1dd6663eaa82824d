/**
 * A page in UTF-8, of which texts and attributes are ranges: they become strings when they are read. Most are read by
 * nobody, or only to measure them.
 */
import { isAscii } from 'node:buffer';
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { type Attributes, newAttributes, noAttributes } from './attributes.ts';
import { firstIds, keptNames, type NameId } from './name-table.ts';

/** Bits next to the start of a range. */
export const hasReferences = 1;
export const beyondAscii = 2;
const bitCount = 2;
const allBits = 3;

/** The place of a range: its start and bits in one number. */
export function rangeStart(start: number, bits: number): number {
  return (start << bitCount) | bits;
}

/** Ends the search for the end of a text, so that it need not look for the end of the page. */
const sentinel = '<\0\0\0';

/** Takes texts. */
export interface TextReader {
  addString(text: string): void;
  /** Adds a text in UTF-8. */
  addBytes(bytes: Uint8Array, start: number, stop: number): void;
}

export class PageBytes {
  /** Each byte as a character: for searches, and for slices of ASCII. */
  readonly ascii: string;
  /** Bytes. */
  readonly length: number;
  /** Bits of a range whose characters nobody looked at. */
  readonly unknownBits: number;
  /** Names of its tags and attributes. */
  readonly names = keptNames();
  readonly #store: Store;
  readonly #generation: number;
  #attributeCount = 0;

  /**
   * Bytes are UTF-8. With `isShared`, writes over the page that this thread read before, which cannot be read any more.
   * A part that is read while its page is in use gets memory of its own.
   */
  constructor(source: string | Uint8Array, isShared: boolean) {
    const length = typeof source === 'string' ? Buffer.byteLength(source) : source.length;
    const store = isShared ? keptStore() : new Store();
    store.growBytes(length + sentinel.length);
    const { bytes } = store;
    if (typeof source === 'string') bytes.write(source);
    else bytes.set(source);
    bytes.write(sentinel, length);
    this.length = length;
    const isPlain = isAscii(bytes.subarray(0, length));
    this.unknownBits = isPlain ? 0 : beyondAscii;
    this.ascii = isPlain && typeof source === 'string' ? source : bytes.toString('latin1', 0, length);
    this.#store = store;
    this.#generation = ++store.generation;
  }

  /** The page, and after it a `<`. */
  get bytes(): Buffer {
    return this.#current.bytes;
  }

  get attributeCount(): number {
    return this.#attributeCount;
  }

  /** Throws if another page was written over this one. */
  get #current(): Store {
    if (this.#store.generation !== this.#generation) throw new Error('Another page was read since: keep no nodes.');
    return this.#store;
  }

  addAttribute(name: NameId, start: number, stop: number, bits: number): void {
    const store = this.#store;
    const at = this.#attributeCount++;
    if (at === store.attributes.length) store.growAttributes();
    store.attributes[at] = name;
    store.valueStarts[at] = rangeStart(start, bits);
    store.valueStops[at] = stop;
  }

  /** Forgets the attributes after the first `count`. */
  dropAttributes(count: number): void {
    this.#attributeCount = count;
  }

  /** Value of one of these attributes; undefined if it is not among them. */
  attribute(first: number, stop: number, name: keyof typeof firstIds): string | undefined {
    const { attributes } = this.#current;
    const id = firstIds[name];
    for (let at = first; at < stop; at++) if (attributes[at] === id) return this.#value(at);
    return undefined;
  }

  /** Those of {@link firstIds} that are among these attributes: the bit of each is 1 shifted by its number. */
  firstNamesOf(first: number, stop: number): number {
    const { attributes } = this.#current;
    let names = 0;
    for (let at = first; at < stop; at++) {
      const id = attributes[at] ?? 0;
      if (id < 32) names |= 1 << id;
    }
    return names;
  }

  /** The first of a name counts. */
  attributesOf(first: number, stop: number): Attributes {
    if (first === stop) return noAttributes;
    const attributes = newAttributes();
    for (let at = first; at < stop; at++) attributes[this.names.of(this.attributeName(at))] ??= this.#value(at);
    return attributes;
  }

  attributeName(at: number): NameId {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only such numbers are written
    return this.#current.attributes[at] as NameId;
  }

  #value(at: number): string {
    const { valueStarts, valueStops } = this.#current;
    const start = valueStarts[at] ?? 0;
    const written = this.slice(start >> bitCount, valueStops[at] ?? 0, start & allBits);
    return (start & hasReferences) === 0 ? written : decodeHTMLAttribute(written);
  }

  /** Text of a range. */
  text(start: number, stop: number): string {
    const written = this.slice(start >> bitCount, stop, start & allBits);
    return (start & hasReferences) === 0 ? written : decodeHTML(written);
  }

  slice(start: number, stop: number, bits: number): string {
    const { bytes } = this.#current;
    return (bits & beyondAscii) === 0 ? this.ascii.slice(start, stop) : bytes.toString('utf8', start, stop);
  }

  /** Returns false if the text of the range is not as it is written. */
  addTextTo(reader: TextReader, start: number, stop: number): boolean {
    if ((start & hasReferences) !== 0) return false;
    reader.addBytes(this.bytes, start >> bitCount, stop);
    return true;
  }

  /** Returns true if a text is only white space. */
  isBlank(start: number, stop: number): boolean {
    if ((start & allBits) !== 0) return this.text(start, stop).trim() === '';
    const { bytes } = this;
    for (let at = start >> bitCount; at < stop; at++) if (!isBlankByte(bytes[at] ?? 0)) return false;
    return true;
  }
}

/** As `trim()` has it. */
function isBlankByte(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Memory that a thread keeps from page to page. Arrays are replaced when they grow. */
class Store {
  bytes = Buffer.alloc(0);
  // By attribute: its name, and the range of its value.
  attributes = new Int32Array(smallest);
  valueStarts = new Int32Array(smallest);
  valueStops = new Int32Array(smallest);
  /** Number of the page that wrote last. */
  generation = 0;

  growBytes(length: number): void {
    if (this.bytes.length < length)
      this.bytes = Buffer.allocUnsafe(Math.max(length, Math.min(length * 2, keptBytesMax)));
  }

  growAttributes(): void {
    this.attributes = doubled(this.attributes);
    this.valueStarts = doubled(this.valueStarts);
    this.valueStops = doubled(this.valueStops);
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

const smallest = 32;
const keptAttributesMax = 131_072;
const keptBytesMax = 4 * 2 ** 20;
let kept = new Store();

/** That of a giant page is given back when the next page comes. */
function keptStore(): Store {
  if (kept.attributes.length > keptAttributesMax || kept.bytes.length > keptBytesMax) kept = new Store();
  return kept;
}
