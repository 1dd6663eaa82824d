import type { StoredPage } from '../../../core/page.ts';
import type { PageSlice } from '../../../core/ports/stores.ts';

/** Pages in the form in which they cross threads: a handful of arrays for all pages, instead of an object for each. */
export interface JoinedPages {
  readonly numbers: Uint32Array;
  /** What is stored of all pages, or fields of their metadata, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each page. */
  readonly sizes: Uint32Array;
  /** Absent for fields. */
  readonly packed?: PackedFacts;
}

/** See `Fragment`. */
interface PackedFacts {
  readonly as: 'meta' | 'body';
  readonly crcs: Uint32Array;
  readonly lengths: Uint32Array;
}

/** A slice on its way from the reader thread. */
export interface JoinedSlice extends Omit<PageSlice, 'pages' | 'release'>, JoinedPages {}

/**
 * The pages are views of the joined bytes. `release` frees the bytes, once, and empties the slice: otherwise V8 would
 * move all of it to the old generation while it waits for collection (docs/decisions/storage.md).
 */
export function sliceOf({ numbers, bytes, sizes, packed, ...state }: JoinedSlice, free: () => void): PageSlice {
  const pages = [...pagesIn({ numbers, bytes, sizes, ...(packed && { packed }) })];
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    pages.length = 0;
    free();
  };
  return { ...state, pages, release };
}

export function* pagesIn({ numbers, bytes, sizes, packed }: JoinedPages): Generator<StoredPage> {
  let at = 0;
  for (const [index, size] of sizes.entries()) {
    const own = bytes.subarray(at, (at += size));
    const page = numbers[index] ?? 0;
    if (packed) {
      const fragment = { deflated: own, crc: packed.crcs[index] ?? 0, length: packed.lengths[index] ?? 0 };
      yield packed.as === 'body' ? { page, body: fragment } : { page, meta: fragment };
    } else yield { page, fields: own };
  }
}
