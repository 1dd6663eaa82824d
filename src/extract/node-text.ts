/** Text of a node as the source has it, for what must not be tidied: code and preformatted text. */
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
