/** The elements that a list of CSS selectors names. */
import type { ChildNode, Document } from 'domhandler';
import { selectAll } from 'css-select';

/** Selectors were checked when the job was made; should one not be understood all the same, it names nothing. */
export function selectElements(document: Document, selectors: string): ReadonlySet<ChildNode> {
  if (selectors.trim() === '') return new Set();
  try {
    return new Set(selectAll<ChildNode | Document, never>(selectors, document));
  } catch {
    return new Set();
  }
}
