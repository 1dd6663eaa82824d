/** What a page says to readers that run no scripts. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from './element-kinds.ts';
import { visibleLength } from './visible-length.ts';

/** A page that is built by scripts alone may hold its text once more, for readers that run none. */
export function findNoscriptContent(
  body: readonly ChildNode[],
  excluded: ReadonlySet<ChildNode>,
): readonly ChildNode[] | undefined {
  const noscript = largestNoscript(body, excluded);
  if (noscript === undefined) return undefined;
  const length = textLength(noscript.children);
  return length >= noscriptLengthMin && length > textLength(body) ? noscript.children : undefined;
}

const noscriptLengthMin = 200;

function largestNoscript(nodes: readonly ChildNode[], excluded: ReadonlySet<ChildNode>): Element | undefined {
  let best: Element | undefined;
  for (const node of nodes) {
    if (!isTag(node) || excluded.has(node)) continue;
    const found = node.name === 'noscript' ? node : largestNoscript(node.children, excluded);
    if (found !== undefined && found.children.length > (best?.children.length ?? 0)) best = found;
  }
  return best;
}

function textLength(nodes: readonly ChildNode[]): number {
  let length = 0;
  for (const node of nodes) {
    if (isText(node)) length += visibleLength(node.data);
    else if (isTag(node) && !textlessElements.has(node.name)) length += textLength(node.children);
  }
  return length;
}
