/** Recognizes what a shop says in form controls: the options of a product. */
import type { ChildNode, Element, ParentNode } from 'domhandler';
import { isTag } from 'domhandler';
import { existsOne, findAll, findOne } from 'domutils';
import { fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import { nodeText, oneLine } from '../html/node-text.ts';
import { isHidden, isHiddenByName } from './hidden-elements.ts';
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
 * Empty for a number of pieces, for what is not about the product, such as a currency, for a list too long to be one of
 * a product, and for a control that scripts use alone.
 */
function choicesOf(select: Element): readonly string[] {
  const { attribs, children } = select;
  const names = `${attribs['name'] ?? ''} ${attribs['id'] ?? ''} ${attribs['class'] ?? ''}`;
  if (quantityNames.test(names) || otherNames.test(names) || isUnseen(select)) return [];
  const choices = findAll(({ name, attribs: { value } }) => name === 'option' && value !== '', children)
    .map(textOf)
    .filter((text, at) => text !== '' && (at > 0 || !isInvitation(text)));
  return choices.length > choicesMax || areNumbersOfPieces(choices) ? [] : choices;
}

const choicesMax = 30;
const otherNames = /countr|currenc|langu|locale/i;
/** "Choose an option", "-- Size --", "Size..." */
function isInvitation(text: string): boolean {
  if (invitation.test(text)) return true;
  if (text.length > invitationMax) return false;
  const folded = fold(text);
  return choose.startIn(folded) > 0 || choose.endIn(folded) !== -1;
}

const invitation = /^[-–—](?!\d)|(?:\.{3}|…)$/;
const invitationMax = 100;
const choose = phrases('choose');

/** 1, 2, 3 or 5, 10, 15, and perhaps "20+". Sizes such as 38, 39, 40 begin elsewhere. */
function areNumbersOfPieces(choices: readonly string[]): boolean {
  if (!choices.every((text) => /^\p{Nd}+\+?$/u.test(text))) return false;
  const [first = Number.NaN, second = first * 2] = choices.map((text) => Number.parseInt(text, 10));
  return !(first > 0 && second !== first * 2);
}

function isUnseen(select: Element): boolean {
  for (let node: ParentNode | null = select; node !== null && isTag(node) && node.name !== 'form'; node = node.parent) {
    if (isHidden(node) || isHiddenByName(node)) return true;
  }
  return false;
}

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

/** True for the name of a colour that only programs for the blind read: readers see a patch. */
export function isNameOfChoice({ parent }: Element): boolean {
  if (parent === null || !isTag(parent)) return false;
  return parent.name === 'label' ? isChoice(parent, false) : parent.name === 'span' && isNameOfChoice(parent);
}
