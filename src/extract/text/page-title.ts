/** Compares the headings of a page with its `<title>`. */
import type { Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { existsOne } from 'domutils';
import { nodeText, oneLine } from '../html/node-text.ts';
import { countWords } from './count-words.ts';

/**
 * A heading at the end of the title is the site name. Titles are shortened for search engines, so half of the words are
 * enough.
 */
export function isNamedIn(title: string, heading: string): boolean {
  if (heading === title) return true;
  if (heading.length < headingLengthMin || title.endsWith(heading)) return false;
  if (title.includes(heading)) return true;
  const known = wordsOf(title);
  const words = [...wordsOf(heading)];
  return words.length >= wordsMin && words.filter((word) => known.has(word)).length >= words.length * 0.5;
}

const headingLengthMin = 3;
/** Two words can be the site name and one other word. */
const wordsMin = 3;

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.slice(0, headingLengthMax).match(/[\p{L}\p{N}]+/gu));
}

const headingLengthMax = 1_000;

/** Returns the text of `<title>`, for {@link isNamedIn}. */
export function titleOf(document: Document | Element | undefined): string {
  if (document === undefined) return '';
  const root = childOf(document, 'html') ?? document;
  return tidyHeading(childOf(childOf(root, 'head') ?? root, 'title'));
}

function childOf({ children }: Document | Element, name: string): Element | undefined {
  return children.filter((node) => isTag(node)).find((node) => node.name === name);
}

/** Fewer words can name the site or a part of it. */
export const subjectWordsMin = 3;

/**
 * True if the heading names the site: it is short and ends the title, or leads to the start page. Also if all of it is
 * another link, or it stands with a menu in the header of the site, unless the title names it besides others.
 */
export function isOfSite(heading: Element, title: string): boolean {
  const text = tidyHeading(heading);
  if (text !== title && title.endsWith(text) && countWords(text) < subjectWordsMin) return true;
  const isLink = (one: Element): boolean =>
    one.name === 'a' && one.attribs['href'] !== undefined && tidyHeading(one) === text;
  if (existsOne((one) => isLink(one) && startPage.test(one.attribs['href'] ?? ''), heading.children)) return true;
  if (text !== title && isNamedIn(title, text)) return false;
  if (existsOne(isLink, heading.children)) return true;
  for (let outer = heading.parent; outer && isTag(outer); outer = outer.parent) {
    if (outer.name === 'main' || outer.name === 'article') return false;
    if (outer.name === 'a') return true;
    if (outer.name === 'header') return existsOne(({ name }) => name === 'nav', outer.children);
  }
  return false;
}

/** Perhaps in one language. */
const startPage = /^(?:https?:\/\/[^/]+\/?|\/)(?:[a-z]{2}\/?)?$/i;

export function tidyHeading(element: Element | undefined): string {
  return oneLine(nodeText(element?.children ?? [])).toLowerCase();
}
