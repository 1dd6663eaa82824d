/** Returns the text of a `<pre>` with its white space, without line numbers and copy buttons. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { attributeOf } from '../html/nodes.ts';
import { blockElements, textlessElements } from '../html/element-kinds.ts';

export function preformattedText(pre: Element, skipped: ReadonlySet<ChildNode>): string {
  const parts: string[] = [];
  addLines(pre.children, parts, skipped);
  const text = parts.join('').replace(/\r\n?/g, '\n');
  // A line end right after <pre> is markup, as are line ends at the end.
  const first = pre.children[0];
  const from = first !== undefined && isText(first) && text.startsWith('\n') ? 1 : 0;
  let end = text.length;
  while (end > from && text.charCodeAt(end - 1) === 0x0a) end--;
  return text.slice(from, end);
}

const lineNumbers =
  /(?:^|\s)(?:linenos?|line-?numbers?(?:-rows)?|lineno|gutter|gl|hljs-ln-numbers|rouge-gutter|blob-num|linenodiv|linenumbers?|crayon-nums)(?:\s|$)/;

function addLines(nodes: readonly ChildNode[], parts: string[], skipped: ReadonlySet<ChildNode>): void {
  const areLines = areDrawnLines(nodes);
  for (const node of nodes) {
    if (isText(node)) {
      if (node.data !== '') parts.push(node.data);
    } else if (isTag(node)) {
      if (node.name === 'br') parts.push('\n');
      else if (!skipped.has(node) && !isFurniture(node)) {
        const hasLine = areLines || blockElements.has(node.name);
        if (hasLine) endLine(parts);
        const before = parts.length;
        addLines(node.children, parts, skipped);
        if (areLines && parts.length === before) parts.push('\n');
        else if (hasLine) endLine(parts);
      }
    }
  }
}

/** Highlighters that wrap each line in an element can leave line ends to the style sheet. */
export function areDrawnLines(nodes: readonly ChildNode[]): boolean {
  return nodes.length > 1 && nodes.every((node) => isTag(node) && isDrawnLine(node));
}

const drawnLine = /(?:^|[\s_-])line(?:$|\s)/;

function isDrawnLine({ attribs }: Element): boolean {
  return drawnLine.test(attribs['class'] ?? '') || /display\s*:\s*(?:block|flex|grid)/i.test(attribs['style'] ?? '');
}

function endLine(parts: string[]): void {
  const last = parts.at(-1);
  if (last !== undefined && !last.endsWith('\n')) parts.push('\n');
}

function isFurniture(element: Element): boolean {
  if (element.name === 'button' || textlessElements.has(element.name)) return true;
  return isLineNumbers(element);
}

export function isLineNumbers(element: Element): boolean {
  const classes = attributeOf(element, 'class');
  return classes !== undefined && lineNumbers.test(classes);
}
