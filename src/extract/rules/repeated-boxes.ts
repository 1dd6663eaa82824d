/** Finds text that a page contains twice: a copy for narrow screens, or copies with which a carousel rotates. */
import { headingElements } from '../html/element-kinds.ts';
import type { Box } from '../measure/measure-page.ts';
import type { Skip } from './rule.ts';

/**
 * Skips each box whose text occurred before, as one box or in parts. Tables and code repeat text for good reasons, and
 * so do lists: two offers can include the same service.
 */
export function skipRepeatedBoxes(boxes: readonly Box[], skip: Skip): void {
  const search: Search = { seen: new Map(), repeated: new Map(), copies: new Set(), count: 0 };
  const tops = boxes.map((box) =>
    box.element === undefined || box === boxes.at(-1)
      ? { boxes: box.boxes, outerHash: box.textHash }
      : { boxes: [box], outerHash: 0 },
  );
  for (const top of tops)
    compare(top.boxes, top.outerHash, search, { length: 0, rareLength: 0, first: Infinity, last: -Infinity, boxes: 0 });
  if (search.repeated.size === 0) return;
  for (const top of tops) skipIn(top.boxes, search, skip);
}

interface Search {
  /** Texts by hash. */
  readonly seen: Map<number, Seen>;
  /** What of a box occurred before, if anything did. */
  readonly repeated: Map<Box, Repeat>;
  /** Boxes whose whole text occurred before as one box. */
  readonly copies: Set<Box>;
  /** Number of boxes so far. */
  count: number;
}

interface Seen {
  readonly length: number;
  /** Number of the first box with this text. */
  readonly at: number;
  times: number;
}

interface Repeat {
  /** Characters that occurred before. */
  length: number;
  /** Of these, the characters of texts that had occurred only once. Labels of buttons are in every card. */
  rareLength: number;
  /** Numbers of the first and the last of the boxes in which the rare texts occurred. */
  first: number;
  last: number;
  /** How many boxes there are in the box. */
  boxes: number;
}

/** Adds what occurred before to `sum`. */
function compare(boxes: readonly Box[], outerHash: number, search: Search, sum: Repeat): void {
  for (const box of boxes) {
    const { element, textHash, textLength, isSkipped } = box;
    if (element === undefined || isSkipped || textLength === 0) continue;
    if (repeating.has(element.name)) continue;
    const repeat = compareBox(box, textHash === outerHash, search);
    sum.boxes += repeat.boxes;
    if (repeat.length === 0) continue;
    search.repeated.set(box, repeat);
    sum.length += repeat.length;
    sum.rareLength += repeat.rareLength;
    sum.first = Math.min(sum.first, repeat.first);
    sum.last = Math.max(sum.last, repeat.last);
  }
}

function compareBox(box: Box, isOnlyChild: boolean, search: Search): Repeat {
  const { textHash, textLength } = box;
  const at = search.count++;
  // An only child has the text of its parent. Count it once.
  if (!isOnlyChild) {
    const seen = search.seen.get(textHash);
    if (seen?.length === textLength) {
      search.copies.add(box);
      const isRare = seen.times++ === 1;
      return {
        length: textLength,
        rareLength: isRare ? textLength : 0,
        first: isRare ? seen.at : Infinity,
        last: isRare ? seen.at : -Infinity,
        boxes: 1,
      };
    }
    search.seen.set(textHash, { length: textLength, at, times: 1 });
  }
  const sum: Repeat = { length: 0, rareLength: 0, first: Infinity, last: -Infinity, boxes: 1 };
  compare(box.boxes, textHash, search, sum);
  return sum;
}

function skipIn(boxes: readonly Box[], search: Search, skip: Skip): void {
  for (const box of boxes) {
    const repeated = search.repeated.get(box);
    if (repeated === undefined) continue;
    if (!isRepeated(box, search)) {
      if (!search.copies.has(box)) skipIn(box.boxes, search, skip);
    } else skip(box, 'repeated-box');
  }
}

function isRepeated(box: Box, search: Search): boolean {
  const { element, textLength } = box;
  if (!boxElements.has(element?.name ?? '')) return false;
  if (search.copies.has(box)) return textLength >= repeatedLengthMin;
  const repeat = search.repeated.get(box);
  if (repeat === undefined || textLength < repeatedPartsLengthMin) return false;
  // What is new in a short text can be its only number.
  if (repeat.length < (textLength < repeatedLengthMin ? textLength : textLength * repeatedShareMin)) return false;
  // A new combination of texts from several cards is no copy of one of them.
  return repeat.rareLength >= textLength * rareShareMin && repeat.last - repeat.first <= repeat.boxes * spanMax;
}

/** Shorter texts can be the same in every card. On 420 pages, F1 is .883 with repetitions and .887 without. */
const repeatedLengthMin = 100;
/** Least length of a box whose parts all occurred before: a card that is repeated with its lines in another order. */
const repeatedPartsLengthMin = 40;
const repeatedShareMin = 0.97;
const rareShareMin = 0.8;
/** A copy of a card has its texts where the card has them, give or take. */
const spanMax = 4;
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
