/** Breaks lines where a style of the page says that those of the source are shown: `white-space: pre-line`. */
import type { ChildNode, Document, ParentNode, Text } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { noAttributes } from './attributes.ts';
import { newElement, newText } from './nodes.ts';

/** Returns false for most pages, without a walk. Style sheets say so of code: only attributes count. */
export function mayHoldStyleLines(html: string): boolean {
  if (!mayShow.test(html)) return false;
  for (const { index } of html.matchAll(everyShown))
    if (inAttribute.test(html.slice(Math.max(0, index - attributeLengthMax), index))) return true;
  return false;
}

const inAttribute = /(?:style|class)\s?=\s?["'][^"'<>]*$/;
const attributeLengthMax = 300;

/** Changes the texts of the page. Code has its lines without a style. */
export function breakStyleLines(document: Document): void {
  visit(document, false);
}

function visit(parent: ParentNode, isShown: boolean): void {
  for (const node of parent.children) {
    if (isTag(node) && node.name !== 'pre' && node.name !== 'code' && node.name !== 'textarea')
      visit(node, isShown || shown.test(`${node.attribs['style'] ?? ''} ${node.attribs['class'] ?? ''}`));
    else if (isShown && isText(node) && node.data.trim().includes('\n')) replace(parent, node);
  }
}

function replace(parent: ParentNode, text: Text): void {
  const nodes = text.data.split(/\r?\n/).flatMap((line, at): ChildNode[] => {
    const node = newText(line);
    return at === 0 ? [node] : [newElement('br', noAttributes), node];
  });
  for (const node of nodes) node.parent = parent;
  const at = parent.children.indexOf(text);
  parent.children = [...parent.children.slice(0, at), ...nodes, ...parent.children.slice(at + 1)];
  parent.children.forEach((node, position, all) => {
    node.prev = all[position - 1] ?? null;
    node.next = all[position + 1] ?? null;
  });
}

/** Of a style attribute, or a class of Tailwind. */
const shown = /white-?space(?:\s*:\s*|-)(?:pre-line|pre-wrap|break-spaces)/;
/** Searching for one and then for the other takes twice as long. */
const mayShow = /white-space|whitespace-pre/;
const everyShown = new RegExp(shown, 'g');
