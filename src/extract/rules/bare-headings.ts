/** Removes headings at the end of a page if the content below them was removed. */
import { headingElements } from '../html/element-kinds.ts';
import type { Box } from '../measure/measure-page.ts';
import type { Skip } from './rule.ts';

/** Keeps the page title, and headings that had almost nothing below them: those are text themselves. */
export function skipBareHeadings(boxes: readonly Box[], skip: Skip): void {
  const end: End = { lostLength: 0, skip };
  boxes.toReversed().every((box) => isBare(box, end));
}

interface End {
  /** Characters removed so far, counted from the end of the page. */
  lostLength: number;
  readonly skip: Skip;
}

/** Returns true if nothing of the box stays. Walks from the end of the page up to the first text that stays. */
function isBare(box: Box, end: End): boolean {
  if (box.isSkipped) {
    end.lostLength += box.textLength;
    return true;
  }
  const name = box.element?.name ?? '';
  if (headingElements.has(name) && box.textLength > 0) {
    if (name === 'h1' || end.lostLength < lostLengthMin) return false;
    end.skip(box, 'bare');
    return true;
  }
  const hasOwnImage = box.hasImage && !box.boxes.some(({ hasImage }) => hasImage);
  return box.ownLength === 0 && !hasOwnImage && box.boxes.toReversed().every((inner) => isBare(inner, end));
}

/**
 * On 420 pages, remaining boilerplate falls from 5.65 % to 5.6 %. A lower limit would remove titles above buttons and
 * dates.
 */
const lostLengthMin = 100;
