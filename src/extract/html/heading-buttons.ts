/** Finds the buttons with which pages let readers copy the link or the path of a heading. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText, textBeginning } from './node-text.ts';

/** Returns true if the heading has such a button next to its text. */
export function holdsButton({ children }: Element): boolean {
  return children.some((node) => isTag(node) && node.name === 'button');
}

/** Returns what it removed. A button that is all of a heading, or opens what follows it, is its text. */
export function removeButtons(heading: Element): readonly ChildNode[] {
  const { children } = heading;
  const others = children.filter((node) => !isCopyButton(node));
  if (textBeginning(others, textLengthMax).trim() === '') return [];
  heading.children = others;
  return children.filter(isCopyButton);
}

function isCopyButton(node: ChildNode): boolean {
  if (!isTag(node)) return false;
  const { name, attribs, children } = node;
  if (name !== 'button' || attribs['aria-expanded'] !== undefined || attribs['aria-controls'] !== undefined)
    return false;
  return nodeText(children).length <= labelLengthMax;
}

const textLengthMax = 80;
const labelLengthMax = 40;
