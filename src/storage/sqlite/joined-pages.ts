import type { StoredPage } from '../../core/page.ts';
import type { PageSlice } from '../../core/stores.ts';

/** Pages in the form in which they cross threads: a handful of arrays, however many pages there are, and no object for each. */
export interface JoinedPages {
  readonly numbers: Uint32Array;
  /** What is stored of each, one behind the other: metadata, or packed texts. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each. */
  readonly sizes: Uint32Array;
  /** Where these are texts. */
  readonly texts?: TextFacts;
}

/** See `Fragment`. */
interface TextFacts {
  readonly crcs: Uint32Array;
  readonly lengths: Uint32Array;
}

/** A slice on its way from the thread that reads. */
export interface JoinedSlice extends Omit<PageSlice, 'pages' | 'release'>, JoinedPages {}

/**
 * The pages are views of the joined bytes, which `free` gives back, once. Then the slice is emptied: while it waits to be collected, V8
 * would make all of it old (decision 14).
 */
export function sliceOf({ numbers, bytes, sizes, texts, ...state }: JoinedSlice, free: () => void): PageSlice {
  const pages: StoredPage[] = [];
  let at = 0;
  for (const [index, size] of sizes.entries()) {
    const own = bytes.subarray(at, (at += size));
    const page = numbers[index] ?? 0;
    if (!texts) pages.push({ page, meta: own });
    else pages.push({ page, body: { deflated: own, crc: texts.crcs[index] ?? 0, length: texts.lengths[index] ?? 0 } });
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
