/** Returns the text of nodes as in the source, for code and preformatted text. */
import type { ChildNode } from 'domhandler';
import { isTag, isText } from 'domhandler';

export function nodeText(nodes: readonly ChildNode[]): string {
  const parts: string[] = [];
  addText(nodes, parts);
  return parts.join('');
}

function addText(nodes: readonly ChildNode[], parts: string[]): void {
  for (const node of nodes) {
    if (isText(node)) parts.push(node.data);
    else if (!isTag(node)) continue;
    else if (node.name === 'br') parts.push('\n');
    else addText(node.children, parts);
  }
}

/** Returns the beginning of the text, from at most 200 nodes: for checks that run in many places of a page. */
export function textBeginning(nodes: readonly ChildNode[], lengthMax: number): string {
  const sum = { text: '', elementsLeft: beginningElementsMax, lengthMax };
  addBeginning(nodes, sum);
  return sum.text;
}

const beginningElementsMax = 200;

function addBeginning(
  nodes: readonly ChildNode[],
  sum: { text: string; elementsLeft: number; readonly lengthMax: number },
): void {
  for (const node of nodes) {
    if (sum.elementsLeft <= 0 || sum.text.length >= sum.lengthMax) return;
    sum.elementsLeft--;
    if (isText(node)) sum.text += node.data.slice(0, sum.lengthMax);
    else if (isTag(node) && node.name === 'br') sum.text += '\n';
    else if (isTag(node)) addBeginning(node.children, sum);
  }
}
