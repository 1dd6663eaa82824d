/** Finds text that a page contains twice: a copy for narrow screens, or copies with which a carousel rotates. */
import { headingElements } from '../html/element-kinds.ts';
import type { Box } from '../measure/measure-page.ts';

/** Skips each box whose text occurred before, as one box or in parts. Tables and code repeat text for good reasons. */
export function skipRepeatedBoxes(boxes: readonly Box[], skip: (box: Box) => void): void {
  const search: Search = { seen: new Map(), skip };
  for (const box of boxes) {
    if (box.element === undefined || box === boxes.at(-1)) visit(box.boxes, box.textHash, search);
    else visit([box], 0, search);
  }
}

interface Search {
  /** Text lengths by hash. */
  readonly seen: Map<number, number>;
  readonly skip: (box: Box) => void;
}

/** Returns how many characters occurred before. */
function visit(boxes: readonly Box[], outerHash: number, search: Search): number {
  let length = 0;
  for (const box of boxes) {
    const { element, textHash, textLength, isSkipped } = box;
    if (element === undefined || isSkipped || textLength === 0) continue;
    if (repeating.has(element.name) || element.attribs['role'] === 'tabpanel') continue;
    length += visitBox(box, textHash === outerHash, search);
  }
  return length;
}

function visitBox(box: Box, isOnlyChild: boolean, search: Search): number {
  const { textHash, textLength } = box;
  const isRepeatable = boxElements.has(box.element?.name ?? '');
  // An only child has the text of its parent. Count it once.
  if (!isOnlyChild) {
    if (search.seen.get(textHash) === textLength) {
      if (isRepeatable && textLength >= repeatedLengthMin) search.skip(box);
      return textLength;
    }
    search.seen.set(textHash, textLength);
  }
  const repeated = visit(box.boxes, textHash, search);
  if (!isRepeatable || textLength < repeatedPartsLengthMin || repeated < textLength * repeatedShareMin) return repeated;
  search.skip(box);
  return textLength;
}

/** Shorter texts can be the same in every card. On 420 pages, F1 is .883 with repetitions and .887 without. */
const repeatedLengthMin = 100;
/** Least length of a box whose parts all occurred before: a card that is repeated with its lines in another order. */
const repeatedPartsLengthMin = 40;
const repeatedShareMin = 0.97;
const boxElements: ReadonlySet<string> = new Set([
  'div',
  'section',
  'article',
  'aside',
  'ul',
  'ol',
  'li',
  'figure',
  'a',
]);
const repeating: ReadonlySet<string> = new Set(['table', 'pre', 'code', 'math', 'blockquote']);

/** Skips headings that repeat the heading right above them, such as the title of a product. */
export function skipRepeatedHeadings(boxes: readonly Box[], skip: (box: Box) => void): void {
  visitHeadings(boxes, { last: undefined, skip });
}

interface HeadingSearch {
  /** The last heading, while no content follows it. */
  last: Box | undefined;
  readonly skip: (box: Box) => void;
}

function visitHeadings(boxes: readonly Box[], search: HeadingSearch): void {
  for (const box of boxes) {
    if (box.isSkipped) continue;
    if (headingElements.has(box.element?.name ?? '')) {
      const { last } = search;
      const isRepeated = last !== undefined && last.textHash === box.textHash && last.textLength === box.textLength;
      if (isRepeated && box.textLength > 0) search.skip(box);
      else search.last = box;
    } else {
      // The position of a box's own text and images within the box is not known.
      const hasOwn = box.ownLength > 0 || (box.hasImage && !box.boxes.some(({ hasImage }) => hasImage));
      if (hasOwn) search.last = undefined;
      visitHeadings(box.boxes, search);
      if (hasOwn) search.last = undefined;
    }
  }
}
