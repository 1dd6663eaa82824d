/** Decides what to do with elements without content. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';

/**
 * Returns true if the author left the element empty on purpose, such as a quote in a text about quoting: it has no
 * attributes by which a script or style sheet could fill it, and contains nothing that was dropped.
 */
export function isLeftEmpty(element: Element): boolean {
  for (const _ in element.attribs) return false;
  return element.children.every((child) => (isTag(child) ? isFence(child) && isBlank(child) : isText(child)));
}

/** Returns true for white space only. */
export function isBlank({ children }: Element): boolean {
  return children.every(isBlankText);
}

function isBlankText(node: ChildNode): boolean {
  return isText(node) && node.data.trim() === '';
}

function isFence({ name }: Element): boolean {
  return name === 'code' || name === 'li';
}
