/** Recognizes what a shop says in form controls: the options of a product. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { findAll, findOne } from 'domutils';
import type { PageKind } from '../measure/page-kind.ts';

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

/**
 * True for a form that puts a product into the cart: it only asks which one and how many. A table of all variants asks
 * for several numbers. On a page that is not known to be that of a product, its names must say so.
 */
export function isOrderForm({ attribs, children }: Element, kind: PageKind): boolean {
  const names = `${attribs['action'] ?? ''} ${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  if (kind !== 'product' && !cartNames.test(names)) return false;
  const asked = findAll(({ name }) => controls.has(name), children);
  const isOrder = ({ name, attribs: { type = 'text', name: of = '', class: like = '' } }: Element): boolean =>
    name === 'select' || (name === 'input' && (orderTypes.has(type) || quantityNames.test(`${of} ${like}`)));
  if (!asked.every(isOrder) || asked.filter(({ attribs }) => attribs['type'] === 'number').length > 1) return false;
  return asked.some(({ attribs }) => attribs['type'] !== 'hidden' && attribs['type'] !== 'submit');
}

const cartNames = /cart|basket|checkout|warenkorb|panier|carrito|koszyk/i;
const orderTypes: ReadonlySet<string> = new Set('radio checkbox number hidden submit button image'.split(' '));
const quantityNames = /qty|quant|menge|cantidad|aantal|ilosc|kolic/i;

/** True for the name of a colour that only programs for the blind read: readers see a patch. */
export function isNameOfChoice({ parent }: Element): boolean {
  if (parent === null || !isTag(parent)) return false;
  return parent.name === 'label' ? isChoice(parent) : parent.name === 'span' && isNameOfChoice(parent);
}
