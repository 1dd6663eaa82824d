/** Extracts the content of a thread: its title, then every post with author and date, without what surrounds them. */
import type { ChildNode, Element } from 'domhandler';
import { escapeText } from 'entities';
import { isHidden } from '../boilerplate/hidden-elements.ts';
import { parseHtml } from '../html/parse-html.ts';
import type { Box } from '../measure/measure-page.ts';
import { repeatedQuotes } from './thread-quotes.ts';
import { findPosts, type Post } from './thread-posts.ts';

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
  const posts = findPosts(nodes, isHidden);
  if (posts.length < postsMin) return undefined;
  const search: Search = {
    bodies: new Set(posts.map(({ body }) => body)),
    head: [],
    found: [],
    length: 0,
    hasTitle: false,
  };
  visit(page, search);
  if (search.length < textLength * postsShareMin) return undefined;
  const lines = parseHtml(posts.map(lineOf).join('')).children;
  return {
    nodes: [
      ...search.head.flatMap(({ element }) => element ?? []),
      ...posts.flatMap(({ body }, at) => [
        ...lines.slice(at, at + 1),
        ...(wrappers.has(body.name) ? body.children : [body]),
      ]),
    ],
    repeated: repeatedQuotes(posts.map(({ body }) => body)),
    boxes: [...search.head, ...search.found],
  };
}

const postsMin = 2;
const postsShareMin = 0.15;
const wrappers: ReadonlySet<string> = new Set(['div', 'article', 'section', 'td', 'span', 'li']);

interface Search {
  readonly bodies: ReadonlySet<Element>;
  readonly head: Box[];
  readonly found: Box[];
  length: number;
  hasTitle: boolean;
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
  if (search.found.length === 0 && element !== undefined && !box.isSkipped && isHead(box, element, search)) {
    search.head.push(box);
    search.hasTitle = true;
    return;
  }
  for (const inner of box.boxes) visit(inner, search);
}

function isHead(box: Box, { name }: Element, { hasTitle }: Search): boolean {
  if (name === 'h1') return !hasTitle;
  return hasTitle && proseElements.has(name) && box.textLength - box.linkLength >= proseLengthMin;
}

const proseElements: ReadonlySet<string> = new Set(['p', 'blockquote', 'pre', 'ul', 'ol']);
const proseLengthMin = 80;

function lineOf({ author, date }: Post): string {
  const name = author === '' ? '' : `<strong>${escapeText(author)}</strong>`;
  return `<p>${[name, escapeText(date)].filter((part) => part !== '').join(' · ')}</p>`;
}
