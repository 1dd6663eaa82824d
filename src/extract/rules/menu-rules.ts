/** Boxes of links that lead away from the content. */
import type { ChildNode, Element, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { findAll } from 'domutils';
import { headingElements } from '../html/element-kinds.ts';
import { isBlank, nodeText, textBeginning } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import { isListing } from './asked.ts';
import type { Place } from './asked.ts';
import { isEndHeading } from './end-headings.ts';
import { chapterHeading } from './reference-parts.ts';
import type { Drop, Shield } from './rule.ts';

export const menuDrops = [
  {
    name: 'menu',
    elements: ['ul', 'ol', 'div', 'section', 'aside'],
    byMajority: true,
    // Card titles are short and alike; only together they form the list.
    when: ({ box: { textLength, linkLength, named }, place: { page, kind } }) =>
      textLength >= menuLengthMin &&
      linkLength >= textLength * menuLinkShareMin &&
      Math.max(named.textLength, textLength) < page.textLength * menuShareMax[kind],
  },
  {
    name: 'link-bar',
    // "Guidelines | FAQ | Lists", in the tables and lines of pages without lists.
    elements: ['p', 'div', 'span', 'center', 'td', 'font', 'li', 'small'],
    when: ({ box, element, isMostlyLinks }) =>
      isMostlyLinks && box.textLength <= barLengthMax && isBar(element) && !isLabelled(element),
  },
] as const satisfies readonly Drop[];

export const menuShields: readonly Shield[] = [
  { name: 'menu-with-title', from: ['menu'], when: ({ box }) => box.hasH1 },
  {
    name: 'listing',
    // On a page that is a list of links, they are the content.
    from: ['menu'],
    kinds: ['article', 'other', 'discussion'],
    when: ({ place }) => isListing(place.page),
  },
  {
    name: 'labelled-value',
    // A heading above a single link is the name of what it says.
    from: ['menu'],
    when: ({ box, element }) =>
      box.opensWith !== undefined && box.linkLength < box.textLength && count(element.children, 'a', 2) === 1,
  },
  {
    name: 'priced-offer',
    // A title and a price beside a button, or several. The long list of what belongs to an offer is decided alone.
    from: ['menu', 'named-surrounding', 'named-menu'],
    kinds: ['product'],
    when: ({ box }) => box.hasControl && box.opensWith !== undefined && (isOffer(box) || box.boxes.some(isOffer)),
  },
  { name: 'part-of-link', from: ['menu'], when: ({ element }) => count(element.children, 'a', 1) === 0 },
  { name: 'linked-heading', from: ['menu'], when: ({ box }) => isOnlyHeading(box) },
  {
    name: 'card-lines',
    // On 1,362 pages, F1 of service pages is .846 without cards with paragraphs and .848 with them.
    from: ['menu'],
    kinds: ['other'],
    when: ({ box }) => box.lineLength >= box.textLength * cardLineShareMin,
  },
  {
    name: 'entry',
    from: ['menu'],
    kinds: ['other'],
    when: ({ outer, element }) => isEntry(outer) && count(element.children, 'a', 2) === 1,
  },
  { name: 'linked-titles', from: ['menu'], kinds: ['other'], when: ({ element }) => isOfTitles(element) },
  {
    name: 'files',
    // What a page offers to take along, such as a form, is no other page. A written address is a text.
    from: ['menu', 'link-bar', 'named-detail'],
    when: ({ element }) => holdsFiles([element]),
  },
  { name: 'introduced-list', from: ['menu'], when: ({ element, place }) => isSection(element, place) },
];

function isOffer({ element, hasControl, opensWith, linkLength, textLength }: Box): boolean {
  if (!hasControl || opensWith === undefined || element === undefined) return false;
  if (textLength > offerLengthMax || linkLength >= textLength * 0.5) return false;
  return price.test(textBeginning(element.children, offerLengthMax * 2));
}

const price = /[$€£¥₹₽]\s?\d|\d\s?(?:[€£₽₴]|zł|k[rč](?!\p{L}))/u;
const offerLengthMax = 300;

/** Links with nothing but signs between them. */
function isBar({ children }: Element): boolean {
  let links = 0;
  let signs = 0;
  for (const node of children) {
    if (isTag(node) && node.name === 'a') links++;
    else if (isText(node) && /^[\s|·•[\]]*$/.test(node.data)) signs += Number(/[|·•]/.test(node.data));
    else if (!isTag(node) || node.name !== 'br') return false;
  }
  return links >= barLinksMin && signs >= links - 1;
}

/** What is before it names it: the head of its row, a term, or words with a colon, such as "Genres:". */
function isLabelled(bar: Element): boolean {
  const before = textBefore(bar);
  if (before !== undefined) return (isTag(before) && labels.has(before.name)) || /[::]\s*$/.test(nodeText([before]));
  return bar.parent !== null && isTag(bar.parent) && barParents.has(bar.parent.name) && isLabelled(bar.parent);
}

const labels: ReadonlySet<string> = new Set(['th', 'dt']);
const barParents: ReadonlySet<string> = new Set(['td', 'dd', 'div', 'p', 'span']);
const barLinksMin = 3;
const barLengthMax = 300;

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
    if (!listElements.has(outer.parent.name) && !holdsOnlyList(outer.parent)) return false;
  }
}

/** DocBook wraps each list: `<div class="itemizedlist"><ul>`. */
function holdsOnlyList({ name, children }: Element): boolean {
  if (name !== 'div') return false;
  const [list, other] = children.filter((child) => isTag(child) || (isText(child) && child.data.trim() !== ''));
  return other === undefined && list !== undefined && isTag(list) && (list.name === 'ul' || list.name === 'ol');
}

/** A grid of cards, each a link with a title. */
function holdsOnlyCards({ name, children }: Element): boolean {
  const isCard = (child: Element): boolean => child.name === 'a' && hasHeading(child.children);
  return name === 'div' && children.every((child) => (isTag(child) ? isCard(child) : textParts([child]) === 0));
}

function textBefore({ prev }: Element): Element | Text | undefined {
  let before = prev;
  while (before !== null && isBlank(before)) before = before.prev;
  return before !== null && (isTag(before) || isText(before)) ? before : undefined;
}

const listElements: ReadonlySet<string> = new Set(['ul', 'ol', 'li']);

/** A product page can have more text about other products than about its own. */
const menuShareMax: Readonly<Record<PageKind, number>> = { discussion: 0.2, product: 0.5, article: 0.2, other: 0.2 };
const menuLinkShareMin = 0.85;
const menuLengthMin = 30;
const cardLineShareMin = 0.5;

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

/** True for a box of products or posts: a picture for every few links. A large menu has some pictures, too. */
export function holdsCards({ children }: Element): boolean {
  const images = count(children, 'img', countMax);
  return images >= imagesMin && count(children, 'a', countMax) <= images * linksPerImageMax;
}

/** True if half of the links, one at least, are titles with a text: they hold a heading, and more than that. */
function isOfTitles({ children }: Element): boolean {
  return countTitled(children) * 2 >= count(children, 'a', countMax);
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

/** True if half of the links lead to files, by their address or text, or say their address. */
function holdsFiles(nodes: readonly ChildNode[]): boolean {
  const links = findAll(({ name }) => name === 'a', [...nodes]).slice(0, countMax);
  const files = links.filter(({ attribs, children }) => {
    const text = textBeginning(children, nameWithin).trim();
    return fileNames.test(attribs['href'] ?? '') || fileNames.test(text) || writtenAddress.test(text);
  });
  return files.length > 0 && files.length * 2 >= links.length;
}

const fileNames = /[^/.\s]\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|epub|ics|gpx|zip)(?![\w./])/i;
/** That of a film is written in its place by a program. */
const writtenAddress = /^https?:\/\/\S+$(?<!\.mp4)/;
/** Characters of the text of a link. */
const nameWithin = 100;

function textParts(nodes: readonly ChildNode[]): number {
  const partsOf = (node: ChildNode): number =>
    isTag(node) ? Math.min(textParts(node.children), 2) : Number(isText(node) && node.data.trim() !== '');
  return nodes.reduce((sum, node) => sum + partsOf(node), 0);
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
