/** Finds the siblings that follow a heading such as "Related articles". */
import type { Element } from 'domhandler';
import { headingElements } from '../html/element-kinds.ts';
import { canFollow, type Place } from './asked.ts';
import type { EndHeadings } from './end-headings.ts';
import type { Box } from '../measure/measure-page.ts';

/** Positions in a list of boxes: `start` inclusive, `end` exclusive. */
export interface BoxRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the first end heading and the boxes up to the next heading of its rank, if they are mostly links and a small
 * part of the page. Prose below "Ready to start?" can be the end of the text itself. A line that is no heading element
 * but says the same, such as "Read also:", is followed by boxes of links.
 */
export function boxesAfterEnd(boxes: readonly Box[], place: Place): BoxRange | undefined {
  const { ends, kind } = place;
  let triesLeft = triesMax;
  // Hot path for every box of a page: an iterator costs more than the check.
  for (let start = 0; start < boxes.length; start++) {
    const box = boxes[start];
    if (box === undefined) continue;
    const heading = start === 0 ? undefined : headingAlone(box);
    const isLabel = heading === undefined && kind !== 'discussion' && isAboveLinks(box, boxes[start + 1]);
    const said = isLabel ? box.element : heading;
    if (said === undefined || !ends.has(said)) continue;
    if (triesLeft-- <= 0) return undefined;
    const below = boxes.slice(start + 1);
    const next = below.findIndex((one) => (isLabel ? !isLinks(one) : one.hasH1 || isNext(headingOf(one), said, ends)));
    const end = next === -1 ? boxes.length : start + 1 + next;
    const length = sum(boxes.slice(start + 1, end), 'textLength');
    const links = sum(boxes.slice(start + 1, end), 'linkLength');
    if (links >= length * 0.5 && canFollow(length + box.textLength, place)) return { start, end };
  }
  return undefined;
}

const headingLengthMax = 60;
/** Each try scans to the end of its section. The limit bounds a page that consists of such headings. */
const triesMax = 10;

/** Returns the heading of a box that holds nothing below the heading. */
function headingAlone({ element, opensWith, textLength }: Box): Element | undefined {
  if (element !== undefined && headingElements.has(element.name)) return element;
  return textLength <= headingLengthMax ? opensWith : undefined;
}

/** A short line above a box of links. */
function isAboveLinks({ element, textLength, linkLength, ownLength }: Box, next: Box | undefined): boolean {
  if (ownLength === 0 || linkLength > 0 || textLength > headingLengthMax) return false;
  return next !== undefined && isLinks(next) && element !== undefined && labels.has(element.name);
}

function isLinks({ textLength, linkLength, hasH1 }: Box): boolean {
  return textLength > 0 && linkLength >= textLength * 0.5 && !hasH1;
}

const labels: ReadonlySet<string> = new Set(['p', 'div', 'span', 'strong', 'b']);

function headingOf({ element, opensWith }: Box): Element | undefined {
  return element !== undefined && headingElements.has(element.name) ? element : opensWith;
}

function isNext(next: Element | undefined, heading: Element, ends: EndHeadings): boolean {
  return next !== undefined && next.name <= heading.name && !ends.has(next);
}

function sum(boxes: readonly Box[], name: 'textLength' | 'linkLength'): number {
  return boxes.reduce((total, box) => total + box[name], 0);
}
