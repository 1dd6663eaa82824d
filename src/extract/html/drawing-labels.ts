/** Drawings that stand for a word: `<td><svg role="img" aria-label="yes">`. */
import type { Element } from 'domhandler';
import { isTag, Text } from 'domhandler';
import { attributeOf } from './nodes.ts';

/** True for a drawing that is a value of a table or of a list of terms. Elsewhere, a label names a button or a picture. */
export function isLabelled(drawing: Element): boolean {
  const { parent } = drawing;
  if (parent === null || !isTag(parent) || !values.has(parent.name)) return false;
  return attributeOf(drawing, 'role') === 'img' && labelOf(drawing.attribs) !== '';
}

/** Puts the label in place of the drawing. */
export function showLabel(drawing: Element): void {
  const { parent } = drawing;
  if (parent === null) return;
  const text = new Text(labelOf(drawing.attribs));
  text.parent = parent;
  text.prev = drawing.prev;
  text.next = drawing.next;
  if (text.prev !== null) text.prev.next = text;
  if (text.next !== null) text.next.prev = text;
  parent.children[parent.children.indexOf(drawing)] = text;
}

function labelOf(attribs: Element['attribs']): string {
  return attribs['aria-label']?.trim() ?? '';
}

const values: ReadonlySet<string> = new Set(['td', 'th', 'dd']);
