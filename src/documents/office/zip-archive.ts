import { unzipSync } from 'fflate';
import { DocumentError, tooMany, unreadable } from '../parts/document-error.ts';

const entriesMax = 2_000;
/** Limit for everything read from one file. */
const inflatedBytesMax = 50 * 2 ** 20;

/**
 * Reads the parts of a ZIP archive on demand. Counts the stated length of an entry before unpacking it and never
 * unpacks more, so a bomb with a false length gains nothing.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #names = new Set<string>();
  #inflatedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    if (bytes[0] === 0xd0 && bytes[1] === 0xcf) {
      throw unreadable('The file is protected with a password, or in an old format of Office.');
    }
    let entries = 0;
    this.#unzip(({ name }) => {
      if (++entries > entriesMax) throw tooMany('entries', entriesMax);
      this.#names.add(name);
      return false;
    });
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Returns the entries that exist, by name. */
  read(names: Iterable<string>): ReadonlyMap<string, Uint8Array> {
    const wanted = new Set(names);
    const files = this.#unzip(({ name, originalSize }) => {
      // Only the first of several entries with one name counts.
      if (!wanted.delete(name)) return false;
      this.#inflatedBytes += originalSize;
      if (this.#inflatedBytes > inflatedBytesMax) {
        throw new DocumentError(
          'parse_budget',
          `The file has more than ${inflatedBytesMax / 2 ** 20} MiB when decompressed.`,
        );
      }
      return true;
    });
    return new Map(Object.entries(files));
  }

  #unzip(filter: (file: { readonly name: string; readonly originalSize: number }) => boolean) {
    try {
      return unzipSync(this.#bytes, { filter });
    } catch (error) {
      if (error instanceof DocumentError) throw error;
      throw unreadable('The file is damaged: it is no valid ZIP archive.');
    }
  }
}
