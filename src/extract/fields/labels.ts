/**
 * Finds the values beside labels: `Publisher: Hay Press`, a row of a table, a term and its description. A label with an
 * empty value has none: what comes next is never the next label.
 */
import { type ChildNode, type Element, isTag, isText, Text } from 'domhandler';
import { existsOne, findOne, nextElementSibling, prevElementSibling } from 'domutils';
import { headingElements, textlessElements } from '../html/element-kinds.ts';
import { step } from '../html/select-elements.ts';
import type { Place } from './place.ts';
import { oneLine, shownText } from './shown-text.ts';

/** A place without nodes: the label is there, and its value is empty. */
export type LabelIndex = ReadonlyMap<string, readonly Place[]>;

const labelLengthMax = 200;
/** Elements around a label without other text. */
const climbsMax = 4;
const siblingsMax = 50;

/** A label in the form in which labels are compared. */
export function labelOf(text: string): string {
  return oneLine(text)
    .toLowerCase()
    .replace(/[\s*:：]+$/, '');
}

/** Returns the values beside the labels that are wanted, in document order. */
export function labelIndex(nodes: readonly ChildNode[], wanted: ReadonlySet<string>): LabelIndex {
  const index = new Map<string, Place[]>();
  const beginnings = new Set(Array.from(wanted, (label) => label.charAt(0)));
  const visit = (children: readonly ChildNode[]): void => {
    step(children.length);
    for (const node of children) {
      if (isTag(node)) {
        if (!textlessElements.has(node.name) && !isInterface(node)) visit(node.children);
        continue;
      }
      if (!isText(node)) continue;
      const first = /\S/.exec(node.data)?.[0].toLowerCase() ?? '';
      if (!beginnings.has(first)) continue;
      for (const { label, rest } of readings(node.data)) {
        if (!wanted.has(label)) continue;
        const place = beside(node, label, rest);
        const known = index.get(label);
        if (place && known) known.push(place);
        else if (place) index.set(label, [place]);
        break;
      }
    }
  };
  visit(nodes);
  return index;
}

/** The whole text as a label, and the parts before a colon or a dash. */
function* readings(text: string): Generator<{ readonly label: string; readonly rest: string }> {
  const beginning = text.slice(0, labelLengthMax * 2);
  yield { label: labelOf(beginning), rest: '' };
  for (const { 0: separator, index } of beginning.matchAll(/[:：]|\s[-–—]\s/g))
    yield { label: labelOf(beginning.slice(0, index)), rest: text.slice(index + separator.length) };
}

/** Forms, filters and navigation have labels of their own. A form around a whole page is none. */
function isInterface({ name, attribs, children }: Element): boolean {
  if (/^(?:nav|button|option|menu)$/.test(name)) return true;
  if (name === 'form') return !existsOne(({ name: inner }) => /^(?:h1|dl|table)$/.test(inner), children);
  const said = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''} ${attribs['role'] ?? ''}`;
  return (
    said.length > 2 && /(?<![a-z])(?:filters?|facets?|refine|nav|navigation|breadcrumbs?|menu)(?![a-z])/i.test(said)
  );
}

const empty: Place = { nodes: [] };
const isControl = ({ name }: Element): boolean => /^(?:input|select|textarea|button)$/.test(name);

/** The value of a label, {@link empty} if it has an empty one, or undefined if this is no label of a value. */
function beside(text: ChildNode, label: string, rest: string): Place | undefined {
  const more = firstOnLine(rest);
  const hasColon = more !== '' || (isText(text) && /[:：]\s*$/.test(text.data));
  let node = text;
  for (let climbs = 0; climbs <= climbsMax; climbs++) {
    if (isTag(node) && /^(?:t[dh]|dt)$/.test(node.name)) {
      const holder = node.name === 'dt' ? descriptionOf(node) : cellBeside(node);
      return holder && valueOf(holder);
    }
    const nodes = line(node, more, hasColon);
    if (!nodes || nodes.length > 0) return nodes && valueOf(nodes);
    const { parent } = node;
    if (parent === null || !isTag(parent) || /^(?:[uod]l|table|section|article|main|body)$/.test(parent.name)) break;
    if (existsOne(isControl, parent.children)) return undefined;
    if (labelOf(shownText(parent.children)) !== label) break;
    node = parent;
  }
  return hasColon ? empty : undefined;
}

/** Undefined if a control stands there. */
function valueOf(nodes: ChildNode[]): Place | undefined {
  if (existsOne(isControl, nodes)) return undefined;
  const text = shownText(nodes);
  if (text === '' && !existsOne(({ name }) => name === 'img', nodes)) return empty;
  return /^[:：]/.test(text) ? { nodes: [new Text(text.slice(1))] } : { nodes };
}

/** Up to the next label on the line, as in `60,000 | Location: Graz`. */
function firstOnLine(rest: string): string {
  return oneLine(rest.replace(/\s[|·•]\s[^:：|]{1,60}[:：](?:\s.*)?$/s, ''));
}

/**
 * What follows a label up to the end of the line, or to the next label; nothing if it is alone, and an empty text if its
 * value is empty. Undefined if a control follows.
 */
function line(label: ChildNode, beginning: string, hasColon: boolean): ChildNode[] | undefined {
  const nodes: ChildNode[] = beginning === '' ? [] : [new Text(beginning)];
  const none = [new Text('')];
  let [breaks, isMarked] = [0, hasColon];
  let { next } = label;
  for (let count = 0; next !== null && count < siblingsMax; { next } = next, count++) {
    step();
    const isFirst = nodes.length === 0;
    if (isText(next)) {
      const separator = isFirst ? (/^\s*(?:[:：]|[-–—](?=\s))\s*/.exec(next.data)?.[0] ?? '') : '';
      if (separator !== '') isMarked = true;
      const text = next.data.slice(separator.length);
      if (text.trim() === '') continue;
      if (isFirst && breaks > 0 && isMarked && beginsWithLabel(text)) return none;
      nodes.push(separator === '' ? next : new Text(text));
    } else if (isTag(next)) {
      if (next.name === 'br') {
        if (!isFirst) break;
        if (++breaks > 1) return none;
        continue;
      }
      if (isFirst && isControl(next)) return undefined;
      const isAlike = isTag(label) && next.name === label.name;
      if (!isFirst && (isAlike || isBlock(next))) break;
      const isIcon = shownText([next]) === '' && (/^(?:i|svg|use)$/.test(next.name) || textlessElements.has(next.name));
      if (isIcon) continue;
      if (isFirst && isLabel(next, label, isMarked)) return none;
      nodes.push(next);
      if (isFirst && (isAlike || isBlock(next) || shownText([next]) === '')) break;
    }
  }
  return nodes.length === 0 && isTag(label) && isRow(label) ? none : nodes;
}

function isBlock({ name }: Element): boolean {
  return /^(?:div|p|li|ul|ol|dl|dd|dt|section|h[1-6]|table|article)$/.test(name);
}

const beginsWithLabel = (text: string): boolean => /^\s*[^:：]{1,60}[:：](?:\s|$)/.test(text);
const isNamedAlike = (one: Element, other: Element): boolean =>
  one.name === other.name && one.attribs['class'] === other.attribs['class'];

/** Whether what follows a label is another label, or a row with one. */
function isLabel(next: Element, label: ChildNode, isMarked: boolean): boolean {
  const text = shownText([next]);
  if (/^(?:dt|th|label|legend)$/.test(next.name) || headingElements.has(next.name) || /[:：]$/.test(text)) return true;
  if (!isTag(label) || next.name !== label.name) return false;
  if (/^(?:b|strong)$/.test(next.name) || (isMarked && beginsWithLabel(text)) || isRowLike(next, label)) return true;
  // Labels and values take turns: the class of a label is not that of a value.
  const siblings = label.parent?.children ?? [];
  return (
    isNamedAlike(next, label) &&
    siblings.some((one) => isTag(one) && one.name === label.name && !isNamedAlike(one, label))
  );
}

/** Whether an element begins like one that holds a label alone, and has more: a label and its value. */
function isRowLike(element: Element, alone: Element): boolean {
  if (!isNamedAlike(element, alone)) return false;
  const [first, own] = [element, alone].map(({ children }) => children.find((child) => isTag(child)));
  return (
    first !== undefined && own !== undefined && isNamedAlike(first, own) && shownText([first]) !== shownText([element])
  );
}

/** A row whose value is left out. */
function isRow(alone: Element): boolean {
  return [nextElementSibling(alone), prevElementSibling(alone)].some((one) => one !== null && isRowLike(one, alone));
}

/** The next cell of the row; below a header row, the cell of the same column. */
function cellBeside(element: Element): Element[] | undefined {
  const { parent } = element;
  if (parent === null || !isTag(parent)) return undefined;
  const row = cellsOf(parent);
  step(row.length);
  const at = row.indexOf(element);
  const isHeaderRow = element.name === 'th' && row.length > 1 && row.every(({ name }) => name === 'th');
  const next = row.slice(at + 1).find((cell) => !/^[:：]$/.test(shownText(cell.children)));
  const value = isHeaderRow ? cellsOf(rowAfter(parent))[at] : next;
  return value && (value.name === 'th' ? [] : [value]);
}

function cellsOf(row: Element | undefined): readonly Element[] {
  return row?.children.filter((cell): cell is Element => isTag(cell) && /^t[dh]$/.test(cell.name)) ?? [];
}

function rowAfter(row: Element): Element | undefined {
  for (const from of [row, row.parent])
    for (let next = from && nextElementSibling(from); next; next = nextElementSibling(next)) {
      const found = findOne(({ name }) => name === 'tr', [next]);
      if (found) return found;
    }
  return undefined;
}

function descriptionOf(term: Element): Element[] {
  const next = nextElementSibling(term);
  return next?.name === 'dd' ? [next] : [];
}
