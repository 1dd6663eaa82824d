import { ExitError, exitCodes } from '../core/errors.ts';
import { type Fragment, type PageFormats, type PageMetadata, type StoredPage, textOf } from '../core/page.ts';
import { inflateFragment } from './inflate-fragment.ts';
import { rowEnd, rowStart } from './row.ts';

/** A page as the API shows it. */
export interface PageJson {
  readonly meta: {
    readonly page: number;
    readonly url: string;
    readonly fetchedUrl: string;
    readonly meta: PageMetadata;
  };
  readonly text: string;
  /** Structured data, if the job has `extract`; null if the page has no record. */
  readonly extracted?: Readonly<Record<string, unknown>> | null;
  /** Further outputs, if the job has `formats`. */
  readonly formats?: PageFormats;
}

/** The page was erased: its row is all that is left of it. */
export function isErased({ meta }: Pick<PageJson, 'meta'>): boolean {
  return typeof meta.meta['erasedAt'] === 'number';
}

/** Returns a stored page that was read with its text as JSON text: one row of the API. */
export function pageRow(stored: StoredPage): string {
  return rowStart(stored.page) + inflated(stored.page, textOf(stored), 'text').toString();
}

/** Returns a stored page that was read without its text as JSON text. */
export function pageMetaRow(stored: StoredPage): string {
  return rowStart(stored.page) + Buffer.from(metadataIn(stored)).toString() + rowEnd;
}

/** Returns the metadata of a page that was read without its text, inflated. */
export function metadataIn({ page, meta, fields }: StoredPage): Uint8Array {
  if (fields !== undefined) return fields;
  if (meta === undefined) throw new Error(`page ${page} was read with its text`);
  return inflated(page, meta, 'metadata');
}

/** Throws if it differs from what was deflated, although its checksum is that of the stored bytes. */
function inflated(page: number, fragment: Fragment, part: string): Buffer {
  const bytes = inflateFragment(fragment);
  if (bytes) return bytes;
  const message = `The database is damaged: the ${part} of page ${page} differs from what was stored. Restore it from a backup.`;
  throw new ExitError(exitCodes.databaseDamaged, message);
}

export function parsePage(stored: StoredPage): PageJson {
  return JSON.parse(pageRow(stored)) as PageJson;
}
