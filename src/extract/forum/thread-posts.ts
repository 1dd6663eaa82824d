/** Finds the posts of a thread with author, date and text, by the names that forum software uses. */
import type { ChildNode, Element, ParentNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { existsOne, prevElementSibling } from 'domutils';
import { attributeOf, isBare } from '../html/nodes.ts';
import { oneLine, textBeginning } from '../html/node-text.ts';
import { authorOf, type PostAuthor, readAuthor } from './post-authors.ts';
import { dateOf, type PostDates, readDate, readPlainDate } from './post-dates.ts';

export interface Post {
  readonly element: Element;
  /** Author and date are empty if not found. */
  readonly author: string;
  readonly date: string;
  readonly body: Element;
  /** Lists of files after the text. */
  readonly attached: readonly Element[];
}

/**
 * Returns the posts in document order. Posts can be nested, and each element belongs to one post only. Elements for
 * which `isHidden` returns true are skipped.
 */
export function findPosts(nodes: readonly ChildNode[], isHidden: (element: Element) => boolean): readonly Post[] {
  const marked: Element[] = [];
  collectMarked(nodes, isHidden, marked);
  const search: Search = { posts: new Map(), isHidden, elementsLeft: elementsMax };
  const unsigned = new Map<Element, Post>();
  // The text of a post can have a number itself, so read inner elements first.
  for (const element of marked.toReversed()) {
    const post = readPost(element, search);
    if (post === undefined || isHeadOfTable(post, search)) continue;
    (post.author === '' && post.date === '' ? unsigned : search.posts).set(element, post);
  }
  addUnsigned(unsigned, search.posts);
  return search.elementsLeft < 0 ? [] : marked.flatMap((element) => search.posts.get(element) ?? []);
}

/** A text without author and date is a post if another post is marked alike, or if there are comments on it. */
function addUnsigned(unsigned: ReadonlyMap<Element, Post>, posts: Map<Element, Post>): void {
  const signed = [...posts.keys()];
  const marks = new Set(signed.map(markOf));
  const bodies = new Set([...posts.values()].map(({ body }) => body));
  const around = elementsAround(signed);
  for (const [element, post] of unsigned) {
    const { body } = post;
    if (isWithin(body, bodies)) continue;
    if (marks.has(markOf(element)) || around.has(element) || isQuestion(element)) posts.set(element, post);
  }
}

function isWithin(element: Element, bodies: ReadonlySet<Element>): boolean {
  for (let outer: ParentNode | null = element; outer !== null && isTag(outer); outer = outer.parent)
    if (bodies.has(outer)) return true;
  return false;
}

function isQuestion({ attribs }: Element): boolean {
  return attribs['id'] === 'question' || attribs['itemtype']?.endsWith('/Question') === true;
}

function markOf({ name, attribs }: Element): string {
  return `${name} ${attribs['itemtype'] ?? attribs['class'] ?? attribs['id'] ?? ''}`.replaceAll(/\d+/g, '');
}

/** Returns all elements that hold one of these. */
export function elementsAround(elements: readonly Element[]): ReadonlySet<Element> {
  const around = new Set<Element>();
  for (const { parent } of elements) {
    for (let outer = parent; outer !== null && isTag(outer) && !around.has(outer); outer = outer.parent)
      around.add(outer);
  }
  return around;
}

interface Search {
  readonly posts: Map<Element, Post>;
  readonly isHidden: (element: Element) => boolean;
  /** A marked element without a post is searched again for the marked elements around it. This limits the total. */
  elementsLeft: number;
}

const elementsMax = 500_000;

/** The box around all posts, with a table's head such as "Author" and "Posts". */
function isHeadOfTable({ body }: Post, { posts }: Search): boolean {
  return posts.size > 1 && !/\p{L}\P{L}+\p{L}/u.test(textBeginning(body.children, beginningLength)) && isInHead(body);
}

export function isInHead({ parent }: Element): boolean {
  return parent !== null && isTag(parent) && headNames.test(parent.attribs['class'] ?? '');
}

const headNames = /(?:^|[\s_-])(?:header|thead)(?:\s|$)/;

function collectMarked(nodes: readonly ChildNode[], isHidden: Search['isHidden'], marked: Element[]): void {
  for (const node of nodes) {
    if (!isTag(node) || node.children.length === 0 || isHidden(node)) continue;
    if (isMarked(node)) marked.push(node);
    collectMarked(node.children, isHidden, marked);
  }
}

function isMarked(element: Element): boolean {
  const { name } = element;
  if (isBare(element)) return false;
  const itemprop = attributeOf(element, 'itemprop');
  const id = attributeOf(element, 'id');
  if (itemprop === 'text') return false;
  return (
    name === 'shreddit-comment' ||
    name === 'shreddit-post' ||
    itemprop === 'comment' ||
    postIds.test(id ?? '') ||
    postTypes.test(attributeOf(element, 'itemtype') ?? '') ||
    postNames.test(attributeOf(element, 'class') ?? '')
  );
}

/** Ids with which forums make posts linkable. */
const postIds =
  /(?:^|[-_])(?:post|msg|message|reply|answer|question|(?:issue|discussion|el)?comment|postBoxWrapper|issue|item|pid|p|tree|discussion)[-_]?\d+$|^question$|_t\d_[a-z\d]+$/i;
const postTypes = /\/(?:Comment|DiscussionForumPosting|Answer|Question)$/;
const postNames =
  /(?:^|\s)(?:crawler-post|commentthread_comment|commentTreeItem|lia-message-view|CommentPost|post_wrapper|comtr|postItem|comment|reply|type-topic|message|email|react-issue-body|react-issue-comment)(?:\s|$)/;

/** Returns undefined without a text. */
function readPost(element: Element, search: Search): Post | undefined {
  const found: Parts = {
    dates: { before: '' },
    body: [],
    attached: [],
    bodyRank: bodyNames.length,
    isBodyOpen: false,
    partsBefore: 0,
  };
  readParts(element.children, found, search);
  const body = found.body[0];
  const { attribs } = element;
  const author =
    attribs['data-author'] ??
    attribs['data-username'] ??
    (element.name.startsWith('shreddit-') ? attribs['author'] : undefined) ??
    authorOf(found);
  const date = dateOf(found.dates) || dateBefore(element, search);
  return body === undefined ? undefined : { element, author: oneLine(author), date, body, attached: found.attached };
}

/** bbPress writes the date of a post in a box before it, which has the id of the post. */
function dateBefore(element: Element, search: Search): string {
  const before = prevElementSibling(element);
  const id = before?.attribs['id'];
  if (before === null || id === undefined || !postIds.test(id) || search.posts.has(before)) return '';
  if (element.attribs['class']?.split(/\s/).includes(id) !== true) return '';
  const dates: PostDates = { before: '' };
  readDates(before.children, dates, datesDepthMax);
  return dateOf(dates);
}

function readDates(nodes: readonly ChildNode[], dates: PostDates, depth: number): void {
  for (const node of nodes.slice(0, linkNodesMax)) {
    if (isText(node)) readPlainDate(node.data, dates);
    else if (isTag(node) && readDate(node, dates) && depth > 0) readDates(node.children, dates, depth - 1);
  }
}

const datesDepthMax = 3;

interface Parts extends PostAuthor {
  readonly dates: PostDates;
  readonly body: Element[];
  readonly attached: Element[];
  bodyRank: number;
  /** True while the elements inside the body are read. */
  isBodyOpen: boolean;
  /** Authors and dates found before the body. */
  partsBefore: number;
}

function readParts(nodes: readonly ChildNode[], found: Parts, search: Search): void {
  for (const node of nodes) {
    if (isText(node)) readPlainDate(node.data, found.dates);
    if (!isTag(node)) continue;
    search.elementsLeft--;
    if (search.elementsLeft < 0 || search.posts.has(node) || search.isHidden(node)) continue;
    if (isBare(node) && node.name !== 'time') {
      readParts(node.children, found, search);
      continue;
    }
    const rank = bodyRank(node);
    const isBetter = rank < found.bodyRank || isInnerBody(rank, found);
    if (isBetter && (hasText(node) || (rank === surelyText && existsOne(isImage, node.children)))) {
      found.body[0] = node;
      found.bodyRank = rank;
      found.isBodyOpen = rank > surelyText;
      found.partsBefore = partsOf(found);
    }
    // A quoted post has an author and a date, too.
    if (rank <= surelyText) continue;
    if (found.body.length > 0 && !found.isBodyOpen && attachedNames.test(attributeOf(node, 'class') ?? '')) {
      found.attached.push(node);
      continue;
    }
    readAuthor(node, found);
    if (!readDate(node, found.dates)) continue;
    readParts(node.children, found, search);
    if (found.body[0] === node) found.isBodyOpen = false;
  }
}

function hasText({ children }: Element): boolean {
  return textBeginning(children, beginningLength).trim() !== '';
}

function isImage({ name }: Element): boolean {
  return name === 'img';
}

/** Returns true if the box around it also holds the author or date, so that the box is more than the text. */
function isInnerBody(rank: number, found: Parts): boolean {
  return found.isBodyOpen && rank === found.bodyRank && rank < bodyNames.length && partsOf(found) > found.partsBefore;
}

function partsOf({ author, dates }: Parts): number {
  return (author === undefined ? 0 : 1) + (dateOf(dates) === '' ? 0 : 1);
}

/** Says how surely an element is the text of a post by its name: 0 is sure. A button can be named as one with text. */
export function bodyRank(element: Element): number {
  if (element.name === 'button') return bodyNames.length;
  const itemprop = attributeOf(element, 'itemprop');
  if (itemprop === 'text' || itemprop === 'articleBody') return 0;
  const names = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`;
  if (names.length <= 1) return bodyNames.length;
  const rank = bodyNames.findIndex((name) => name.test(names));
  return rank === -1 ? bodyNames.length : rank;
}

/** Names of single engines, then names common to several, then names of elements that can hold more than the text. */
const bodyNames: readonly RegExp[] = [
  /(?:^|\s)(?:bbWrapper|cooked|commtext|md|md-div|toptext|story_text|ipsType_richText|ipsRichText|userContent|js-post-body|comment-copy|commentthread_comment_text|postcontent|lia-message-body-content|post_?message_\d+|js-post__content-text|postmsg|markdown-body)(?:\s|$)/,
  /(?:^|\s)(?:content|message|commentBody)(?:\s|$)/i,
  /(?:^|[\s_-])(?:post|message|comment|reply|answer|entry|msg|topic|email)[-_]*(?:body|content|text|message)(?:\s|$)/i,
  /(?:^|[\s_-])(?:text|body|inner)(?:\s|$)/i,
];
const surelyText = 0;
const attachedNames = /(?:^|\s)(?:attach(?:ment|ed)?(?:s|-?list|-?box)?|message-attachments)(?:\s|$)/i;

const linkNodesMax = 6;
/** Including white space of the source. */
const beginningLength = 500;
