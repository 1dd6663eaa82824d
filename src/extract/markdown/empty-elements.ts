/** What to make of elements without content. */
import type { Element } from 'domhandler';
import { isTag, isText } from 'domhandler';

/**
 * Empty by the will of its author, such as a quote in a text on quoting: it has no name by which a script or a style sheet
 * could fill it, and nothing that was dropped stands in it.
 */
export function isLeftEmpty(element: Element): boolean {
  for (const _ in element.attribs) return false;
  return element.children.every((child) => (isTag(child) ? isFence(child) && isBlank(child) : isText(child)));
}

/** Nothing but white space. */
export function isBlank({ children }: Element): boolean {
  return children.every((child) => isText(child) && child.data.trim() === '');
}

function isFence({ name }: Element): boolean {
  return name === 'code' || name === 'li';
}
