import type { FoundText, TextQuery } from '../../../core/ports/changes.ts';
import type { Database } from '../file/database.ts';
import { type FragmentRow, fragmentOfRow } from './fragment-reads.ts';
import { pagesPerJob } from '../../rules/jobs/page-id.ts';

/** See `JobChanges.texts`. */
export function readTexts(db: Database, { places, withText, bytesMax }: TextQuery): FoundText[] {
  // A damaged number can exceed what JavaScript can hold.
  const facts = ['crc', 'length', 'packed_crc'].map((name) => `${name} & ${2 ** 32 - 1}`).join(', ');
  const row = db.prepareArrays<[number], FragmentRow>(
    `SELECT deflated, ${facts} FROM ${withText ? 'body' : 'page'} WHERE id = ? AND text_of IS NULL`,
  );
  const found: FoundText[] = [];
  let bytes = 0;
  for (const place of places) {
    if (bytes > bytesMax) break;
    const page = place % pagesPerJob;
    const stored = row.get(place);
    const fragment = fragmentOfRow(stored, page);
    // One in an object has a length too.
    bytes += stored?.[2] ?? 0;
    if (!fragment) found.push(stored && 'damaged');
    else found.push(withText ? { page, body: fragment } : { page, meta: fragment });
  }
  return found;
}
