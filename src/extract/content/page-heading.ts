/** Finds a page title that stands outside the chosen content, such as above the article and its sidebar. */
import type { Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import type { Box } from '../measure/measure-page.ts';

/** Returns the `<h1>` before the chosen boxes that `<title>` names; undefined if the boxes contain an `<h1>`. */
export function pageHeading(page: Box, chosen: readonly Box[], document: Document): Box | undefined {
  const title = titleOf(document);
  if (title === '' || chosen.some(holdsHeading)) return undefined;
  const found = findHeading(page, { title, chosen: new Set(chosen) });
  return found === 'stop' ? undefined : found;
}

interface Search {
  readonly title: string;
  readonly chosen: ReadonlySet<Box>;
}

/** Searches depth first. Returns `stop` at the first chosen box. */
function findHeading(box: Box, search: Search): Box | 'stop' | undefined {
  if (box.isSkipped) return undefined;
  if (search.chosen.has(box)) return 'stop';
  if (isHeading(box) && isNamedIn(search.title, tidy(box.element))) return box;
  for (const inner of box.boxes) {
    const found = findHeading(inner, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

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

function holdsHeading(box: Box): boolean {
  return !box.isSkipped && (isHeading(box) || box.boxes.some(holdsHeading));
}

function isHeading({ element }: Box): boolean {
  return element?.name === 'h1';
}

function titleOf(document: Document): string {
  const root = childOf(document, 'html') ?? document;
  return tidy(childOf(childOf(root, 'head') ?? root, 'title'));
}

function childOf({ children }: Document | Element, name: string): Element | undefined {
  return children.filter((node) => isTag(node)).find((node) => node.name === name);
}

function tidy(element: Element | undefined): string {
  return nodeText(element?.children ?? [])
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
