/** Recognizes what a shop says in form controls: the options of a product. */
import type { ChildNode, Element } from 'domhandler';
import { findOne } from 'domutils';

/** True for the label of a radio button, such as a size. */
export function isChoice(label: Element): boolean {
  return controlOf(label)?.attribs['type'] === 'radio';
}

/** Returns the control that a label is about: in it, beside it, or in the box beside it. */
export function controlOf(label: Element): Element | undefined {
  const id = label.attribs['for'];
  const isIts = ({ name, attribs }: Element): boolean =>
    controls.has(name) && attribs['type'] !== 'hidden' && (id === undefined || attribs['id'] === id);
  const within = findOne(({ name }) => controls.has(name), label.children);
  return within ?? findOne(isIts, siblings(label)) ?? undefined;
}

const controls: ReadonlySet<string> = new Set(['input', 'select', 'textarea']);

function siblings({ prev, next }: Element): ChildNode[] {
  return [next, next?.next, prev, prev?.prev].filter((node) => node !== null && node !== undefined);
}
