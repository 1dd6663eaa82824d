/** The title of a page where it stands apart from what was chosen of it, such as above the article and its sidebar. */
import type { Document, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from './node-text.ts';
import type { Box } from './survey.ts';

/** The `<h1>` before the chosen boxes that is named in `<title>`; undefined where they have a heading of that rank. */
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

/** Depth first, up to the chosen boxes: `stop` is where they begin. */
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

/** The name of a site stands at the end. Titles are shortened for search engines, so that half of the words are enough. */
export function isNamedIn(title: string, heading: string): boolean {
  if (heading === title) return true;
  if (heading.length < headingLengthMin || title.endsWith(heading)) return false;
  if (title.includes(heading)) return true;
  const known = wordsOf(title);
  const words = [...wordsOf(heading)];
  return words.length >= wordsMin && words.filter((word) => known.has(word)).length >= words.length * 0.5;
}

const headingLengthMin = 3;
/** Two words may be the name of the site and another one. */
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
