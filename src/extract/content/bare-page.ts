/** Detects pages without content. */
import type { ChildNode, Document } from 'domhandler';
import { isTag, isText } from 'domhandler';

/**
 * Characters without white space. Fits the longest common forms of "You are being redirected. If nothing happens, click
 * here."
 */
const textLengthMax = 200;

/**
 * Returns true if the page has at most {@link textLengthMax} characters of text. Titles, scripts, styles and templates
 * do not count.
 */
export function isBarePage(document: Document): boolean {
  return roomAfter(document.children, textLengthMax) >= 0;
}

/** Subtracts the text length from `room`. Stops once the result is negative. */
function roomAfter(nodes: readonly ChildNode[], room: number): number {
  let left = room;
  for (const node of nodes) {
    if (left < 0) break;
    if (isText(node)) left -= node.data.replaceAll(/\s+/g, '').length;
    else if (isTag(node) && !silent.has(node.name)) left = roomAfter(node.children, left);
  }
  return left;
}

const silent: ReadonlySet<string> = new Set(['title', 'script', 'style', 'template']);
