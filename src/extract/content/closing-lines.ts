/** Finds who wrote a page, and when, in the lines below its content. */
import type { ChildNode } from 'domhandler';
import { existsOne } from 'domutils';
import type { Box } from '../measure/measure-page.ts';
import { isAuthor } from '../rules/name-rules.ts';
import { oneLine, textBeginning } from '../html/node-text.ts';
import { elementsAround } from '../html/nodes.ts';
import { fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import { saysDay } from '../forum/post-dates.ts';

/**
 * Returns the lines with an author or a day between the last chosen box and what follows the content: the next heading
 * or longer text.
 */
export function closingLines(page: Box, chosen: readonly Box[]): readonly Box[] {
  const last = chosen.at(-1);
  if (last?.element === undefined) return [];
  const search: Search = { last, around: elementsAround([last.element]), found: [], isAfter: false };
  visit(page, search);
  return search.found;
}

interface Search {
  readonly last: Box;
  /** Elements that hold the last box. */
  readonly around: ReadonlySet<ChildNode>;
  readonly found: Box[];
  isAfter: boolean;
}

/** Returns false at the end of what can belong to the content. */
function visit(box: Box, search: Search): boolean {
  if (box === search.last) {
    search.isAfter = true;
    return true;
  }
  const isBefore = !search.isAfter;
  if (isBefore && box.element !== undefined && !search.around.has(box.element)) return true;
  if (isBefore) return box.boxes.every((inner) => visit(inner, search));
  if (box.textLength === 0 || (box.isSkipped && !isFooterOfText(box))) return true;
  if (box.opensWith !== undefined) return false;
  if (isSignature(box)) {
    search.found.push(box);
    return search.found.length < linesMax;
  }
  if (box.textLength > restLengthMax) return false;
  // A portrait stands beside the author's life.
  if (box.hasImage) return true;
  return box.boxes.every((inner) => visit(inner, search));
}

/** The role `contentinfo` says that it is the foot of the site. */
function isFooterOfText({ rule, element }: Box): boolean {
  return rule === 'landmark' && element?.name === 'footer' && element.attribs['role'] !== 'contentinfo';
}

const linesMax = 3;
const restLengthMax = 300;

function isSignature({ element, textLength, linkLength, hasControl, hasImage }: Box): boolean {
  if (element === undefined || textLength > lineLengthMax || hasControl) return false;
  if (existsOne(({ name }) => name === 'script' || name === 'style', element.children)) return false;
  const line = oneLine(textBeginning(element.children, lineLengthMax * 2));
  if (line.includes('©')) return false;
  if (linkLength < textLength * linkShareMax && saysDay(line)) return true;
  return !hasImage && introduction.startIn(fold(line)) > 0 && existsOne(isAuthor, [element]);
}

const lineLengthMax = 120;
const linkShareMax = 0.2;
const introduction = phrases('by', 'author', 'posted');
