/** Finds the values beside labels: `Publisher: Hay Press`, a row of a table, a term and its description. */
import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { textlessElements } from '../html/element-kinds.ts';
import { step } from '../html/select-elements.ts';
import type { Place } from './place.ts';
import { oneLine, shownText } from './shown-text.ts';

export type LabelIndex = ReadonlyMap<string, readonly Place[]>;

const labelLengthMax = 200;
/** Elements around a label without other text. */
const climbsMax = 4;
const siblingsMax = 50;

/** A label in the form in which labels are compared. */
export function labelOf(text: string): string {
  return oneLine(text)
    .toLowerCase()
    .replace(/\s*[:：]\s*$/, '')
    .trim();
}

/** Returns the values beside the labels that are wanted, in document order. */
export function labelIndex(nodes: readonly ChildNode[], wanted: ReadonlySet<string>): LabelIndex {
  const index = new Map<string, Place[]>();
  const beginnings = new Set(Array.from(wanted, (label) => label.charAt(0)));
  const add = (label: string, place: Place | undefined): void => {
    if (!place) return;
    const known = index.get(label);
    if (known) known.push(place);
    else index.set(label, [place]);
  };
  const visit = (children: readonly ChildNode[]): void => {
    step(children.length);
    for (const node of children) {
      if (isTag(node)) {
        if (!textlessElements.has(node.name)) visit(node.children);
        continue;
      }
      if (!isText(node)) continue;
      const first = /\S/.exec(node.data)?.[0].toLowerCase() ?? '';
      if (!beginnings.has(first)) continue;
      const text = node.data.slice(0, labelLengthMax * 2);
      const whole = labelOf(text);
      if (wanted.has(whole)) {
        add(whole, beside(node, whole));
        continue;
      }
      const colon = text.search(/[:：]/);
      if (colon === -1) continue;
      const label = labelOf(text.slice(0, colon));
      if (wanted.has(label)) add(label, after(node, oneLine(node.data.slice(colon + 1))));
    }
  };
  visit(nodes);
  return index;
}

/** The rest of a text that begins with its label, and what follows it on the line. */
function after(node: ChildNode, rest: string): Place {
  const more = line(node, rest === '');
  const text = oneLine(`${rest} ${shownText(more)}`);
  return { nodes: more, text };
}

function beside(text: ChildNode, label: string): Place | undefined {
  let node = text;
  for (let climbs = 0; climbs <= climbsMax; climbs++) {
    const place = isTag(node) ? (cellBeside(node) ?? descriptionOf(node)) : undefined;
    if (place) return place;
    const isCell = isTag(node) && /^(?:t[dh]|dt)$/.test(node.name);
    const nodes = isCell ? [] : line(node);
    if (shownText(nodes) !== '') return { nodes };
    const { parent } = node;
    if (parent === null || !isTag(parent) || isCell || labelOf(shownText(parent.children)) !== label) return undefined;
    node = parent;
  }
  return undefined;
}

/**
 * What follows a node up to the end of the line, or to the next label. An element with the name of the label's is the
 * value if it comes first, as in `<span>Publisher</span><span>Hay Press</span>`, and the next label otherwise.
 */
function line(label: ChildNode, beginsEmpty = true): ChildNode[] {
  const nodes: ChildNode[] = [];
  let isEmpty = beginsEmpty;
  for (let { next } = label; next !== null && nodes.length < siblingsMax; { next } = next) {
    step();
    if (isTag(next)) {
      if (next.name === 'br') {
        if (!isEmpty) break;
        continue;
      }
      const isAlike = isTag(label) && next.name === label.name;
      if (!isEmpty && isAlike) break;
      if (isBlock(next) && !isEmpty) break;
    }
    const shown = shownText([next]).replace(/^[:：]\s*/, '');
    if (shown === '') continue;
    nodes.push(next);
    if (isTag(next) && isEmpty && (isBlock(next) || (isTag(label) && next.name === label.name))) break;
    isEmpty = false;
  }
  return nodes;
}

function isBlock({ name }: Element): boolean {
  return /^(?:div|p|li|ul|ol|dl|dd|dt|section|h[1-6]|table|article)$/.test(name);
}

/** The next cell of the row; below a header row, the cell of the same column. */
function cellBeside(element: Element): Place | undefined {
  if (element.name !== 'td' && element.name !== 'th') return undefined;
  const { parent } = element;
  const cells = (row: ChildNode | null): Element[] =>
    row !== null && isTag(row)
      ? row.children.filter((cell) => isTag(cell) && /^t[dh]$/.test(cell.name)).map((cell) => cell as Element)
      : [];
  const row = cells(parent);
  step(row.length);
  const at = row.indexOf(element);
  const isHeaderRow = element.name === 'th' && row.length > 1 && row.every(({ name }) => name === 'th');
  if (!isHeaderRow) {
    const next = row.slice(at + 1).find((cell) => shownText(cell.children) !== '');
    return next && { nodes: [next] };
  }
  const below = parent && isTag(parent) && cells(rowAfter(parent))[at];
  return below ? { nodes: [below] } : undefined;
}

function rowAfter(row: Element): Element | null {
  const inside = (nodes: readonly ChildNode[]): Element | undefined => {
    for (const node of nodes) {
      if (!isTag(node)) continue;
      if (node.name === 'tr') return node;
      const found = inside(node.children);
      if (found) return found;
    }
    return undefined;
  };
  const next = (from: Element): Element | undefined => {
    for (let sibling = from.next; sibling !== null; sibling = sibling.next) {
      const found = inside([sibling]);
      if (found) return found;
    }
    return undefined;
  };
  const { parent } = row;
  return next(row) ?? (parent !== null && isTag(parent) ? next(parent) : undefined) ?? null;
}

function descriptionOf(element: Element): Place | undefined {
  if (element.name !== 'dt') return undefined;
  for (let sibling = element.next; sibling !== null; sibling = sibling.next) {
    if (!isTag(sibling)) continue;
    if (sibling.name === 'dd') return { nodes: [sibling] };
    if (sibling.name !== 'dt') return undefined;
  }
  return undefined;
}
