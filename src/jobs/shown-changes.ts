import type { JobChanges, PageChange } from '../core/ports/changes.ts';
import { type PageJson, parsePage } from '../page/decode.ts';

/** A response ends, never before one change, once the texts of its pages exceed this size. */
const textBytesMax = 16 * 2 ** 20;

/** A change, with its page if that was asked for. */
export interface ShownChange extends PageChange {
  /** Continues after it. */
  readonly cursor: string;
  readonly json?: PageJson;
  /** Its text is no longer kept: a later change has a newer one. */
  readonly isSuperseded?: true;
  readonly isDamaged?: true;
}

/** The first of these changes: all of them, unless their texts are too many for one response. */
export async function shownChanges(
  store: Pick<JobChanges, 'texts'>,
  changes: readonly PageChange[],
  { withText, cursorAfter }: { readonly withText: boolean; readonly cursorAfter: (change: PageChange) => string },
): Promise<readonly ShownChange[]> {
  const places = withText ? changes.map(({ textOf }) => textOf).filter((place) => place !== null) : [];
  const texts = places.length === 0 ? [] : await store.texts({ places, withText: true, bytesMax: textBytesMax });
  let read = 0;
  const shown: ShownChange[] = [];
  for (const change of changes) {
    const row = { ...change, cursor: cursorAfter(change) };
    if (!withText || change.textOf === null) {
      shown.push(row);
      continue;
    }
    if (read === texts.length) break;
    const text = texts[read++];
    if (text === undefined) shown.push({ ...row, isSuperseded: true });
    else if (text === 'damaged') shown.push({ ...row, isDamaged: true });
    else shown.push({ ...row, json: parsePage({ ...text, page: change.page ?? text.page }) });
  }
  return shown;
}
