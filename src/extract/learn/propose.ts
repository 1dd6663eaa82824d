/** Proposes places where the value of a field could stand, from a page whose value is known. */
import { type ChildNode, type Document, type Element, isTag, isText } from 'domhandler';
import type { Field, Locator } from '../../core/extract.ts';
import { textlessElements } from '../html/element-kinds.ts';
import { labelIndex, labelOf } from '../fields/labels.ts';
import type { Json } from '../fields/read-record.ts';
import { shownText } from '../fields/shown-text.ts';
import { type PageFormat, typedValue } from '../fields/typed-value.ts';
import { lettersOf, sameValue } from './same-value.ts';
import { stableClasses, stableId } from './stable-names.ts';

/** Kinds of locators, the most lasting first. */
export const kinds = ['attribute', 'id', 'class', 'label', 'name', 'path', 'position'] as const;
type Kind = (typeof kinds)[number];

export function kindOf({ css = '', label }: Locator): Kind {
  if (label !== undefined) return 'label';
  if (css.includes('-of-type')) return 'position';
  if (css.includes(' ')) return 'path';
  if (css.includes('[')) return 'attribute';
  if (css.startsWith('#')) return 'id';
  return css.includes('.') ? 'class' : 'name';
}

export interface ProposalPage {
  readonly document: Document;
  /** Both readings of numbers and dates. */
  readonly formats: readonly PageFormat[];
}

const textLengthMax = 2_000;
const labelLengthMax = 60;
const labelsMax = 400;
/** Elements with the same value on one page. */
const matchesMax = 12;
const ancestorsMax = 4;
const optionLengthMax = 40;

/** A part of a page that shows something. */
interface Shown {
  readonly element: Element;
  readonly text: string;
}

/** Proposes for each field that has a value, and for those whose texts mean something else, such as true. */
export function propose(
  page: ProposalPage,
  fields: readonly Field[],
  values: Readonly<Record<string, Json>>,
): ReadonlyMap<string, readonly Locator[]> {
  const shown = shownElements(page.document);
  const labels = labelsOf(page.document, shown);
  return new Map(
    fields.map((field) => [field.name, proposalsFor(field, values[field.name] ?? null, { ...page, shown, labels })]),
  );
}

interface Surroundings extends ProposalPage {
  readonly shown: readonly Shown[];
  readonly labels: ReturnType<typeof labelIndex>;
}

function proposalsFor(field: Field, value: Json, page: Surroundings): readonly Locator[] {
  if (value === null) return [];
  const found = new Map<string, Locator>();
  const add = (locator: Locator): void => void found.set(JSON.stringify(locator), locator);
  if (meansSomethingElse(field)) proposeOptions(page, add);
  else if (field.isList && Array.isArray(value)) proposeList(field, value as readonly Json[], page, add);
  else proposeValue(field, value, page, add);
  return [...found.values()];
}

/** A text that stands for the value, such as `In stock` for true. */
export function meansSomethingElse({ type, allowed }: Field): boolean {
  return type === 'boolean' || allowed !== undefined;
}

function proposeOptions({ shown, labels }: Surroundings, add: (locator: Locator) => void): void {
  for (const { element, text } of shown) {
    if (text.length > optionLengthMax || element.children.some((child) => isTag(child) && child.children.length > 0))
      continue;
    for (const locator of locatorsOf(element)) if (kindOf(locator) !== 'position') add(locator);
  }
  for (const [label, [place]] of labels)
    if (place && (place.text ?? shownText(place.nodes)).length <= optionLengthMax) add({ label });
}

function proposeList(field: Field, values: readonly Json[], page: Surroundings, add: (locator: Locator) => void): void {
  for (const value of values.slice(0, 5))
    proposeValue({ ...field, isList: false }, value, page, (locator) => {
      const kind = kindOf(locator);
      if (kind !== 'position' && kind !== 'label') add({ ...locator, list: true });
    });
}

function proposeValue(field: Field, value: Json, page: Surroundings, add: (locator: Locator) => void): void {
  const { formats, labels } = page;
  const isThere = (place: { readonly nodes: readonly ChildNode[]; readonly text?: string }): boolean =>
    formats.some((format) => {
      const read = typedValue(place, field, {}, format);
      return read.kind === 'value' && sameValue(read.value as Json, value, field.type);
    });
  for (const [label, [place]] of labels) if (place && isThere(place)) add({ label });
  const plain = typeof value === 'string' && field.type === 'text' ? value : undefined;
  const letters = lettersOf(plain ?? '');
  let matches = 0;
  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node) || matches >= matchesMax) continue;
      if (node.name === 'meta' || node.name === 'link') {
        if (isThere({ nodes: [node] })) for (const one of locatorsOf(node)) add(one);
        continue;
      }
      for (const attribute of valueAttributes)
        if (node.attribs[attribute] !== undefined && isThere({ nodes: [node], text: node.attribs[attribute] }))
          for (const locator of locatorsOf(node)) add({ ...locator, attribute });
      visit(node.children);
    }
  };
  visit(page.document.children);
  for (const { element, text } of page.shown) {
    if (matches >= matchesMax) break;
    if (plain !== undefined) {
      if (text.length > plain.length * 3 + 200) continue;
      const own = lettersOf(text);
      if (own === letters) {
        matches++;
        for (const one of locatorsOf(element)) add(one);
      } else if (letters.length > 2 && own.includes(letters) && !hasInside(element, letters)) {
        const between = betweenOf(text, plain);
        if (between === undefined) continue;
        matches++;
        for (const locator of locatorsOf(element)) add({ ...locator, between });
      }
    } else if (
      (text.length <= 120 || field.type === 'markdown' || field.type === 'html') &&
      isThere({ nodes: [element] })
    ) {
      matches++;
      for (const one of locatorsOf(element)) add(one);
    }
  }
}

const valueAttributes = ['content', 'datetime', 'title', 'alt', 'value', 'data-value', 'data-price', 'data-id'];

function hasInside(element: Element, letters: string): boolean {
  return element.children.some((child) => isTag(child) && lettersOf(shownText([child])).includes(letters));
}

/** The words before and the mark after a value in a longer text. */
function betweenOf(text: string, value: string): [string, string] | undefined {
  const at = text.indexOf(value);
  if (at === -1) return undefined;
  const before = /(?:\S+\s*){0,2}$/.exec(text.slice(Math.max(0, at - 40), at))?.[0] ?? '';
  const after = /^\s*(?:\S|$)/.exec(text.slice(at + value.length))?.[0] ?? '';
  const isWord = /[\p{L}\p{N}]$/u.test(after);
  return [before, isWord ? ' ' : after];
}

/** Elements with text, in document order; the outermost of those with the same text comes first. */
function shownElements(document: Document): readonly Shown[] {
  const all: Shown[] = [];
  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node) || textlessElements.has(node.name)) continue;
      const text = shownText(node.children);
      if (text !== '' && text.length <= textLengthMax) all.push({ element: node, text });
      if (text !== '' || node.children.length > 0) visit(node.children);
    }
  };
  visit(document.children);
  return all;
}

/** Texts that could be labels, and the values beside them. */
function labelsOf(document: Document, shown: readonly Shown[]): ReturnType<typeof labelIndex> {
  const wanted = new Set<string>();
  const add = (text: string): void => {
    const label = labelOf(text);
    if (label.length > 1 && label.length <= labelLengthMax && /\p{L}/u.test(label) && wanted.size < labelsMax)
      wanted.add(label);
  };
  for (const { element, text } of shown) {
    if (/^(?:th|dt|td|b|strong|label|span|em|i|div|p|li|h[2-6])$/.test(element.name) && text.length <= labelLengthMax) {
      const colon = text.search(/[:：]/);
      if (colon > 0) add(text.slice(0, colon));
      else if (element.next !== null || /^(?:th|dt|td|label)$/.test(element.name)) add(text);
    }
    for (const child of element.children) {
      if (!isText(child)) continue;
      const colon = child.data.search(/[:：]/);
      if (colon > 0 && colon <= labelLengthMax) add(child.data.slice(0, colon));
    }
  }
  return labelIndex(document.children, wanted);
}

/** Selectors of an element, and of it inside those around it. */
function locatorsOf(element: Element): readonly Locator[] {
  const own = ownSelectors(element);
  const found = [...own];
  const short = own.find((css) => ['class', 'attribute'].includes(kindOf({ css }))) ?? element.name;
  let steps = positionIn(element);
  let ancestor = element.parent;
  for (let depth = 0; depth < ancestorsMax && ancestor !== null && isTag(ancestor); depth++) {
    const around = ownSelectors(ancestor).find((css) => kindOf({ css }) !== 'name');
    if (around) {
      found.push(`${around} ${short}`);
      if (short !== element.name) found.push(`${around} ${element.name}`);
      if (depth === 0) found.push(`${around} > ${short}`);
      found.push(`${around} > ${steps}`);
      // The last part of a path or a breadcrumb, however long it is.
      if (depth === 0 && isLastOfSeveral(element)) found.push(`${around} > ${element.name}:last-of-type`);
    }
    steps = `${positionIn(ancestor)} > ${steps}`;
    ancestor = ancestor.parent;
  }
  if (ancestor === null || !isTag(ancestor)) found.push(steps);
  return found.map((css) => ({ css }));
}

const namedAttributes = ['itemprop', 'property', 'name', 'data-testid', 'data-test', 'data-qa', 'rel', 'data-field'];
const tellingNames = new Set('h1 h2 h3 time address blockquote cite figcaption summary main article'.split(' '));

function ownSelectors(element: Element): readonly string[] {
  const { name, attribs } = element;
  const attributes = namedAttributes.flatMap((attribute) => {
    const value = attribs[attribute];
    return value !== undefined && /^[\w:.-]{1,60}$/.test(value) && !/\d{3}/.test(value)
      ? [`${name === 'meta' ? 'meta' : ''}[${attribute}="${value}"]`]
      : [];
  });
  const id = stableId(element);
  const classes = stableClasses(element);
  return [
    ...attributes,
    ...(id === undefined ? [] : [`#${id}`]),
    ...classes.map((one) => `.${one}`),
    ...classes.slice(0, 2).map((one) => `${name}.${one}`),
    ...(tellingNames.has(name) ? [name] : []),
  ];
}

function isLastOfSeveral({ name, prev, next }: Element): boolean {
  const isAlike = (start: ChildNode | null, step: 'prev' | 'next'): boolean => {
    for (let sibling = start; sibling !== null; sibling = sibling[step])
      if (isTag(sibling) && sibling.name === name) return true;
    return false;
  };
  return isAlike(prev, 'prev') && !isAlike(next, 'next');
}

function positionIn({ name, parent, prev }: Element): string {
  if (parent === null) return name;
  let at = 1;
  for (let sibling = prev; sibling !== null; sibling = sibling.prev) if (isTag(sibling) && sibling.name === name) at++;
  return `${name}:nth-of-type(${at})`;
}
