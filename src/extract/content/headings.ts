/** Lists the headings of a page's content. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { isCssGap } from '../text/css-gaps.ts';
import { headingElements, textlessElements } from '../html/element-kinds.ts';
import type { PageContent } from './page-content.ts';

const headingsMax = 100;
const headingLengthMax = 200;

/** Returns headings such as `## Sizes`, in document order. */
export function headingsOf({ nodes, skipped }: PageContent): string[] {
  const headings: string[] = [];
  collectHeadings(nodes, skipped, headings);
  return headings;
}

function collectHeadings(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>, headings: string[]): void {
  for (const node of nodes) {
    if (headings.length >= headingsMax) return;
    if (!isTag(node) || node.children.length === 0 || textlessElements.has(node.name) || skipped.has(node)) continue;
    if (headingElements.has(node.name)) {
      const text = headingText(node, skipped);
      if (text !== '') headings.push(`${'#'.repeat(Number(node.name[1]))} ${text}`);
    } else collectHeadings(node.children, skipped, headings);
  }
}

function headingText(heading: Element, skipped: ReadonlySet<ChildNode>): string {
  const parts: string[] = [];
  collectText(heading.children, skipped, parts);
  const text = parts
    .join('')
    .slice(0, headingLengthMax * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return text.slice(0, headingLengthMax).toWellFormed().trim();
}

function collectText(nodes: readonly ChildNode[], skipped: ReadonlySet<ChildNode>, parts: string[]): void {
  let before: ChildNode | undefined;
  for (const node of nodes) {
    if (isCssGap(before, node)) parts.push(' ');
    before = node;
    if (isText(node)) parts.push(node.data.slice(0, headingLengthMax * 2));
    else if (!isTag(node) || textlessElements.has(node.name) || skipped.has(node)) continue;
    else if (node.name === 'br') parts.push(' ');
    else {
      const start = parts.length;
      collectText(node.children, skipped, parts);
      if (isPermalink(node, parts.slice(start).join(''))) parts.length = start;
    }
  }
}

/** Returns true for a heading's link to itself: a sign, not a word. */
function isPermalink({ name, attribs }: Element, text: string): boolean {
  return (
    name === 'a' && attribs['href']?.includes('#') === true && !/[\p{L}\p{N}]/u.test(text.slice(0, headingLengthMax))
  );
}
