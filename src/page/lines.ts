import type { StoredPage } from '../core/page.ts';
import { pageMetaRow, pageRow } from './decode.ts';
import type { Envelope } from './join-rows.ts';

/** NDJSON: one row per line. */
export const rowLines: Envelope = { before: '', between: '\n', after: '\n' };

/** Returns a page as a line of NDJSON, without its text if it was read without it. */
export function pageLine(stored: StoredPage): string {
  return `${stored.body === undefined ? pageMetaRow(stored) : pageRow(stored)}${rowLines.after}`;
}
