/** Boxes of links that lead away from the content. */
import type { ChildNode, Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { headingElements } from '../html/element-kinds.ts';
import { isBlank, nodeText } from '../html/node-text.ts';
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
      (place.kind === 'other' && box.opensWith !== undefined && !place.ends.has(box.opensWith)) ||
      isSection(element, place),
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
      if (text.endsWith(':')) return !isEndHeading(text);
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

function hasHeading(nodes: readonly ChildNode[]): boolean {
  return nodes.some((node) => isTag(node) && (headingElements.has(node.name) || hasHeading(node.children)));
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
