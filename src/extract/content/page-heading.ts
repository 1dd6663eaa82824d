/** Finds a page title that stands outside the chosen content, such as above the article and its sidebar. */
import type { Document } from 'domhandler';
import type { Box } from '../measure/measure-page.ts';
import { isNamedIn, tidyHeading, titleOf } from '../text/page-title.ts';

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
  if (isHeading(box) && isNamedIn(search.title, tidyHeading(box.element))) return box;
  for (const inner of box.boxes) {
    const found = findHeading(inner, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

function holdsHeading(box: Box): boolean {
  return !box.isSkipped && (isHeading(box) || box.boxes.some(holdsHeading));
}

function isHeading({ element }: Box): boolean {
  return element?.name === 'h1';
}
