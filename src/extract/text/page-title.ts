/** Compares the headings of a page with its `<title>`. */
import type { Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText, oneLine } from '../html/node-text.ts';

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

export function tidyHeading(element: Element | undefined): string {
  return oneLine(nodeText(element?.children ?? [])).toLowerCase();
}
