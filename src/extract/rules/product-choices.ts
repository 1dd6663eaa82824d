/** Recognizes what a shop says in form controls and messages: prices and the options of a product. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { findOne } from 'domutils';

/** Of a class or id. */
export const priceNames = /(?:^|[\s_-])prices?(?:$|[\s_-])/i;

/** True for the label of a radio button, such as a size. */
export function isChoice(label: Element): boolean {
  const id = label.attribs['for'];
  const near = [label.prev, label.next, label.prev?.prev, label.next?.next].find(
    (node) => node && isTag(node) && node.name === 'input' && (id === undefined || node.attribs['id'] === id),
  );
  const input = findOne(({ name }) => name === 'input', label.children) ?? near;
  return input !== undefined && input !== null && isTag(input) && input.attribs['type'] === 'radio';
}
