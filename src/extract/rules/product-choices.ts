/** Recognizes what a shop says in form controls: the options of a product. */
import type { ChildNode, Element, ParentNode } from 'domhandler';
import { isTag } from 'domhandler';
import { existsOne, findAll, findOne } from 'domutils';
import { nodeText, oneLine } from '../html/node-text.ts';
import { newText, renameElement } from '../html/nodes.ts';
import type { PageKind } from '../measure/page-kind.ts';

/** True for the label of a radio button, such as a size, and for that of anything but a number in the form of an order. */
export function isChoice(label: Element, isInOrder: boolean): boolean {
  const control = controlOf(label);
  if (control?.attribs['type'] === 'radio') return true;
  if (!isInOrder || control?.name === 'input' || quantityNames.test(label.attribs['for'] ?? '')) return false;
  if (control?.name === 'select' && choicesOf(control).length === 0) return false;
  let form: ParentNode | null = label.parent;
  while (form !== null && isTag(form) && form.name !== 'form') form = form.parent;
  return form !== null && isTag(form) && saysCart(form);
}

/** Writes the choices of a form of an order where a reader sees them: `Small, Large` in place of the control. */
export function writeChoices(form: Element): void {
  if (!saysCart(form)) return;
  const labels = new Set(findAll(({ name }) => name === 'label', form.children).map(textOf));
  for (const select of findAll(({ name }) => name === 'select', form.children)) {
    const choices = choicesOf(select);
    // Nothing to choose from, or buttons say it already.
    if (choices.every((choice) => labels.has(choice))) continue;
    const text = newText(` ${choices.join(', ')} `);
    text.parent = select;
    renameElement(select, 'span');
    select.children = [text];
  }
}

/**
 * Empty for a number of pieces, for what is not about the product, such as a currency, and for a list too long to be one
 * of a product.
 */
function choicesOf(select: Element): readonly string[] {
  const { attribs, children } = select;
  const names = `${attribs['name'] ?? ''} ${attribs['id'] ?? ''} ${attribs['class'] ?? ''}`;
  if (quantityNames.test(names) || otherNames.test(names)) return [];
  const choices = findAll(({ name, attribs: { value } }) => name === 'option' && value !== '', children)
    .map(textOf)
    .filter((text, at) => text !== '' && (at > 0 || !invitation.test(text)));
  return choices.length > choicesMax ? [] : choices;
}

const choicesMax = 30;
const otherNames = /countr|currenc|langu|locale/i;
/** "-- Size --", "Size...". */
const invitation = /^[-–—](?!\d)|(?:\.{3}|…)$/;
function textOf({ children }: Element): string {
  return oneLine(nodeText(children));
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
export function isOrderForm(form: Element, kind: PageKind): boolean {
  if (kind !== 'product' && !cartNames.test(namesOf(form))) return false;
  const asked = findAll(({ name }) => controls.has(name), form.children);
  const isOrder = ({ name, attribs: { type = 'text', name: of = '', class: like = '' } }: Element): boolean =>
    name === 'select' || (name === 'input' && (orderTypes.has(type) || quantityNames.test(`${of} ${like}`)));
  if (!asked.every(isOrder) || asked.filter(({ attribs }) => attribs['type'] === 'number').length > 1) return false;
  return asked.some(({ attribs }) => attribs['type'] !== 'hidden' && attribs['type'] !== 'submit');
}

/** Its names or the words on its button say so. */
function saysCart(form: Element): boolean {
  if (cartNames.test(namesOf(form))) return true;
  return existsOne(
    ({ name, attribs, children }) =>
      (name === 'button' || attribs['type'] === 'submit') && cartNames.test(attribs['value'] ?? nodeText(children)),
    form.children,
  );
}

function namesOf({ attribs }: Element): string {
  return `${attribs['action'] ?? ''} ${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
}

const cartNames = /cart|basket|checkout|warenkorb|panier|carrito|koszyk/i;
const orderTypes: ReadonlySet<string> = new Set('radio checkbox number hidden submit button image'.split(' '));
const quantityNames = /qty|quant|menge|cantidad|aantal|ilosc|kolic/i;
