import { crc32 } from 'node:zlib';
import { unzipSync } from 'fflate';
import { DocumentError, tooMany, unreadable } from '../parts/document-error.ts';

const entriesMax = 2_000;
/** Limit for everything read from one file. */
const inflatedBytesMax = 50 * 2 ** 20;

const damaged = 'The file is damaged: it is no valid ZIP archive.';

/** Archives that were opened to recognize a file, and are not read yet. */
const recognized = new WeakMap<Uint8Array, ZipArchive>();

/** Opens an archive to look at its names. The next {@link openZip} of the same bytes returns it. */
export function lookIntoZip(bytes: Uint8Array): ZipArchive {
  const archive = new ZipArchive(bytes);
  recognized.set(bytes, archive);
  return archive;
}

export function openZip(bytes: Uint8Array): ZipArchive {
  const archive = recognized.get(bytes) ?? new ZipArchive(bytes);
  // Each reading has a budget of its own.
  recognized.delete(bytes);
  return archive;
}

/**
 * Reads the parts of a ZIP archive on demand. Counts the stated length of an entry before unpacking it and never
 * unpacks more, so a bomb with a false length gains nothing. A part with another checksum than the stated one is damage.
 */
export class ZipArchive {
  readonly #bytes: Uint8Array;
  readonly #names = new Set<string>();
  /** Of all entries, in the order of the directory. */
  readonly #checksums: readonly number[];
  #inflatedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#checksums = statedChecksums(bytes);
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
    // Each pass over the directory reads all names.
    if (![...wanted].some((name) => this.#names.has(name))) return new Map();
    const checksums = new Map<string, number | undefined>();
    let index = 0;
    const files = this.#unzip(({ name, originalSize }) => {
      const checksum = this.#checksums[index++];
      // Only the first of several entries with one name counts.
      if (!wanted.delete(name)) return false;
      this.#inflatedBytes += originalSize;
      if (this.#inflatedBytes > inflatedBytesMax) {
        throw new DocumentError(
          'parse_budget',
          `The file has more than ${inflatedBytesMax / 2 ** 20} MiB when decompressed.`,
        );
      }
      checksums.set(name, checksum);
      return true;
    });
    const parts = new Map(Object.entries(files));
    for (const [name, part] of parts) {
      const stated = checksums.get(name);
      if (stated !== undefined && crc32(part) !== stated) throw unreadable(damaged);
    }
    return parts;
  }

  #unzip(filter: (file: { readonly name: string; readonly originalSize: number }) => boolean) {
    try {
      return unzipSync(this.#bytes, { filter });
    } catch (error) {
      if (error instanceof DocumentError) throw error;
      throw unreadable(damaged);
    }
  }
}

/** Reads the directory at the end (APPNOTE 4.3.12 and 4.3.16). Returns none if there is no such directory, as in ZIP64. */
function statedChecksums(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A comment of up to 65,535 bytes can follow.
  const first = Math.max(bytes.length - 65_557, 0);
  let end = bytes.length - 22;
  while (end >= first && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < first) return [];
  const checksums: number[] = [];
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    checksums.push(view.getUint32(at + 16, true));
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return checksums;
}
