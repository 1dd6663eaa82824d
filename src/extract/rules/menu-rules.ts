/** Boxes of links that lead away from the content. */
import type { ChildNode, Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { findAll } from 'domutils';
import { headingElements } from '../html/element-kinds.ts';
import { isBlank, nodeText, textBeginning } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';
import type { Place } from './asked.ts';
import { isEndHeading } from './end-headings.ts';
import { chapterHeading } from './reference-parts.ts';
import type { Drop, Shield } from './rule.ts';

export const menuDrops = [
  {
    name: 'menu',
    needs: 'links',
    elements: ['ul', 'ol', 'div', 'section', 'aside'],
    byMajority: true,
    // Card titles are short and alike; only together they form the list.
    when: ({ box, box: { textLength, linkLength, named }, element, place }) =>
      !box.hasH1 &&
      textLength >= menuLengthMin &&
      linkLength >= (textLength - headLength(box)) * menuLinkShareMin &&
      (place.kind === 'product'
        ? Math.max(named.textLength, textLength) < place.page.textLength * menuShareMax
        : place.paragraphs.areBeside(box)) &&
      count(element.children, 'a', 1) > 0,
  },
] as const satisfies readonly Drop[];

export const menuShields: readonly Shield[] = [
  {
    name: 'list-in-place',
    // A list of links in the text, or below a heading of it, is a part of it, however long.
    from: ['menu'],
    when: ({ box, element, outer, place }) =>
      isInPlace(place) ||
      // The title of an entry, the value of a label.
      (count(element.children, 'a', 2) === 1 && count(box.opensWith?.children ?? [], 'a', 1) === 1) ||
      (place.kind === 'other' && count(outer.element?.children ?? [], 'a', 2) === 1) ||
      // Cards with sentences.
      (place.kind === 'other' && box.lineLength >= box.textLength * cardLineShareMin) ||
      isSection(element, place),
  },
  {
    name: 'files',
    // What a page offers to take along, such as a form, is no other page.
    from: ['menu', 'named-detail'],
    when: ({ element }) => holdsFiles([element]),
  },
];

/** Of the heading above a list. */
function headLength({ boxes: [head], opensWith }: Box): number {
  return head?.element === opensWith && head !== undefined ? head.textLength : 0;
}

/** In `<main>` or `<article>`, before the heading of what follows the content. */
function isInPlace({ kind, article, ends }: Place): boolean {
  return kind !== 'article' && kind !== 'product' && article !== undefined && !ends.isPassed;
}

/** Keeps a list that a heading of the text or a sentence introduces, such as "References". */
function isSection(list: Element, place: Place): boolean {
  if (list.name !== 'ul' && list.name !== 'ol' && !holdsOnlyList(list) && !holdsOnlyCards(list)) return false;
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
    if (!listElements.has(outer.parent.name) && !holdsOnlyList(outer.parent) && !holdsOnlyCards(outer.parent))
      return false;
  }
}

/** DocBook wraps each list: `<div class="itemizedlist"><ul>`. */
function holdsOnlyList({ name, children }: Element): boolean {
  if (name !== 'div') return false;
  const [list, other] = children.filter((child) => isTag(child) || (isText(child) && child.data.trim() !== ''));
  return other === undefined && list !== undefined && isTag(list) && (list.name === 'ul' || list.name === 'ol');
}

/** A grid of cards, each with a title. */
function holdsOnlyCards({ name, children }: Element): boolean {
  return name === 'div' && children.every((child) => (isTag(child) ? hasHeading([child]) : isBlank(child)));
}

function textBefore({ prev }: Element): Element | Text | undefined {
  let before = prev;
  while (before !== null && isBlank(before)) before = before.prev;
  return before !== null && (isTag(before) || isText(before)) ? before : undefined;
}

const listElements: ReadonlySet<string> = new Set(['ul', 'ol', 'li']);

/** A product page can have more text about other products than about its own. */
const menuShareMax = 0.5;
const menuLinkShareMin = 0.85;
const cardLineShareMin = 0.5;
const menuLengthMin = 30;

/** True for a box of products or posts: a picture for every few links. A large menu has some pictures, too. */
export function holdsCards({ children }: Element): boolean {
  const images = count(children, 'img', countMax);
  return images >= imagesMin && count(children, 'a', countMax) <= images * linksPerImageMax;
}

const imagesMin = 5;
const linksPerImageMax = 6;

/** True if half of the links lead to files, by their address or text. */
function holdsFiles(nodes: readonly ChildNode[]): boolean {
  const links = findAll(({ name }) => name === 'a', [...nodes]).slice(0, countMax);
  const files = links.filter(({ attribs, children }) => {
    const text = textBeginning(children, nameWithin).trim();
    return fileNames.test(attribs['href'] ?? '') || fileNames.test(text);
  });
  return files.length > 0 && files.length * 2 >= links.length;
}

const fileNames = /[^/.\s]\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|epub|ics|gpx|zip)(?![\w./])/i;
/** Characters of the text of a link. */
const nameWithin = 100;

function hasHeading(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => isTag(node) && (headingElements.has(node.name) || hasHeading(node.children)));
}

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
