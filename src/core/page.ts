/** What is stored of a fetched URL, and how it is laid out. */

/**
 * Metadata taken from the page and the headers of its answer. `title` and `description` are always there; the rest only
 * where one of them has it. The fields are listed in `api/schemas.ts`.
 */
export interface PageMetadata {
  readonly title: string;
  readonly description: string;
  readonly [name: string]: string | number | boolean | readonly string[];
}

/**
 * A page ready to be stored: serialised once and deflated once, so that reading it is copying bytes.
 *
 * The page number is given inside the commit, so both forms begin after it. A row of the API is its beginning with the number
 * (`page/row.ts`), followed by the inflated `meta` and `}` (metadata only), or by the inflated `body` (with text).
 */
export interface PageRecord {
  /** `"url":...,"fetchedUrl":...,"meta":{...}}` as UTF-8. */
  readonly meta: Uint8Array;
  /** The same, packed. */
  readonly packedMeta: Fragment;
  readonly body: Fragment;
  /** Dedupe key of the URL that was fetched in the end. */
  readonly fetchedKey: string;
  /** Hash of title and text. Absent where there is no text, since empty pages are not each other's duplicates. */
  readonly contentKey?: string;
  /** Hash of the original that the page names, and of its title and text as far as they are equal in copies. Absent in files. */
  readonly copyKey?: string;
  readonly statusCode: number;
}

/**
 * A piece of a raw deflate stream (RFC 1951) that ends in a full flush: it stands on a byte boundary and refers to
 * nothing before it, so that pieces can be joined into one gzip member in any order.
 */
export interface Fragment {
  readonly deflated: Uint8Array;
  /** CRC-32 of the inflated bytes. */
  readonly crc: number;
  /** Number of inflated bytes. */
  readonly length: number;
}

/** A committed page as read back: its metadata alone, unpacked or packed, or, where the text was asked for, what holds both. */
export type StoredPage = StoredMetadata | StoredPackedMetadata | StoredText;

/** See {@link PageRecord.meta}. */
export interface StoredMetadata {
  readonly page: number;
  readonly meta: Uint8Array;
  readonly packedMeta?: undefined;
  readonly body?: undefined;
}

/** See {@link PageRecord.packedMeta}. */
export interface StoredPackedMetadata {
  readonly page: number;
  readonly meta?: undefined;
  readonly packedMeta: Fragment;
  readonly body?: undefined;
}

/** See {@link PageRecord.body}. */
export interface StoredText {
  readonly page: number;
  readonly meta?: undefined;
  readonly packedMeta?: undefined;
  readonly body: Fragment;
}

/** Of a page whose metadata was read unpacked. */
export function metadataOf({ page, meta }: StoredPage): Uint8Array {
  if (meta === undefined) throw new Error(`page ${page} was read packed`);
  return meta;
}

/** Of a page that was read with its text. */
export function textOf({ page, body }: StoredPage): Fragment {
  if (body === undefined) throw new Error(`page ${page} was read without its text`);
  return body;
}

/** Of a page that was read packed. */
export function packedOf({ page, packedMeta, body }: StoredPage): Fragment {
  const fragment = body ?? packedMeta;
  if (fragment === undefined) throw new Error(`page ${page} was read unpacked`);
  return fragment;
}
