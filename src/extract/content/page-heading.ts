/** Finds a page title that stands outside the chosen content, such as above the article and its sidebar. */
import type { ChildNode, Document, Element } from 'domhandler';
import { existsOne } from 'domutils';
import { textBeginning } from '../html/node-text.ts';
import { elementsAround } from '../html/nodes.ts';
import { isAuthor } from '../rules/name-rules.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { isNamedIn, isOfSite, tidyHeading, titleOf } from '../text/page-title.ts';

/**
 * Returns the heading before the chosen boxes that `<title>` names, otherwise the last `<h1>` that does not name the
 * site, and the sentences between it and them: a lead stands above the box that is named as the text, and so do its
 * author and date. On a page that is no article, all that is not links stays, such as prices and dates. Empty if the
 * boxes contain an `<h1>`.
 */
export function pageHeading(page: Box, chosen: readonly Box[], document: Document, kind: PageKind): readonly Box[] {
  const title = titleOf(document);
  if (chosen.some((box) => holdsHeading(box, title))) return [];
  const ends = new Set(chosen);
  const headings: Box[] = [];
  visitAbove(
    page,
    ends,
    (box) => headings.length < headingsMax && (isH1(box) || isTitle(box, title)) && headings.push(box) > 0,
  );
  const heading = headingAmong(headings, title);
  if (heading === undefined) return [];
  const leads: Box[] = [];
  const around = elementsAround(chosen.slice(0, 1).flatMap(({ element }) => element ?? []));
  let isBelow = false;
  const isAbove = visitAbove(page, ends, (box) => {
    if (box === heading) isBelow = true;
    else if (isBelow && (isSentence(box) || (kind === 'other' && isFact(box, around)) || isSignature(box)))
      leads.push(box);
    else return false;
    return true;
  });
  return isAbove ? [heading, ...leads.slice(0, leadsMax)] : [heading];
}

const leadsMax = 6;
/** Each looks at what is around it. */
const headingsMax = 100;

function headingAmong(headings: readonly Box[], title: string): Box | undefined {
  const own = headings.filter(({ element }) => element !== undefined && !isOfSite(element, title));
  const isNamed = (box: Box): boolean => isTitle(box, title);
  return own.find(isNamed) ?? own.findLast(isH1);
}

function isH1({ element, textLength }: Box): boolean {
  return element?.name === 'h1' && textLength > 0;
}

/** Visits the boxes before the first of `ends`, but not inside of one that is taken. Returns true at that end. */
function visitAbove(box: Box, ends: ReadonlySet<Box>, take: (box: Box) => boolean): boolean {
  if (box.isSkipped) return false;
  if (ends.has(box)) return true;
  return !take(box) && box.boxes.some((inner) => visitAbove(inner, ends, take));
}

/** A line of prose without further boxes, such as `<p class="lead">`. */
function isSentence({ element, ownLength, textLength, linkLength }: Box): boolean {
  if (element === undefined || !leadElements.has(element.name)) return false;
  return textLength >= leadLengthMin && ownLength >= textLength * 0.7 && linkLength < textLength * 0.3;
}

/**
 * A line with the name of the author, or with a date. What stands in the same line stays with it: "By Ann | 3 May 2024".
 * Titles of other articles can have a date, too.
 */
function isSignature({ element, textLength, linkLength, boxes, hasControl }: Box): boolean {
  if (element === undefined || textLength === 0 || textLength > signatureLengthMax || hasControl) return false;
  const isTime = ({ name }: Element): boolean => name === 'time';
  if (existsOne(isAuthor, [element])) return true;
  if (linkLength < textLength * 0.3) return existsOne(isTime, [element]);
  const only = boxes.length === 1 ? boxes[0]?.element : undefined;
  return isTime(element) || (only !== undefined && isTime(only));
}

const signatureLengthMax = 120;

function isFact({ element, textLength, linkLength }: Box, around: ReadonlySet<ChildNode>): boolean {
  if (element === undefined || around.has(element)) return false;
  if (textLength === 0) return false;
  return (
    linkLength < textLength * 0.5 || (textLength <= signatureLengthMax && label.test(textBeginning([element], 60)))
  );
}

/** The value after it can be a link. */
const label = /^\s*[^:]{2,30}:\s*[^:\s]/;

const leadElements: ReadonlySet<string> = new Set(['p', 'h2', 'h3', 'h4']);
const leadLengthMin = 50;

function holdsHeading(box: Box, title: string): boolean {
  if (box.isSkipped) return false;
  if (box.element?.name === 'h1' || isTitle(box, title)) return true;
  return box.boxes.some((inner) => holdsHeading(inner, title));
}

/** Many templates have the name of the site in the `h1`, and the title of the page in a heading of a lower rank. */
function isTitle({ element, textLength }: Box, title: string): boolean {
  if (element?.name === 'h1') return isNamedIn(title, tidyHeading(element));
  if (element === undefined || !lowerHeadings.has(element.name) || textLength < lowerLengthMin) return false;
  const heading = tidyHeading(element);
  return heading === title || (title.startsWith(heading) && isNamedIn(title, heading));
}

const lowerHeadings: ReadonlySet<string> = new Set(['h2', 'h3']);
const lowerLengthMin = 8;
