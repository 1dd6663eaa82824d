/** Finds text that a page contains twice: a copy for narrow screens, or copies with which a carousel rotates. */
import { headingElements } from '../html/element-kinds.ts';
import type { Box } from '../measure/measure-page.ts';
import type { Skip } from './rule.ts';

/**
 * Skips each box whose whole text occurred before as one box. Tables and code repeat text for good reasons, and so do
 * entries of lists: two offers can include the same service.
 */
export function skipRepeatedBoxes(boxes: readonly Box[], skip: Skip): void {
  const seen = new Map<number, number>();
  for (const box of boxes) {
    const isOpen = box.element === undefined || box === boxes.at(-1);
    visitBoxes(isOpen ? box.boxes : [box], isOpen ? box.textHash : 0, seen, skip);
  }
}

/** `seen` has the length of each text by its hash. An only child has the text of its parent, which counts once. */
function visitBoxes(boxes: readonly Box[], outerHash: number, seen: Map<number, number>, skip: Skip): void {
  for (const box of boxes) {
    const { element, textHash, textLength, isSkipped } = box;
    if (element === undefined || isSkipped || textLength < repeatedLengthMin || repeating.has(element.name)) continue;
    if (textHash !== outerHash && seen.get(textHash) === textLength) {
      if (boxElements.has(element.name)) skip(box, 'repeated-box');
      continue;
    }
    seen.set(textHash, textLength);
    visitBoxes(box.boxes, textHash, seen, skip);
  }
}

/** Shorter texts can be the same in every card. On 420 pages, F1 is .883 with repetitions and .887 without. */
const repeatedLengthMin = 100;
const boxElements: ReadonlySet<string> = new Set('div section article aside ul ol figure a'.split(' '));
const repeating: ReadonlySet<string> = new Set(['table', 'pre', 'code', 'math', 'blockquote']);

/**
 * Skips headings that repeat the heading right above them, such as the title of a product, and titles that occurred
 * before: a copy for narrow screens stands above the pictures.
 */
export function skipRepeatedHeadings(boxes: readonly Box[], skip: Skip): void {
  visitHeadings(boxes, { last: undefined, titles: new Set(), skip });
}

interface HeadingSearch {
  /** The last heading, while no content follows it. */
  last: Box | undefined;
  /** Hashes of the `h1` elements so far. */
  readonly titles: Set<number>;
  readonly skip: Skip;
}

function visitHeadings(boxes: readonly Box[], search: HeadingSearch): void {
  for (const box of boxes) {
    if (box.isSkipped) continue;
    if (headingElements.has(box.element?.name ?? '')) {
      const { last } = search;
      const isAgain = last !== undefined && last.textHash === box.textHash && last.textLength === box.textLength;
      const isTitle = box.element?.name === 'h1';
      if (box.textLength > 0 && (isAgain || (isTitle && search.titles.has(box.textHash))))
        search.skip(box, 'repeated-box');
      else search.last = box;
      if (isTitle) search.titles.add(box.textHash);
    } else {
      // The position of a box's own text and images within the box is not known.
      const hasOwn = box.ownLength > 0 || (box.hasImage && !box.boxes.some(({ hasImage }) => hasImage));
      if (hasOwn) search.last = undefined;
      visitHeadings(box.boxes, search);
      if (hasOwn) search.last = undefined;
    }
  }
}
