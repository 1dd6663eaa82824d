/** The stored form of a fetched URL, and its layout. */
import type { DroppedText } from './dropped-text.ts';
import type { SegmentPlace, StoredSlice } from './ports/blobs.ts';
import type { RawPage } from './raw-page.ts';

/**
 * Metadata from the page and the headers of its response. `title` and `description` are always present; other fields
 * only if page or headers have them. The fields are listed in `api/routes/schemas.ts`.
 */
export interface PageMetadata {
  readonly title: string;
  readonly description: string;
  readonly [name: string]: MetadataValue;
}

/** Objects and lists of objects: only of jobs that extract structured data. */
export type MetadataValue = string | number | boolean | readonly string[] | object;

/** Outputs of a page besides its text, as the API shows them. */
export interface PageFormats {
  readonly markdown?: string;
  readonly html?: string;
  readonly text?: string;
  /** All links of the page: absolute, without fragment, each once. */
  readonly links?: readonly string[];
  /** The images of the content: absolute, without fragment, each once, at most 2,000. */
  readonly images?: readonly string[];
  /** The HTML as sent, decoded; of a page from the browser as rendered. */
  readonly source?: string;
  /** What the rules left out of it. */
  readonly dropped?: readonly DroppedText[];
}

/**
 * A page ready to store: serialised once and deflated once, so that reading it means copying bytes.
 *
 * The commit assigns the page number, so both forms begin after it. A row of the API is its beginning with the number
 * (`page/row.ts`), followed by the inflated `meta` and `}` (metadata only), or by the inflated `body` (with text).
 */
export interface PageRecord {
  /** `"url":...,"fetchedUrl":...,"meta":{...}}` as UTF-8. */
  readonly meta: Fragment;
  /** The same, and the text. */
  readonly body: Fragment;
  /** Dedupe key of the final URL, after redirects. */
  readonly fetchedKey: string;
  /** Hash of title and text. Absent if there is no text: empty pages are not duplicates of each other. */
  readonly contentKey?: string;
  /**
   * Hash of title and text without words that contain a digit and without the page's own path: what is equal in messages
   * that a site shows in place of its pages. Absent if the text is long, or there is none.
   */
  readonly formKey?: string;
  /**
   * Hash of the original that the page names, and of the parts of its title and text that are equal in copies. Absent
   * for files.
   */
  readonly copyKey?: string;
  /** See `packTraits`. */
  readonly traits?: string;
  /** Hash of title, text and structured data: what is compared with the page of an earlier job. */
  readonly hash: string;
  /** Names this version of the page to its site; undefined if the site gave none, or the page has another URL. */
  readonly validator?: string | undefined;
  /** Compared with the earlier job. Absent if the job has no `since`. */
  readonly change?: 'added' | 'changed' | 'unchanged';
  /** It is as the earlier page: meta and body were not made. @default false */
  readonly isShared?: true;
  /** The text is that of an earlier page: meta and body only say how that is known. Set by the store's rules. */
  readonly textOf?: number;
  readonly statusCode: number;
  /** The page has a field for a password. */
  readonly asksPassword?: true;
  /** In frames it shows pages of the job, so it needs no text of its own; or, without a word of its own, pages of others. */
  readonly frames?: 'own' | 'foreign';
  /** Estimated words that the content rules left out of it, by rule. */
  readonly droppedWords?: Readonly<Record<string, number>>;
  /** Fields of `extract` that it has, and whether with a value; null if `when` leaves it out. Absent if the job has none. */
  readonly found?: Readonly<Record<string, boolean>> | null;
  /** Of its metadata without the region, such as `de`. Absent if it names none. */
  readonly language?: string;
  /** Taken by the browser, if the job wants one. Stored in a table of its own. */
  readonly screenshot?: Screenshot;
  /** The same, in an object outside the database. */
  readonly placedScreenshot?: PlacedScreenshot;
  /** What the page was made of, if the job keeps it. */
  readonly raw?: RawPage;
  /** The same, ready to be stored. */
  readonly rawSlice?: StoredSlice;
}

/** Bytes of one screenshot. */
export const screenshotBytesMax = 10 * 2 ** 20;

/** A picture of a page. */
export interface Screenshot {
  readonly type: 'image/png' | 'image/jpeg';
  /** At most {@link screenshotBytesMax}. */
  readonly bytes: Uint8Array;
}

/** A screenshot in an object outside the database: see `ObjectStore`. */
export interface PlacedScreenshot {
  readonly type: Screenshot['type'];
  readonly place: SegmentPlace;
  /** CRC-32 of type and bytes. */
  readonly crc: number;
}

/**
 * A piece of a raw deflate stream (RFC 1951) that ends in a full flush: it ends on a byte boundary and refers to
 * nothing before it, so pieces can be joined into one gzip member in any order.
 */
export interface Fragment {
  readonly deflated: Uint8Array;
  /** CRC-32 of the inflated bytes. */
  readonly crc: number;
  /** Number of inflated bytes. */
  readonly length: number;
}

/** A committed page as read back: its metadata alone, some fields of it, or with the text, which includes the metadata. */
export type StoredPage = StoredMetadata | StoredFields | StoredText;

/** See {@link PageRecord.meta}. */
export interface StoredMetadata {
  readonly page: number;
  readonly meta: Fragment;
  readonly fields?: undefined;
  readonly body?: undefined;
}

/** Metadata reduced to the fields that were asked for, inflated. */
export interface StoredFields {
  readonly page: number;
  readonly meta?: undefined;
  readonly fields: Uint8Array;
  readonly body?: undefined;
}

/** See {@link PageRecord.body}. */
export interface StoredText {
  readonly page: number;
  readonly meta?: undefined;
  readonly fields?: undefined;
  readonly body: Fragment;
}

/** Returns the text of a page read with its text. */
export function textOf({ page, body }: StoredPage): Fragment {
  if (body === undefined) throw new Error(`page ${page} was read without its text`);
  return body;
}

/** Returns what is stored of a page that was read whole: its text if it was read with it, otherwise its metadata. */
export function fragmentIn({ page, meta, body }: StoredPage): Fragment {
  const fragment = body ?? meta;
  if (fragment === undefined) throw new Error(`page ${page} was read with some fields only`);
  return fragment;
}
