/** Whether a page has nothing to say. */
import type { ChildNode, Document } from 'domhandler';
import { isTag, isText } from 'domhandler';

/** Characters, white space aside: "You are being redirected. If nothing happens, click here." in the longest forms that are common. */
const textLengthMax = 200;

/** At most {@link textLengthMax} characters of text, wherever they stand. Titles, scripts and styles do not count. */
export function isBarePage(document: Document): boolean {
  return roomAfter(document.children, textLengthMax) >= 0;
}

/** What is left of so many characters; looks no further where nothing is. */
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
