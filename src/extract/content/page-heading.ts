/** Finds a page title that stands outside the chosen content, such as above the article and its sidebar. */
import type { Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { existsOne } from 'domutils';
import { endsSentence, textBeginning } from '../html/node-text.ts';
import { isAuthor } from '../rules/name-rules.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { isNamedIn, tidyHeading, titleOf } from '../text/page-title.ts';

/**
 * Returns the `<h1>` before the chosen boxes that `<title>` names, and the sentences between it and them: a lead stands
 * above the box that is named as the text, and so do its author and date. On a page that is no article, all that is not
 * links stays, such as prices and dates. Empty if the boxes contain an `<h1>`.
 */
export function pageHeading(page: Box, chosen: readonly Box[], document: Document, kind: PageKind): readonly Box[] {
  const title = titleOf(document);
  if (title === '' || chosen.some((box) => holdsHeading(box, title))) return [];
  const around = aroundOf(chosen[0]?.element);
  const search: Search = {
    title,
    chosen: new Set(chosen),
    heading: undefined,
    leads: [],
    around,
    isFactual: kind === 'other',
  };
  const isAbove = findHeading(page, search);
  if (search.heading === undefined) return [];
  return isAbove ? [search.heading, ...search.leads.slice(0, leadsMax)] : [search.heading];
}

const leadsMax = 6;

interface Search {
  readonly title: string;
  readonly chosen: ReadonlySet<Box>;
  heading: Box | undefined;
  /** Since the heading. */
  readonly leads: Box[];
  /** Elements that hold the first chosen box. */
  readonly around: ReadonlySet<Element>;
  /** The page is no article. */
  readonly isFactual: boolean;
}

/** Returns the elements that hold this one. */
export function aroundOf(element: Element | undefined): ReadonlySet<Element> {
  const around = new Set<Element>();
  for (let outer = element?.parent; outer && isTag(outer); outer = outer.parent) around.add(outer);
  return around;
}

/** Searches depth first. Returns true at the first chosen box. */
function findHeading(box: Box, search: Search): boolean {
  if (box.isSkipped) return false;
  if (search.chosen.has(box)) return true;
  if (search.heading === undefined) {
    if (isTitle(box, search.title)) search.heading = box;
  } else if (isSentence(box) || isFact(box, search) || isSignature(box)) {
    search.leads.push(box);
    return false;
  }
  return box.boxes.some((inner) => findHeading(inner, search));
}

/** A line of prose without further boxes, such as `<p class="lead">`. */
function isSentence({ element, ownLength, textLength, linkLength }: Box): boolean {
  if (element === undefined || !(leadElements.has(element.name) || isLine(element))) return false;
  return textLength >= leadLengthMin && ownLength >= textLength * 0.7 && linkLength < textLength * 0.3;
}

/** A box with nothing but a sentence. */
function isLine(element: Element): boolean {
  return element.name === 'div' && element.children.every(isText) && endsSentence(element);
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

function isFact({ element, textLength, linkLength }: Box, { isFactual, around }: Search): boolean {
  if (!isFactual || element === undefined || around.has(element)) return false;
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
  const heading = withoutTrail(tidyHeading(element));
  return heading === title || (title.startsWith(heading) && isNamedIn(title, heading));
}

/** The title after the parts of the site that it is in: "Lists > Best books". */
function withoutTrail(heading: string): string {
  const last = heading.split(trail).at(-1) ?? '';
  return last.length < lowerLengthMin ? heading : last;
}

const trail = / [>»›] /;

const lowerHeadings: ReadonlySet<string> = new Set(['h2', 'h3']);
const lowerLengthMin = 8;
