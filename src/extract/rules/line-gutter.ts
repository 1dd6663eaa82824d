/** Finds the line numbers that stand in a `<pre>` of their own next to the `<pre>` with the code. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { nodeText } from '../html/node-text.ts';

/** Returns true if the text is two or more consecutive numbers, and code follows it directly or in the next cell. */
export function isLineGutter(pre: Element): boolean {
  const next = nextElement(pre) ?? nextElement(cellOf(pre));
  return next !== undefined && isCode(next) && areLineNumbers(nodeText([pre]));
}

/** Returns the cell around the `<pre>` if there is one within a few levels. */
function cellOf(pre: Element): Element {
  let outer = pre;
  for (let level = 0; level < levelsMax && outer.parent !== null && isTag(outer.parent); level++) {
    outer = outer.parent;
    if (outer.name === 'td') return outer;
  }
  return pre;
}

function areLineNumbers(text: string): boolean {
  const lines = text.trim().split(/\s+/);
  const first = Number(lines[0]);
  return lines.length > 1 && lines.every((line, at) => line === String(first + at));
}

/** True for a `<pre>`, and for an element that starts with one within a few levels. */
function isCode(element: Element): boolean {
  let inner: Element | undefined = element;
  for (let level = 0; inner !== undefined && level < levelsMax; level++) {
    if (inner.name === 'pre') return true;
    inner = inner.children.find((node) => isTag(node));
  }
  return false;
}

const levelsMax = 4;

function nextElement({ next }: Element): Element | undefined {
  let after = next;
  while (after !== null && !isTag(after)) after = after.next;
  return after ?? undefined;
}
