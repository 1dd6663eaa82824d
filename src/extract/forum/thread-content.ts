/** Extracts the content of a thread: its title, then every post with author and date, without what surrounds them. */
import type { ChildNode, Document, Element } from 'domhandler';
import { isDocument, isTag } from 'domhandler';
import { findOne } from 'domutils';
import { escapeAttribute, escapeText } from 'entities';
import { isHidden } from '../rules/hidden-elements.ts';
import { nodeText, oneLine } from '../html/node-text.ts';
import { parseHtml } from '../html/parse-html.ts';
import type { Box } from '../measure/measure-page.ts';
import { titleOf } from '../text/page-title.ts';
import { type Opening, openingOf, titleRanks } from './opening-post.ts';
import { authorOf } from './post-authors.ts';
import { dateOf } from './post-dates.ts';
import { repeatedQuotes } from './thread-quotes.ts';
import { bodyRank, elementsAround, findPosts, type Post } from './thread-posts.ts';

export interface ThreadContent {
  readonly nodes: readonly ChildNode[];
  /** Elements of `nodes` that repeat text of an earlier post. */
  readonly repeated: readonly Element[];
  /** Elements of `nodes` that stay, whatever a rule says. */
  readonly attached: readonly Element[];
  /** Those who posted, each once. */
  readonly authors: readonly string[];
  /** Boxes of the page that are shown. */
  readonly boxes: readonly Box[];
}

/**
 * Returns undefined if the posts, the opening one among them, hold too little of the text. `url` is that of the page.
 */
export function threadContent(page: Box, nodes: readonly ChildNode[], url: string): ThreadContent | undefined {
  const posts = withoutRepeated(findPosts(nodes, isHidden));
  const bodies = posts.map(({ body }) => body);
  const opening = openingOf(page, {
    bodies: new Set(bodies),
    around: elementsAround(bodies),
    posts: new Set(posts.map(({ element }) => element)),
    pageTitle: titleOf(rootOf(nodes)),
  });
  const linked = linkOf(opening, url);
  const titles = opening.title?.element?.name === 'h1' ? [opening.title] : [];
  const shown = [...opening.texts, ...opening.found];
  const isOpened = opening.texts.length > 0 || linked !== '';
  if (!isThread(page, shown, { posts: posts.length, isOpened, isTitled: opening.rank >= titleRanks.saidByLink }))
    return undefined;
  const lines = parseHtml(posts.map((post, at) => lineOf(post, isOpened ? at + 1 : at)).join('')).children;
  return {
    nodes: [
      ...(linked === ''
        ? titles.flatMap(({ element }) => element ?? [])
        : parseHtml(linkedTitle(opening, linked)).children),
      ...parseHtml(openingLine(opening, isOpened, posts[0], hostOf(linked))).children,
      ...opening.texts.flatMap(({ element }) => element ?? []),
      ...posts.flatMap(({ body, attached }, at) => [
        ...lines.slice(at, at + 1),
        ...(wrappers.has(body.name) ? body.children : [body]),
        ...attached,
      ]),
    ],
    repeated: repeatedQuotes(bodies),
    attached: posts.flatMap(({ attached }) => attached),
    authors: [
      ...new Set([isOpened ? oneLine(authorOf(opening.author)) : '', ...posts.map(({ author }) => author)]),
    ].filter((author) => author !== ''),
    boxes: [...titles, ...shown],
  };
}

/** A single post on a page that is no thread is a part of it. */
function isThread(
  page: Box,
  shown: readonly Box[],
  has: { readonly posts: number; readonly isOpened: boolean; readonly isTitled: boolean },
): boolean {
  const isSure = shown.some(isSureText);
  if (has.posts === 0 && !isSure) return false;
  if (shown.length === 1 && isSure && has.isTitled) return true;
  if (has.posts === 0) return false;
  const isSeveral = has.posts > 1 || has.isOpened || isSure;
  const length = shown.reduce((sum, box) => sum + box.textLength - box.linkLength, 0);
  return length >= proseLength(page) * (isSeveral ? postsShareMin : singleShareMin);
}

function isSureText({ element }: Box): boolean {
  return element !== undefined && bodyRank(element) === 0;
}

/** Characters outside of links that no rule left out. */
function proseLength({ isSkipped, ownLength, ownLinkLength, boxes }: Box): number {
  if (isSkipped) return 0;
  let length = ownLength - ownLinkLength;
  for (const box of boxes) length += proseLength(box);
  return length;
}

/** Returns what the title of the thread links to, if that is on another site. */
function linkOf({ title, rank }: Opening, url: string): string {
  const element = title?.element;
  if (element === undefined || rank < titleRanks.saidByLink) return '';
  const link = findOne(({ name, attribs }) => name === 'a' && /^https?:/.test(attribs['href'] ?? ''), [element]);
  const href = link?.attribs['href'] ?? '';
  return isOfSite(hostOf(url), hostOf(href)) ? '' : href;
}

function linkedTitle({ title }: Opening, href: string): string {
  const text = oneLine(nodeText(title?.element?.children ?? []));
  return `<h1><a href="${escapeAttribute(href)}">${escapeText(text)}</a></h1>`;
}

/** `forum.example.com` belongs to `example.com`. */
function isOfSite(host: string, other: string): boolean {
  return `.${host}`.endsWith(`.${other.replace(/^www\./, '')}`);
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}

/** Some templates write the first post twice: hidden for search engines, and for readers. */
function withoutRepeated(posts: readonly Post[]): readonly Post[] {
  const known = new Set<string>();
  return posts.filter(({ body }) => {
    const text = oneLine(nodeText(body.children));
    if (text.length < repeatedLengthMin) return true;
    const isNew = !known.has(text);
    known.add(text);
    return isNew;
  });
}

/** Several authors can write the same few words. */
const repeatedLengthMin = 80;

const postsShareMin = 0.15;
const singleShareMin = 0.5;
const wrappers: ReadonlySet<string> = new Set(['div', 'article', 'section', 'td', 'span', 'li']);

function rootOf([node]: readonly ChildNode[]): Document | Element | undefined {
  let root = node?.parent;
  while (root?.parent) root = root.parent;
  return root === null || root === undefined || !(isTag(root) || isDocument(root)) ? undefined : root;
}

/** A rule separates a post of nobody from the one before. */
function lineOf({ author, date }: Post, at: number): string {
  const line = signed(author, date);
  return line === '' && at > 0 ? '<hr>' : `<p>${line}</p>`;
}

/**
 * Says where the title leads and what the thread is filed under. The first post of a marked thread has a line of its own
 * with author and date.
 */
function openingLine(
  { author, dates, labels }: Opening,
  isOpened: boolean,
  first: Post | undefined,
  host: string,
): string {
  const name = isOpened ? oneLine(authorOf(author)) : '';
  const signature = name === '' || name === first?.author ? '' : signed(name, dateOf(dates));
  const parts = [signature, escapeText(host), ...labels.map(escapeText)].filter((part) => part !== '');
  return parts.length === 0 ? '' : `<p>${parts.join(' · ')}</p>`;
}

function signed(author: string, date: string): string {
  const name = author === '' ? '' : `<strong>${escapeText(author)}</strong>`;
  return [name, escapeText(date)].filter((part) => part !== '').join(' · ');
}
