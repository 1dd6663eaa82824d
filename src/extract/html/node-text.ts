/** Returns the text of nodes as in the source, for code and preformatted text. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { textlessElements } from './element-kinds.ts';
import { collapsedText } from './nodes.ts';
import { isLayoutCode } from './white-space.ts';

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

/** The text on one line: each run of white space is one space, and none stands at its ends. */
export function oneLine(text: string): string {
  return (hasUnevenSpace.test(text) ? text.replaceAll(/\s+/g, ' ') : text).trim();
}

const hasUnevenSpace = /[^\S ]| {2}/;

/**
 * Returns the beginning of the text, from at most 200 nodes: for checks that run in many places of a page. White space
 * counts once between two texts and not at all before the first, so the indentation of the source changes no check.
 */
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
    if (isText(node)) {
      const text = collapsedText(node);
      const from = text.startsWith(' ') && endsBlank(sum.text) ? 1 : 0;
      sum.text += text.slice(from, from + sum.lengthMax);
    } else if (isTag(node) && node.name === 'br') sum.text += '\n';
    else if (isTag(node)) addBeginning(node.children, sum);
  }
}

function endsBlank(text: string): boolean {
  return text === '' || isLayoutCode(text.charCodeAt(text.length - 1));
}

/** True if the beginning of its text, if it has one, is white space only. */
export function isBlank(node: ChildNode): boolean {
  return (isTag(node) && textlessElements.has(node.name)) || textBeginning([node], blankMax).trim() === '';
}

const blankMax = 200;

/** True if a full stop, or what ends a sentence otherwise, is the last of its text and in no link. */
export function endsSentence(element: Element): boolean {
  for (const child of element.children.toReversed()) {
    if (isText(child)) {
      const text = child.data.trimEnd();
      if (text !== '') return sentenceEnd.test(text);
    } else if (isTag(child) && !isBlank(child)) {
      return child.name !== 'a' && endsSentence(child);
    }
  }
  return false;
}

const sentenceEnd = /[.!?。！？۔।؟]$/;
