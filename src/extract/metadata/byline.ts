/** Reads author and dates of a page where readers see them: next to its heading. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isHidden } from '../rules/hidden-elements.ts';
import { bareName, isPlaceholder } from './author-names.ts';
import { headingElements, textlessElements } from '../html/element-kinds.ts';
import { attributeBits, attributeOf, isBare, knownAttributes } from '../html/nodes.ts';
import { type DayOrder, findDate } from './iso-date.ts';
import { oneLine, textBeginning } from '../html/node-text.ts';
import { fold, unfoldedAfter } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';

export interface Byline {
  readonly author?: string | undefined;
  /** ISO 8601. */
  readonly published?: string | undefined;
  readonly modified?: string | undefined;
}

/**
 * Uses the first heading with text; returns an empty byline if there is none. `order` is the day order for numeric
 * dates in the page's language.
 */
export function readByline(headings: readonly Element[], order: DayOrder | undefined): Byline {
  const title = headings.slice(0, headingsMax).find((one) => lengthOf(one) > 0 && !isHidden(one));
  if (title === undefined) return {};
  const before = nodesBefore(title);
  const walk: Walk = {
    order,
    at: 0,
    before: '',
    heading: undefined,
    isOver: false,
    signs: [],
    elementsLeft: elementsMax,
  };
  visit(before, walk);
  const start = walk.at;
  visit([title], walk);
  const heading = { start, end: walk.at };
  walk.heading = heading;
  for (let outer: Element | null = title; outer !== null && !walk.isOver; outer = parentOf(outer)) {
    for (let next = outer.next; next !== null && !walk.isOver; next = next.next) visit([next], walk);
  }
  const best = (kind: Sign['kind']): Sign | undefined =>
    walk.signs
      .filter((sign) => sign.kind === kind)
      .toSorted((one, other) => one.rank - other.rank || distance(one, heading) - distance(other, heading))[0];
  return {
    author: withNeighbours(best('author'), walk.signs),
    published: best('published')?.value,
    modified: best('modified')?.value,
  };
}

/** Several authors, each marked as one, stand in a row. */
function withNeighbours(author: Sign | undefined, signs: readonly Sign[]): string | undefined {
  if (author === undefined || author.rank > 0) return author?.value;
  const marked = signs.filter(({ kind, rank }) => kind === 'author' && rank === 0);
  let [first, last] = [marked.indexOf(author), marked.indexOf(author)];
  const isNear = (one: Sign | undefined, other: Sign | undefined): boolean =>
    one !== undefined && other !== undefined && other.at - one.at <= one.value.length + betweenAuthorsMax;
  while (isNear(marked[first - 1], marked[first])) first--;
  while (isNear(marked[last], marked[last + 1])) last++;
  return [...new Set(marked.slice(first, last + 1).map(({ value }) => value))].slice(0, authorsMax).join(', ');
}

const betweenAuthorsMax = 20;
const authorsMax = 100;

const headingsMax = 20;

/** Returns whole nodes above the heading, in document order, with at most {@link lengthBefore} characters in all. */
function nodesBefore(title: Element): readonly ChildNode[] {
  const nodes: ChildNode[] = [];
  let room = lengthBefore;
  for (let inner: Element | null = title; inner !== null; inner = parentOf(inner)) {
    for (let node = inner.prev; node !== null; node = node.prev) {
      room -= lengthOf(node);
      if (room < 0 || nodes.length >= nodesBeforeMax) return nodes.toReversed();
      nodes.push(node);
    }
  }
  return nodes.toReversed();
}

const nodesBeforeMax = 200;

/** Length in characters, counted only as far as it matters. */
function lengthOf(node: ChildNode): number {
  if (isTag(node) && textlessElements.has(node.name)) return 0;
  return oneLine(textBeginning([node], lengthBefore * 2)).length;
}

function parentOf({ parent }: Element): Element | null {
  return parent !== null && isTag(parent) ? parent : null;
}

/** A byline stands below the heading, seldom above it. A lead and a captioned picture can stand in between. */
const lengthBefore = 250;
const lengthAfter = 700;
/** Text in an element without a telling name counts only close to the heading. */
const plainLengthAfter = 400;
const elementsMax = 20_000;

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Sign {
  readonly kind: 'author' | 'published' | 'modified';
  readonly value: string;
  /** Lower is more certain. */
  readonly rank: number;
  /** Characters of text before the sign. */
  readonly at: number;
}

interface Walk {
  readonly order: DayOrder | undefined;
  /** Characters of text so far. */
  at: number;
  /** The text before the current node. */
  before: string;
  heading: Place | undefined;
  /** True once the byline can no longer follow. */
  isOver: boolean;
  readonly signs: Sign[];
  elementsLeft: number;
}

function distance({ at }: Sign, { start, end }: Place): number {
  return at >= end ? at - end : (start - at) * 2;
}

function visit(nodes: readonly ChildNode[], walk: Walk): void {
  for (const node of nodes) {
    if (walk.isOver) return;
    if (isText(node)) addText(node.data, walk);
    else if (isTag(node)) visitElement(node, walk);
  }
}

const aside: ReadonlySet<string> = new Set(['nav', 'footer', 'aside', 'form', 'dialog', 'button']);

function visitElement(element: Element, walk: Walk): void {
  const { name, children } = element;
  if (walk.elementsLeft-- <= 0) walk.isOver = true;
  if (textlessElements.has(name) || aside.has(name) || isHidden(element)) return;
  if ((knownAttributes(element) & signing) !== 0 || (name === 'time' && !isBare(element))) readSigns(element, walk);
  if (name === 'time' && isBare(element)) addDate(textBeginning(children, shortLengthMax), 1, walk);
  const { at } = walk;
  // Headings of teasers link to other pages.
  const isTeaser =
    /^h[2-4]$/.test(name) && walk.heading !== undefined && children.some((node) => isTag(node) && node.name === 'a');
  visit(children, walk);
  if (isTeaser && walk.at > at) walk.isOver = true;
}

function addText(data: string, walk: Walk): void {
  const text = data.length > layoutLengthMin ? oneLine(data) : data.trim();
  if (text === '') return;
  if (text.length <= shortLengthMax) readPlain(text, walk);
  walk.at += text.length;
  walk.before = text.slice(-beforeLengthMax);
  const { heading } = walk;
  if (heading !== undefined && walk.at > heading.end + lengthAfter) walk.isOver = true;
}

const layoutLengthMin = 20;
const beforeLengthMax = 40;
/** Maximum length of a byline. */
const shortLengthMax = 150;

function readPlain(text: string, walk: Walk): void {
  const { heading } = walk;
  if (heading === undefined || walk.at > heading.end + plainLengthAfter) return;
  addDate(text, 3, walk);
  const isIntroduced = introducesName(walk.before);
  if (isIntroduced || beginsWithName(text)) addAuthor(text, isIntroduced ? 2 : 3, walk);
}

/** The name is in the next element. */
function introducesName(before: string): boolean {
  const said = fold(before.replace(/\s*:$/, ''));
  const at = byOrAuthor.endIn(said);
  return at === 0 || (at > 0 && /[|·•,\d]\s*$/.test(said.slice(0, at)));
}

const by = phrases('by');
const author = phrases('author');
const byOrAuthor = phrases('by', 'author');

function beginsWithName(text: string): boolean {
  if (!byOrAuthor.mayStart(text)) return false;
  const said = fold(text);
  const length = by.startIn(said);
  if (length > 0) return /^\s*\p{L}/u.test(unfoldedAfter(text, length));
  const label = author.startIn(said);
  return label > 0 && /^[:：]\s*\p{L}/u.test(unfoldedAfter(text, label).trimStart());
}

/** What {@link readSigns} looks at. */
const signing = attributeBits(
  ...(['class', 'id', 'itemprop', 'property', 'rel', 'href', 'datetime', 'content', 'title'] as const),
);

function readSigns(element: Element, walk: Walk): void {
  const { name, children } = element;
  const itemprop = attributeOf(element, 'itemprop') ?? '';
  const names = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`;
  const stated = statedDate(element);
  if (stated !== undefined) {
    const text = textBeginning(children, shortLengthMax);
    const label = `${walk.before} ${names} ${itemprop} ${text}`;
    if (!addDate(stated, itemprop === '' ? 1 : 0, walk, label)) addDate(text, 1, walk, label);
  } else if (dateNames.test(names)) {
    addDate(textBeginning(children, shortLengthMax), 2, walk, `${walk.before} ${names}`);
  }
  if (headingElements.has(name)) return;
  if (/\bauthor\b/.test(itemprop) || attributeOf(element, 'rel') === 'author')
    addAuthor(nameIn(element, walk), 0, walk);
  else if (authorNames.test(names)) addAuthor(nameIn(element, walk), bylineNames.test(names) ? 2 : 1, walk);
  else if (name === 'a' && profiles.test(attributeOf(element, 'href') ?? '')) addAuthor(nameIn(element, walk), 2, walk);
}

/** Returns what an element that marks a date states, '' if only its text does, and undefined if it marks none. */
export function statedDate(element: Element): string | undefined {
  const stated = attributeOf(element, 'datetime') ?? attributeOf(element, 'content');
  if (element.name === 'time' || itemDates.test(attributeOf(element, 'itemprop') ?? '')) return stated ?? '';
  // The classes of hAtom, and RDFa.
  if (element.name === 'abbr') return attributeOf(element, 'title');
  return dateProperties.test(attributeOf(element, 'property') ?? '') ? stated : undefined;
}

const itemDates = /\bdate(?:Published|Created|Modified)\b/;

const dateProperties = /(?:^|[\s:])(?:date|issued|created|modified|date(?:Published|Created|Modified))(?:\s|$)/;

const dateNames =
  /(?:^|[\s_-])(?:date|time|timestamp|published|posted|pubdate|datum|fecha|byline|meta)(?:$|[\s_-]|date|on)/i;
const authorNames =
  /(?:^|[\s_-])(?:author(?:-?name)?|byline|writer|posted-?by|written-?by|contributor|autor|auteur)s?(?:$|[\s_-])/i;
const profiles = /\/(?:authors?|contributors?|people|staff|writers?|team|profiles?|producers?)\/[^/?#]+\/?$/i;
/** Such an element can contain more than the name. */
const bylineNames = /byline/i;

/** Returns true if the text contains a date. */
function addDate(text: string, rank: number, walk: Walk, label = walk.before): boolean {
  let rest = text;
  let isFound = false;
  for (let left = datesMax; left > 0; left--) {
    const found = findDate(rest, walk.order);
    if (found === undefined) break;
    const words =
      rank < 2 && !isFound
        ? `${label} ${rest.slice(0, found.start)}`
        : `${label.slice(-beforeLengthMax)} ${rest.slice(0, found.start)}`;
    const said = fold(words);
    const isModified = updated.lastIn(said) > published.lastIn(said);
    walk.signs.push({ kind: isModified ? 'modified' : 'published', value: found.date, rank, at: walk.at });
    isFound = true;
    rest = rest.slice(found.end);
  }
  return isFound;
}

const datesMax = 2;
const published = phrases('published');
const updated = phrases('updated');

/** Prefers a name that is marked or linked; a role can follow it. */
function nameIn(element: Element, walk: Walk): string {
  const inner =
    findFirst(element.children, ({ attribs }) => /\bname\b/.test(attribs['itemprop'] ?? ''), walk) ??
    findFirst(element.children, ({ name, attribs }) => name === 'a' && attribs['href'] !== undefined, walk);
  return inner?.attribs['content'] ?? firstText(inner?.children ?? [], walk) ?? firstText(element.children, walk) ?? '';
}

/** Repeated visits count each time, which bounds the time per page. */
function findFirst(nodes: readonly ChildNode[], test: (element: Element) => boolean, walk: Walk): Element | undefined {
  for (const node of nodes) {
    if (walk.elementsLeft-- <= 0) return undefined;
    if (!isTag(node)) continue;
    const found = test(node) ? node : findFirst(node.children, test, walk);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first text that says more than "By". */
function firstText(nodes: readonly ChildNode[], walk: Walk): string | undefined {
  for (const node of nodes) {
    if (walk.elementsLeft-- <= 0) return undefined;
    if (isText(node)) {
      const text = node.data.slice(0, shortLengthMax);
      if (bareName(text) !== '') return text;
    } else if (isTag(node) && !textlessElements.has(node.name)) {
      const text = firstText(node.children, walk);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

function addAuthor(text: string, rank: number, walk: Walk): void {
  const value = bareName(text.split(/\s*[|·•]|\s[–—-]\s|[,(]|\bon\s+(?=\p{Lu}|\d)/u, 1)[0] ?? '');
  const words = value.split(' ').length;
  if (
    value.length < nameLengthMin ||
    value.length > nameLengthMax ||
    words > nameWordsMax ||
    /\d|[?!]|[.:]$/.test(value) ||
    !/^\p{Lu}|^\p{Lo}/u.test(value)
  )
    return;
  const said = fold(value);
  if (noName.lastIn(said) !== -1 || weekday.isLine(said) || isPlaceholder(said)) return;
  if (networks.test(value) || endsInLowerCase.test(value)) return;
  walk.signs.push({ kind: 'author', value, rank, at: walk.at });
}

/** "Personal finance", "Insights from". */
const endsInLowerCase = /\s\p{Ll}{3,}$/u;
const nameLengthMin = 3;
const nameLengthMax = 60;
const nameWordsMax = 6;
const noName = phrases('noName');
const weekday = phrases('weekday');
const networks = /\b(?:bluesky|twitter|facebook|linkedin|instagram|youtube)\b/i;
