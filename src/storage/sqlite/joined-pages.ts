import type { StoredPage } from '../../core/page.ts';
import type { PageSlice } from '../../core/stores.ts';

/** Pages in the form in which they cross threads: a handful of arrays, however many pages there are, and no object for each. */
export interface JoinedPages {
  readonly numbers: Uint32Array;
  /** What is stored of each, one behind the other: metadata, packed metadata, or packed texts. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each. */
  readonly sizes: Uint32Array;
  /** Where they are packed. */
  readonly packed?: PackedFacts;
}

/** See `Fragment`. */
interface PackedFacts {
  readonly as: 'packedMeta' | 'body';
  readonly crcs: Uint32Array;
  readonly lengths: Uint32Array;
}

/** A slice on its way from the thread that reads. */
export interface JoinedSlice extends Omit<PageSlice, 'pages' | 'release'>, JoinedPages {}

/**
 * The pages are views of the joined bytes, which `free` gives back, once. Then the slice is emptied: while it waits to be collected, V8
 * would make all of it old (decision 14).
 */
export function sliceOf({ numbers, bytes, sizes, packed, ...state }: JoinedSlice, free: () => void): PageSlice {
  const pages: StoredPage[] = [];
  let at = 0;
  for (const [index, size] of sizes.entries()) {
    const own = bytes.subarray(at, (at += size));
    const page = numbers[index] ?? 0;
    if (packed) {
      const fragment = { deflated: own, crc: packed.crcs[index] ?? 0, length: packed.lengths[index] ?? 0 };
      pages.push(packed.as === 'body' ? { page, body: fragment } : { page, packedMeta: fragment });
    } else pages.push({ page, meta: own });
  }
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    pages.length = 0;
    free();
  };
  return { ...state, pages, release };
}
