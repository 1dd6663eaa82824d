import { ExitError, exitCodes } from '../core/errors.ts';
import { metadataOf, type PageFormats, type PageMetadata, type StoredPage, textOf } from '../core/page.ts';
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
  /** Further outputs, if the job has `formats`. */
  readonly formats?: PageFormats;
}

/** Returns a stored page that was read with its text as JSON text: one row of the API. */
export function pageRow(stored: StoredPage): string {
  const rest = inflateFragment(textOf(stored));
  if (!rest) {
    const message = `The database is damaged: the text of page ${stored.page} differs from what was stored. Restore it from a backup.`;
    throw new ExitError(exitCodes.databaseDamaged, message);
  }
  return rowStart(stored.page) + rest.toString();
}

/** Returns a stored page that was read without its text as JSON text. */
export function pageMetaRow(stored: StoredPage): string {
  return rowStart(stored.page) + Buffer.from(metadataOf(stored)).toString() + rowEnd;
}

export function parsePage(stored: StoredPage): PageJson {
  return JSON.parse(pageRow(stored)) as PageJson;
}
