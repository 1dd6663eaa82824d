/** Recognizes boxes of links that lead away from the content. */
import type { ChildNode, Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { headingElements } from '../html/element-kinds.ts';
import { nodeText, textBeginning } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { type EndHeadings, isEndHeading } from './end-headings.ts';
import { chapterHeading } from './reference-parts.ts';
import type { LikeBoxes } from './like-boxes.ts';

/**
 * A box of links leads away from an article. On a page that is a list of links, it is the content. So are cards with
 * paragraphs on a page that is no article: on 1,362 pages, F1 of service pages is .846 without them and .848 with them.
 */
export function isMenu(box: Box, outer: Box, place: MenuPlace): boolean {
  if (!looksLikeMenu(box, outer, place)) return false;
  const like = place.likes.of(box, outer);
  if (like.length < likeMin) return true;
  const menus = (): number => like.filter((one) => looksLikeMenu(one, outer, place)).length;
  return place.likes.ask(like, 'are menus', () => menus() * 2 >= like.length);
}

/** What decides about a box of links. */
interface MenuPlace {
  readonly kind: PageKind;
  readonly page: Box;
  readonly ends: EndHeadings;
  readonly likes: LikeBoxes;
}

function looksLikeMenu(box: Box, outer: Box, place: MenuPlace): boolean {
  const { element, textLength, linkLength, lineLength, hasH1, named } = box;
  const { page, kind } = place;
  if (element === undefined || hasH1 || !boxes.has(element.name)) return false;
  if (kind !== 'product' && isListing(page)) return false;
  // Card titles are short and alike; only together they form the list.
  if (textLength < menuLengthMin) return false;
  if (Math.max(named.textLength, textLength) >= page.textLength * menuShareMax[kind]) return false;
  if (kind === 'other' && lineLength >= textLength * cardLineShareMin) return false;
  if (linkLength < textLength * menuLinkShareMin) return false;
  if (isInLink(element) || holdsOnlyParagraph(element) || isOnlyHeading(box)) return false;
  if (kind === 'other' && ((isEntry(outer) && hasOneLink(element)) || holdsCards(element) || isOfTitles(element)))
    return false;
  return !isSection(element, place);
}

export function isListing({ textLength, linkLength }: Box): boolean {
  return linkLength >= textLength * listingShareMin;
}

/** Keeps a list that a heading of the text or a sentence introduces, such as "References". */
function isSection(list: Element, place: MenuPlace): boolean {
  if (list.name !== 'ul' && list.name !== 'ol' && !holdsOnlyList(list)) return false;
  for (let outer = list; ; outer = outer.parent) {
    const before = textBefore(outer);
    if (before !== undefined && isTag(before) && headingElements.has(before.name)) return !place.ends.has(before);
    if (before !== undefined && (isText(before) || before.name === 'p')) {
      const text = nodeText([before]).trim();
      if (text.endsWith(':')) return !isEndHeading(text, place.kind);
    }
    if (outer.parent === null || !isTag(outer.parent)) return false;
    const heading = chapterHeading(outer.parent);
    if (heading !== undefined) return !place.ends.has(heading);
    if (!listElements.has(outer.parent.name) && !holdsOnlyList(outer.parent)) return false;
  }
}

/** DocBook wraps each list: `<div class="itemizedlist"><ul>`. */
function holdsOnlyList({ name, children }: Element): boolean {
  if (name !== 'div') return false;
  const [list, other] = children.filter((child) => isTag(child) || (isText(child) && child.data.trim() !== ''));
  return other === undefined && list !== undefined && isTag(list) && (list.name === 'ul' || list.name === 'ol');
}

function textBefore({ prev }: Element): Element | Text | undefined {
  let before = prev;
  while (before !== null && textBeginning([before], 1).trim() === '') before = before.prev;
  return before !== null && (isTag(before) || isText(before)) ? before : undefined;
}

const listElements: ReadonlySet<string> = new Set(['ul', 'ol', 'li']);

/** On 420 pages, F1 is .885 without this and .887 with it; remaining boilerplate is 6.4 % and 5.7 %. */
const listingShareMin = 0.3;
/** A product page can have more text about other products than about its own. */
const menuShareMax: Readonly<Record<PageKind, number>> = { discussion: 0.2, product: 0.5, article: 0.2, other: 0.2 };
const menuLinkShareMin = 0.85;
const menuLengthMin = 30;
const cardLineShareMin = 0.5;

const boxes: ReadonlySet<string> = new Set(['ul', 'ol', 'div', 'section', 'aside']);
/** Fewer like boxes are no list whose majority could decide. */
const likeMin = 3;

/** A part of a single link is no list of links. */
function isInLink(element: Element): boolean {
  return count(element.children, 'a', 1) === 0;
}

/** Builders wrap each paragraph: one that is a link is still a paragraph. */
function holdsOnlyParagraph({ children }: Element): boolean {
  const [first, other] = children.filter(isTag);
  return other === undefined && first?.name === 'p';
}

/** A linked title is the title of an entry. */
function isOnlyHeading(box: Box): boolean {
  let inner: Box | undefined = box;
  while (inner !== undefined && !headingElements.has(inner.element?.name ?? '')) {
    const only: Box | undefined = inner.boxes[0];
    inner = inner.boxes.length === 1 && only?.textLength === box.textLength ? only : undefined;
  }
  return inner !== undefined;
}

/** An entry of a list has a title, which is a link, and a text. */
function isEntry({ element, named, textLength }: Box): boolean {
  return element?.name === 'li' || element?.name === 'article' || named.textLength >= textLength * entriesMin;
}

function hasOneLink(element: Element): boolean {
  return count(element.children, 'a', 2) === 1;
}

export function isMostlyLinks({ textLength, linkLength }: Box): boolean {
  return linkLength >= textLength * 0.5;
}

/** True for a box of products or posts: a picture for every few links. A large menu has some pictures, too. */
export function holdsCards({ children }: Element): boolean {
  const images = count(children, 'img', countMax);
  return images >= imagesMin && count(children, 'a', countMax) <= images * linksPerImageMax;
}

/** True if half of the links, one at least, are titles with a text: they hold a heading, and more than that. */
function isOfTitles({ children }: Element): boolean {
  const links = count(children, 'a', countMax);
  return links > 0 && countTitled(children) * 2 >= links;
}

function countTitled(nodes: readonly ChildNode[]): number {
  let sum = 0;
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name !== 'a') sum += countTitled(node.children);
    else if (textParts(node.children) > 1 && hasHeading(node.children)) sum++;
  }
  return sum;
}

function textParts(nodes: readonly ChildNode[]): number {
  return nodes.reduce((sum, node) => sum + (isTag(node) ? Math.min(textParts(node.children), 2) : textPart(node)), 0);
}

function textPart(node: ChildNode): number {
  return isText(node) && node.data.trim() !== '' ? 1 : 0;
}

function hasHeading(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => isTag(node) && (headingElements.has(node.name) || hasHeading(node.children)));
}

export const entriesMin = 3;
const imagesMin = 5;
const linksPerImageMax = 6;
/** Bounds the time on a page that asks often. */
const countMax = 1000;

/** Counts elements with this name, at most `max`. */
function count(nodes: readonly ChildNode[], name: string, max: number): number {
  let found = 0;
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === name) found++;
    if (found < max) found += count(node.children, name, max - found);
    if (found >= max) break;
  }
  return found;
}
