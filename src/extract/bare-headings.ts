/** Leaves out the headings that a page ends with where what stood below them was left out. */
import { headingElements } from './element-kinds.ts';
import type { Box } from './survey.ts';

/** The title of the page stays, as does a heading that had next to nothing below it: it is a text itself. */
export function skipBareHeadings(boxes: readonly Box[], skip: (box: Box) => void): void {
  const end: End = { lostLength: 0, skip };
  boxes.toReversed().every((box) => isBare(box, end));
}

interface End {
  /** Characters that were left out behind the heading that is come to next. */
  lostLength: number;
  readonly skip: (box: Box) => void;
}

/** Whether nothing of it stays. Goes from the end of the page up to the first text that does. */
function isBare(box: Box, end: End): boolean {
  if (box.isSkipped) {
    end.lostLength += box.textLength;
    return true;
  }
  const name = box.element?.name ?? '';
  if (headingElements.has(name) && box.textLength > 0) {
    if (name === 'h1' || end.lostLength < lostLengthMin) return false;
    end.skip(box);
    return true;
  }
  const hasOwnImage = box.hasImage && !box.boxes.some(({ hasImage }) => hasImage);
  return box.ownLength === 0 && !hasOwnImage && box.boxes.toReversed().every((inner) => isBare(inner, end));
}

/** On 420 pages, boilerplate that gets through falls from 5.65 % to 5.6 %; with buttons and dates below, titles would go. */
const lostLengthMin = 100;
