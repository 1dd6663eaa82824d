/** Finds the title of a thread and its opening post, which many forums do not mark as a post. */
import type { Element } from 'domhandler';
import { endsSentence, oneLine, textBeginning } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';
import { isNamedIn, tidyHeading } from '../text/page-title.ts';
import { type PostAuthor, readAuthor } from './post-authors.ts';
import { type PostDates, readDate } from './post-dates.ts';
import { bodyRank, isInHead } from './thread-posts.ts';

export interface Opening {
  readonly title: Box | undefined;
  /** One of {@link titleRanks}. */
  readonly rank: number;
  /** Texts between the title and the first post. */
  readonly texts: readonly Box[];
  /** Of the opening post, if it is not marked as one. */
  readonly author: PostAuthor;
  readonly dates: PostDates;
  /** Its tags and category. */
  readonly labels: readonly string[];
  /** Boxes of the bodies of the posts. */
  readonly found: readonly Box[];
}

interface Search {
  readonly bodies: ReadonlySet<Element>;
  /** Elements that hold a body. */
  readonly around: ReadonlySet<Element>;
  readonly posts: ReadonlySet<Element>;
  /** Of the document, in lower case. */
  readonly pageTitle: string;
  title: Box | undefined;
  rank: number;
  texts: Box[];
  author: PostAuthor;
  dates: PostDates;
  labels: string[];
  readonly found: Box[];
  isInPost: boolean;
}

/** Everything from the title to the first post is read. */
export function openingOf(page: Box, posts: Pick<Search, 'bodies' | 'around' | 'posts' | 'pageTitle'>): Opening {
  const search: Search = {
    ...posts,
    title: undefined,
    rank: titleRanks.none,
    texts: [],
    author: {},
    dates: { before: '' },
    labels: [],
    found: [],
    isInPost: false,
  };
  visit(page, search);
  return search;
}

function visit(box: Box, search: Search): void {
  const { element } = box;
  if (element !== undefined) {
    if (search.bodies.has(element)) {
      box.isSkipped = false;
      search.found.push(box);
      return;
    }
    search.isInPost ||= search.posts.has(element);
    if (!search.around.has(element) && readPart(box, element, search)) return;
  }
  for (const inner of box.boxes) visit(inner, search);
}

/** Returns true if the box needs no further look. */
function readPart(box: Box, element: Element, search: Search): boolean {
  const isBefore = search.found.length === 0;
  if (!box.isSkipped && takeTitle(box, element, search)) return element.name === 'h1';
  if (search.title !== undefined && search.found.length <= 1) readLabel(element, search.labels);
  if (!isBefore) return false;
  if (search.title !== undefined && !search.isInPost) {
    readAuthor(element, search.author);
    readDate(element, search.dates);
  }
  if (box.isSkipped) return false;
  const rank = bodyRank(element);
  if (search.title !== undefined && isText(box, element, rank)) {
    search.texts.push(box);
    return true;
  }
  // The rules of the forum, with headings of their own.
  return rank === 0;
}

/** Stands above the first post, or below it. */
function readLabel({ attribs, children }: Element, labels: string[]): void {
  if (labels.length >= labelsMax || !(attribs['rel'] === 'tag' || labelNames.test(attribs['class'] ?? ''))) return;
  const text = oneLine(textBeginning(children, labelLengthMax * 2));
  if (text.length <= labelLengthMax && /[\p{L}\p{N}]/u.test(text) && !labels.includes(text)) labels.push(text);
}

const labelsMax = 10;
const labelLengthMax = 40;
const labelNames =
  /(?:^|\s)(?:tag|tag-?item|tag-?label|post-tag|discourse-tag|category-name|badge-category__name|category-title|linkflairlabel)(?:\s|$)/i;

/** How surely a box is the title. */
export const titleRanks = { none: 0, heading: 1, saidByLink: 2, said: 3 } as const;

/** A better title starts the search for the text anew: what stands before it belongs to the site. */
function takeTitle(box: Box, element: Element, search: Search): boolean {
  const rank = titleRank(box, element, search.pageTitle);
  if (rank === titleRanks.none) return false;
  if (search.found.length > 0 && (search.rank !== titleRanks.none || search.found.length > 1 || element.name !== 'h1'))
    return false;
  if (rank < search.rank || (rank === search.rank && (search.texts.length > 0 || element.name !== 'h1'))) return true;
  search.title = box;
  search.rank = rank;
  search.texts = [];
  search.author = {};
  search.dates = { before: '' };
  search.labels = [];
  return true;
}

/** Headings that `<title>` does not name can be the name of the site, or stand in a sidebar. */
function titleRank({ textLength }: Box, element: Element, pageTitle: string): number {
  const { name, attribs } = element;
  if (name === 'h1') return isNamedIn(pageTitle, tidyHeading(element)) ? titleRanks.said : titleRanks.heading;
  if (name !== 'a' && attribs['role'] !== 'heading') return titleRanks.none;
  if (textLength < titleLengthMin || textLength > titleLengthMax) return titleRanks.none;
  return pageTitle.startsWith(tidyHeading(element)) ? titleRanks.saidByLink : titleRanks.none;
}

const titleLengthMin = 10;
const titleLengthMax = 300;

/** A short text needs the name of one. The list of all posts is not the opening text. */
function isText(box: Box, element: Element, rank: number): boolean {
  const own = box.textLength - box.linkLength;
  if (own >= proseLengthMin && (proseElements.has(element.name) || box.ownLength - box.ownLinkLength >= proseLengthMin))
    return true;
  if (box.hasH1 || rank > namedRankMax || isInHead(element)) return false;
  if (own >= proseLengthMin || rank === 0) return own > 0;
  return rank !== containerRank && own > box.linkLength && endsSentence(element);
}

/** `text` and better names; of these, `content` and `message` are used for other short texts. */
const namedRankMax = 3;
const containerRank = 1;
const proseElements: ReadonlySet<string> = new Set(['p', 'blockquote', 'pre', 'ul', 'ol']);
const proseLengthMin = 80;
