/** Finds the posts of a thread with author, date and text, by the names that forum software uses. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { noAttributes } from '../html/attributes.ts';
import { textBeginning } from '../html/node-text.ts';

export interface Post {
  /** Author and date are empty if not found. */
  readonly author: string;
  readonly date: string;
  readonly body: Element;
}

/**
 * Returns the posts in document order. Posts can be nested, and each element belongs to one post only. Elements for
 * which `isHidden` returns true are skipped.
 */
export function findPosts(nodes: readonly ChildNode[], isHidden: (element: Element) => boolean): readonly Post[] {
  const marked: Element[] = [];
  collectMarked(nodes, isHidden, marked);
  const search: Search = { posts: new Map(), isHidden, elementsLeft: elementsMax };
  // The text of a post can have a number itself, so read inner elements first.
  const isAnswered = marked.some(isAnswer);
  for (const element of marked.toReversed()) {
    if (isAnswered && isComment(element)) continue;
    const post = readPost(element, search);
    if (post !== undefined) search.posts.set(element, post);
  }
  return search.elementsLeft < 0 ? [] : marked.flatMap((element) => search.posts.get(element) ?? []);
}

interface Search {
  readonly posts: Map<Element, Post>;
  readonly isHidden: (element: Element) => boolean;
  /** A marked element without a post is searched again for the marked elements around it. This limits the total. */
  elementsLeft: number;
}

const elementsMax = 500_000;

function collectMarked(nodes: readonly ChildNode[], isHidden: Search['isHidden'], marked: Element[]): void {
  for (const node of nodes) {
    if (!isTag(node) || node.children.length === 0 || isHidden(node)) continue;
    if (node.attribs !== noAttributes && isMarked(node)) marked.push(node);
    collectMarked(node.children, isHidden, marked);
  }
}

function isMarked({ attribs }: Element): boolean {
  return (
    postIds.test(attribs['id'] ?? '') ||
    postTypes.test(attribs['itemtype'] ?? '') ||
    postNames.test(attribs['class'] ?? '')
  );
}

/** Ids with which forums make posts linkable. */
const postIds =
  /(?:^|[-_])(?:post|msg|message|reply|answer|question|comment|elcomment|item|pid|p|tree|discussion)[-_]?\d+$|^question$|_t\d_[a-z\d]+$/i;
const postTypes = /\/(?:Comment|DiscussionForumPosting|Answer|Question)$/;
const postNames = /(?:^|\s)(?:crawler-post|commentthread_comment|commentTreeItem|lia-message-view)(?:\s|$)/;

function isAnswer({ attribs }: Element): boolean {
  return (attribs['id'] ?? '').startsWith('answer') || (attribs['itemtype'] ?? '').endsWith('/Answer');
}

/** Comments on questions and answers are not posts. */
function isComment({ attribs }: Element): boolean {
  return (attribs['id'] ?? '').startsWith('comment') || (attribs['itemtype'] ?? '').endsWith('/Comment');
}

/** Returns undefined without a text, or without both author and date. */
function readPost(element: Element, search: Search): Post | undefined {
  const found: Parts = { author: [], date: [], body: [], bodyRank: bodyNames.length };
  readParts(element.children, found, search);
  const body = found.body[0] ?? found.textBody;
  const author = element.attribs['data-author'] ?? found.author[0] ?? found.profile ?? '';
  const date = found.date[0] ?? '';
  return body === undefined || (author === '' && date === '') ? undefined : { author: oneLine(author), date, body };
}

interface Parts {
  readonly author: string[];
  readonly date: string[];
  readonly body: Element[];
  bodyRank: number;
  profile?: string;
  textBody?: Element;
}

function readParts(nodes: readonly ChildNode[], found: Parts, search: Search): void {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    search.elementsLeft--;
    if (search.elementsLeft < 0 || search.posts.has(node) || search.isHidden(node)) continue;
    if (node.attribs === noAttributes && node.name !== 'time') {
      readParts(node.children, found, search);
      continue;
    }
    const rank = bodyRank(node);
    if (rank < found.bodyRank && textBeginning(node.children, beginningLength).trim() !== '') {
      found.body[0] = node;
      found.bodyRank = rank;
    }
    // A quoted post has an author and a date, too.
    if (rank <= surelyText) continue;
    readAuthor(node, found);
    readDate(node, found);
    readParts(node.children, found, search);
  }
}

/** Lower is more certain. */
function bodyRank({ attribs }: Element): number {
  const itemprop = attribs['itemprop'];
  if (itemprop === 'text' || itemprop === 'articleBody') return 0;
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  if (names.length <= 1) return bodyNames.length;
  const rank = bodyNames.findIndex((name) => name.test(names));
  return rank === -1 ? bodyNames.length : rank;
}

/** Names of single engines, then names common to several, then names of elements that can hold more than the text. */
const bodyNames: readonly RegExp[] = [
  /(?:^|\s)(?:bbWrapper|cooked|commtext|md|ipsType_richText|ipsRichText|userContent|js-post-body|comment-copy|commentthread_comment_text|postcontent|lia-message-body-content|post_message_\d+|js-post__content-text)(?:\s|$)/,
  /(?:^|\s)(?:content|message|md-div|commentBody)(?:\s|$)/i,
  /(?:^|[\s_-])(?:post|message|comment|reply|answer|entry|msg|topic)[-_]*(?:body|content|text|message)(?:\s|$)/i,
  /(?:^|[\s_-])(?:text|body|inner)(?:\s|$)/i,
];
const surelyText = 0;

function readAuthor(element: Element, found: Parts): void {
  if (found.author.length > 0) return;
  const { attribs } = element;
  const isNamed = attribs['itemprop'] === 'author' || authorNames.test(attribs['class'] ?? '');
  const isProfile = found.profile === undefined && profileLinks.test(attribs['href'] ?? '');
  if (!isNamed && !isProfile) return;
  const text = firstText(element);
  if (text === '' || text.length > shortLengthMax || !/\p{L}/u.test(text)) return;
  if (isNamed) found.author.push(text);
  else found.profile = text;
}

const authorNames =
  /(?:^|[\s_-])(?:user-?name|author(?:-?name)?|poster|nick-?name|creator|hnuser|display-?name|comment-user|user-?details|by)(?:$|[\s_-])/i;
const profileLinks =
  /\/(?:users?|members?|profiles?|people|u|@[^/]+)(?:\/|$|\.)|[?&]u(?:ser)?=|memberlist|action=profile/i;

/** The name can stand before a rank, an e-mail address or a number of posts. */
function firstText(element: Element): string {
  const link = element.children.find((node) => isTag(node) && node.name === 'a');
  const texts = textBeginning(link === undefined ? [element] : [link], beginningLength).split('\n');
  const text = texts.map(oneLine).find((line) => line !== '') ?? '';
  return text.replace(/^(?:(?:posted |written |asked |answered )?by|author|from)[:\s]+/i, '').replace(/[\s:,]+$/, '');
}

function readDate(element: Element, found: Parts): void {
  if (found.date.length > 0) return;
  const { name, attribs } = element;
  if (name !== 'time' && !dateProps.test(attribs['itemprop'] ?? '') && !dateNames.test(attribs['class'] ?? '')) return;
  const text = oneLine(textBeginning(element.children, beginningLength));
  if (/\b(?:19|20)\d\d\b/.test(text) && text.length <= shortLengthMax) found.date.push(text);
  else {
    const [day] = (attribs['datetime'] ?? attribs['content'] ?? '').split('T', 1);
    const date = day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) ? day : text;
    if (/\d/.test(date) && date.length <= shortLengthMax) found.date.push(date);
  }
}

const dateProps = /^date(?:Created|Published|Modified)$/;
const dateNames = /(?:^|[\s_-])(?:date|time|timestamp|age|posted-?on|date-?created|relative-date)(?:$|[\s_-])/i;
const shortLengthMax = 60;
/** Including white space of the source. */
const beginningLength = 500;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
