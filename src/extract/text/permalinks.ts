/** Finds the links with which headings of documentation name themselves. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { textBeginning } from '../html/node-text.ts';

/** Returns the children of a heading without a link to a part of its own page that shows a sign: `¶`, `#`, an icon. */
export function withoutPermalink({ children }: Element): readonly ChildNode[] {
  return children.some(isPermalink) ? children.filter((child) => !isPermalink(child)) : children;
}

function isPermalink(node: ChildNode): boolean {
  return isTag(node) && node.name === 'a' && node.attribs['href']?.startsWith('#') === true && isSign(node);
}

function isSign({ children }: Element): boolean {
  return !/[\p{L}\p{N}]/u.test(textBeginning(children, signLengthMax));
}

const signLengthMax = 3;
