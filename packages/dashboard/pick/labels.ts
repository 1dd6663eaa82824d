// The label of a value: `Publisher` of the cell after it, of the description below it, of the rest of its line.
import { eachText, isTextless, labelOf, oneLine, shownText } from './page-text.ts';

export interface Labelled {
  /** As the page writes it. */
  readonly label: string;
  /** What stands beside it. */
  readonly text: string;
  /** It can only be a label, such as a term; what else stands before a value can be another value. */
  readonly isSure: boolean;
}

const labelLengthMax = 60;
/** Elements around a value that show nothing else. */
const climbsMax = 4;
const block = /^(?:div|p|li|ul|ol|dl|dd|dt|section|h[1-6]|table|article)$/;
const labelElement = /^(?:b|strong|label|em|i|span|div|h[2-6])$/;

/** The label of an element, if `scope` has it once, so that its place does not depend on others. */
export function labelOfValue(element: Element, scope: Document | Element): Labelled | undefined {
  const found = besideIt(element) ?? inIt(element);
  return found && countOf(found.label, scope) === 1 ? found : undefined;
}

function besideIt(element: Element): Labelled | undefined {
  const text = shownText(element);
  if (text === '') return undefined;
  let at = element;
  for (let climbs = 0; climbs <= climbsMax; climbs++) {
    const label = cellBefore(at) ?? termBefore(at) ?? textBefore(at);
    if (label !== undefined)
      return isLabel(label.text, text) ? { label: plain(label.text), text, isSure: label.isSure } : undefined;
    const { parentElement } = at;
    if (parentElement === null || shownText(parentElement) !== text) return undefined;
    at = parentElement;
  }
  return undefined;
}

/** `Publisher: Hay Press` in one element. */
function inIt(element: Element): Labelled | undefined {
  const [first, ...rest] = [...element.childNodes].filter((node) => shownText(node) !== '');
  if (first === undefined || rest.some((node) => node instanceof Element && block.test(node.localName)))
    return undefined;
  if (element.querySelector('br') !== null) return undefined;
  const text = shownText(element);
  const [, head = ''] = /^([^:：]*[:：])/.exec(shownText(first)) ?? [];
  const value = text.slice(head.length).trim();
  return head !== '' && isLabel(head, value) ? { label: plain(head), text: value, isSure: true } : undefined;
}

function isLabel(label: string, value: string): boolean {
  return label.length <= labelLengthMax && /\p{L}/u.test(label) && !/\d/.test(label) && value !== '';
}

function plain(label: string): string {
  return label.replace(/\s*[:：]\s*$/, '');
}

type Before = Pick<Labelled, 'text' | 'isSure'> | undefined;

function before(node: Node): Before {
  const text = shownText(node);
  const isNamed = /[:：]$/.test(text) || (node instanceof Element && /^(?:th|dt|label)$/.test(node.localName));
  return { text, isSure: isNamed };
}

/** The first cell of the row, if no cell with text stands between. */
function cellBefore(cell: Element): Before {
  if (!/^t[dh]$/.test(cell.localName) || cell.parentElement === null) return undefined;
  const row = [...cell.parentElement.children].filter(({ localName }) => /^t[dh]$/.test(localName));
  if (row.every(({ localName }) => localName === 'th')) return undefined;
  const filled = row.slice(0, row.indexOf(cell)).filter((each) => shownText(each) !== '');
  const last = filled.at(-1);
  return last && (filled.length === 1 || last.localName === 'th') ? before(last) : undefined;
}

function termBefore(description: Element): Before {
  if (description.localName !== 'dd') return undefined;
  const term = description.previousElementSibling;
  return term?.localName === 'dt' ? before(term) : undefined;
}

/** The text or the element before a value that is all that follows on the line. */
function textBefore(element: Element): Before {
  const label = sibling(element, 'previousSibling');
  if (label === undefined) return undefined;
  const isNamed = /[:：]$/.test(shownText(label));
  if (label instanceof Element) {
    if (!labelElement.test(label.localName)) return undefined;
    if (!isNamed && !isPair(element, label)) return undefined;
  } else if (!isNamed || sibling(label, 'previousSibling') !== undefined) return undefined;
  return isLast(element, label) ? before(label) : undefined;
}

/** Nothing else stands next to the two. */
function isPair(element: Element, label: Node): boolean {
  return sibling(label, 'previousSibling') === undefined && sibling(element, 'nextSibling') === undefined;
}

function isLast(element: Element, label: Node): boolean {
  const isAlike = label instanceof Element && label.localName === element.localName;
  if (isAlike || block.test(element.localName)) return true;
  for (let next = element.nextSibling; next !== null; next = next.nextSibling) {
    if (next instanceof Element && (next.localName === 'br' || block.test(next.localName))) return true;
    if (next instanceof Element && label instanceof Element && next.localName === label.localName) return true;
    if (shownText(next) !== '') return false;
  }
  return true;
}

/** The next node that shows something on the same line. */
function sibling(node: Node, way: 'previousSibling' | 'nextSibling'): Node | undefined {
  for (let at = node[way]; at !== null; at = at[way]) {
    if (at instanceof Element && at.localName === 'br') return undefined;
    if (shownText(at) !== '') return at;
  }
  return undefined;
}

/** How often a label stands on the page, alone or before a colon. */
function countOf(label: string, scope: Document | Element): number {
  const wanted = labelOf(label);
  let count = 0;
  eachText(scope, ({ data, parentElement }) => {
    if (parentElement && isTextless(parentElement)) return true;
    const text = data.slice(0, 4 * labelLengthMax + 200);
    const colon = text.search(/[:：]/);
    if (labelOf(text) === wanted || (colon !== -1 && labelOf(oneLine(text.slice(0, colon))) === wanted)) count++;
    return count < 2;
  });
  return count;
}
