/** Extracts the content of a thread: its title, then every post with author and date, without what surrounds them. */
import type { ChildNode, Document, Element } from 'domhandler';
import { escapeText } from 'entities';
import { isDocument, isTag } from 'domhandler';
import { isHidden } from '../rules/hidden-elements.ts';
import { nodeText, oneLine } from '../html/node-text.ts';
import { parseHtml } from '../html/parse-html.ts';
import type { Box } from '../measure/measure-page.ts';
import { isNamedIn, tidyHeading, titleOf } from '../text/page-title.ts';
import { repeatedQuotes } from './thread-quotes.ts';
import { elementsAround, findPosts, namedAsBody, type Post } from './thread-posts.ts';

export interface ThreadContent {
  readonly nodes: readonly ChildNode[];
  /** Elements of `nodes` that repeat text of an earlier post. */
  readonly repeated: readonly Element[];
  /** Boxes of the page that are shown. */
  readonly boxes: readonly Box[];
}

/**
 * Returns undefined if there are fewer than two posts, or if they hold less than 15 % of `textLength`, the characters
 * without menus.
 */
export function threadContent(page: Box, nodes: readonly ChildNode[], textLength: number): ThreadContent | undefined {
  const posts = withoutRepeated(findPosts(nodes, isHidden));
  if (posts.length < postsMin) return undefined;
  const search: Search = {
    bodies: new Set(posts.map(({ body }) => body)),
    around: elementsAround(posts.map(({ body }) => body)),
    titles: [],
    opening: [],
    found: [],
    length: 0,
    title: titleOf(rootOf(nodes)),
    isTitled: false,
  };
  visit(page, search);
  if (search.length < textLength * postsShareMin) return undefined;
  const head = [...titleAmong(search.titles, nodes), ...search.opening];
  const lines = parseHtml(posts.map(lineOf).join('')).children;
  return {
    nodes: [
      ...head.flatMap(({ element }) => element ?? []),
      ...posts.flatMap(({ body }, at) => [
        ...lines.slice(at, at + 1),
        ...(wrappers.has(body.name) ? body.children : [body]),
      ]),
    ],
    repeated: repeatedQuotes(posts.map(({ body }) => body)),
    boxes: [...head, ...search.found],
  };
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

const postsMin = 2;
const postsShareMin = 0.15;
const wrappers: ReadonlySet<string> = new Set(['div', 'article', 'section', 'td', 'span', 'li']);

interface Search {
  readonly bodies: ReadonlySet<Element>;
  /** Elements that hold a body. */
  readonly around: ReadonlySet<Element>;
  readonly titles: Box[];
  readonly opening: Box[];
  readonly found: Box[];
  length: number;
  /** Of the document, in lower case. */
  readonly title: string;
  /** A link or heading that says the title came: many forums have no `h1`. */
  isTitled: boolean;
}

/** Collects the title and the prose between it and the first post: the opening text is not always marked as a post. */
function visit(box: Box, search: Search): void {
  const { element } = box;
  if (element !== undefined && search.bodies.has(element)) {
    box.isSkipped = false;
    search.found.push(box);
    search.length += box.textLength;
    return;
  }
  if (element !== undefined && !box.isSkipped && !search.around.has(element)) {
    if (element.name === 'h1' && isTitle(search)) {
      search.titles.push(box);
      return;
    }
    search.isTitled ||= saysTitle(box, element, search.title);
    if (search.found.length === 0) {
      if (isOpening(box, element, search)) {
        search.opening.push(box);
        return;
      }
      // The rules of the forum, with headings of their own.
      if (namedAsBody(element) === 'sure') return;
    }
  }
  for (const inner of box.boxes) visit(inner, search);
}

function saysTitle({ textLength }: Box, element: Element, title: string): boolean {
  if (element.name !== 'a' && element.attribs['role'] !== 'heading') return false;
  return textLength >= titleLengthMin && textLength <= titleLengthMax && title.startsWith(tidyHeading(element));
}

const titleLengthMin = 10;
const titleLengthMax = 300;

function isTitle({ titles, opening, found }: Search): boolean {
  return found.length === 0 ? opening.length === 0 : titles.length === 0 && found.length === 1;
}

/** Other headings before the first post are the name of the site, or stand in a sidebar. */
function titleAmong(titles: readonly Box[], nodes: readonly ChildNode[]): readonly Box[] {
  if (titles.length < 2) return titles;
  const title = titleOf(rootOf(nodes));
  if (title === '') return titles.slice(-1);
  const named = titles.filter(({ element }) => isNamedIn(title, tidyHeading(element)));
  return (named.length > 0 ? named : titles.filter(({ element }) => title.includes(tidyHeading(element)))).slice(-1);
}

function rootOf([node]: readonly ChildNode[]): Document | Element | undefined {
  let root = node?.parent;
  while (root?.parent) root = root.parent;
  return root === null || root === undefined || !(isTag(root) || isDocument(root)) ? undefined : root;
}

/** The list of all posts is not the opening text. */
function isOpening(box: Box, element: Element, { titles, isTitled }: Search): boolean {
  if ((titles.length === 0 && !isTitled) || box.textLength - box.linkLength < proseLengthMin) return false;
  if (proseElements.has(element.name) || box.ownLength - box.ownLinkLength >= proseLengthMin) return true;
  return namedAsBody(element) !== undefined && !box.hasH1;
}

const proseElements: ReadonlySet<string> = new Set(['p', 'blockquote', 'pre', 'ul', 'ol']);
const proseLengthMin = 80;

/** A rule separates a post of nobody from the one before. */
function lineOf({ author, date }: Post, at: number): string {
  if (author === '' && date === '') return at === 0 ? '<p></p>' : '<hr>';
  const name = author === '' ? '' : `<strong>${escapeText(author)}</strong>`;
  return `<p>${[name, escapeText(date)].filter((part) => part !== '').join(' · ')}</p>`;
}
