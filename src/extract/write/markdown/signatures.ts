/** Signatures in API references are code, but Sphinx, javadoc and rustdoc build them from emphasis and links. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { blockElements, textlessElements } from '../../html/element-kinds.ts';
import { attributeOf } from '../../html/nodes.ts';

export function isSignature(element: Element): boolean {
  const classes = attributeOf(element, 'class');
  // Hardly any element is one, and two string searches are cheaper than the pattern.
  if (classes === undefined || !(classes.includes('sig') || classes.includes('code-header'))) return false;
  return signature.test(classes);
}

const signature = /(?:^|\s)(?:sig|sig-object|member-signature|type-signature|code-header)(?:\s|$)/;

/** Returns the signature on one line. */
export function signatureCode(element: Element, skipped: ReadonlySet<ChildNode>): string {
  const parts: string[] = [];
  addText(element.children, parts, skipped);
  return parts.join('').replace(/\s+/g, ' ').trim();
}

function addText(nodes: readonly ChildNode[], parts: string[], skipped: ReadonlySet<ChildNode>): void {
  for (const node of nodes) {
    if (isText(node)) parts.push(node.data);
    else if (isTag(node)) {
      if (skipped.has(node) || textlessElements.has(node.name) || isAnchor(node)) continue;
      const isLine = node.name === 'br' || blockElements.has(node.name);
      if (isLine) parts.push(' ');
      addText(node.children, parts, skipped);
      if (isLine) parts.push(' ');
    }
  }
}

/** Links to the signature itself or to its source. */
function isAnchor(element: Element): boolean {
  return /(?:^|\s)(?:headerlink|viewcode-(?:link|back)|sig-source)(?:\s|$)/.test(attributeOf(element, 'class') ?? '');
}
