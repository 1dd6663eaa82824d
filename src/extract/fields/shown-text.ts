/** The text of nodes on one line, as a reader sees it. */
import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { blockElements, textlessElements } from '../html/element-kinds.ts';

/** Marks where digits of two elements meet, as in `19<sup>99</sup>`. */
export const seam = '\u2063';

const lengthMax = 100_000;

/** What replaced something, or is not to be seen. */
function isOld({ name, attribs }: Element): boolean {
  if (name === 'del' || name === 's' || name === 'strike' || attribs['hidden'] !== undefined) return true;
  return /(?:^|;)\s*display\s*:\s*none/i.test(attribs['style'] ?? '');
}

/** `isNumber`: marks seams, and leaves out what is {@link isOld}, such as the price of before. */
export function shownText(nodes: readonly ChildNode[], isNumber = false): string {
  const parts: string[] = [];
  let length = 0;
  let last = '';
  const visit = (children: readonly ChildNode[]): void => {
    for (const node of children) {
      if (length > lengthMax) return;
      if (isText(node)) {
        if (node.data === '') continue;
        if (isNumber && /\d$/.test(last) && /^\d/.test(node.data)) parts.push(seam);
        last = node.data.slice(0, lengthMax);
        parts.push(last);
        length += last.length;
      } else if (!isTag(node) || textlessElements.has(node.name)) continue;
      else if (isNumber && children !== nodes && isOld(node)) continue;
      else if (node.name === 'br' || blockElements.has(node.name)) {
        [last] = [' '];
        parts.push(' ');
        visit(node.children);
        parts.push(' ');
        [last] = [' '];
      } else visit(node.children);
    }
  };
  visit(nodes);
  return oneLine(parts.join(''));
}

/** Without soft hyphens and zero-width spaces; all white space is one space. */
export function oneLine(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
}
