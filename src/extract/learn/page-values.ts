/** All that stands on a page, so that a value can be looked up by its type. */
import { type ChildNode, isTag, isText } from 'domhandler';
import { isoDate } from '../metadata/iso-date.ts';
import { shownNumbers } from '../fields/numbers.ts';
import { shownText } from '../fields/shown-text.ts';
import type { OpenPage } from '../open-page.ts';
import { lettersOf } from './same-value.ts';

export interface PageValues {
  readonly letters: string;
  readonly text: string;
  readonly numbers: ReadonlySet<number>;
  readonly dates: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
}

const lengthMax = 2_000_000;
const valuesMax = 50_000;
const told = new Set(['content', 'title', 'alt', 'datetime', 'value', 'label', 'placeholder', 'aria-label']);
const addresses = new Set(['href', 'src', 'content', 'data-src', 'poster', 'action']);
/** A year, around which a date can stand. */
const year = /(?<!\d)\d{4}(?!\d)/g;
const dateLengthMax = 30;

export function pageValues({ document, urls, elements }: Pick<OpenPage, 'document' | 'urls' | 'elements'>): PageValues {
  const texts: string[] = [shownText(document.children), shownText(document.children, true)];
  const found = new Set<string>();
  let length = 0;
  const add = (text: string): void => {
    if (length > lengthMax) return;
    texts.push(text);
    length += text.length;
  };
  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      // Alone: without spaces between them, a label and its value are one word.
      if (isText(node)) add(node.data);
      if (!isTag(node) || node.name === 'script' || node.name === 'style') continue;
      for (const [name, value] of Object.entries(node.attribs)) {
        if (addresses.has(name) && found.size < valuesMax) found.add(urls.readable(value) ?? '');
        if (told.has(name) || name.startsWith('data-')) add(value);
      }
      visit(node.children);
    }
  };
  visit(document.children);
  for (const script of elements.jsonLd) add(textIn(script.children));
  const all = texts.join('\n').slice(0, lengthMax * 2);
  return {
    letters: lettersOf(all),
    text: all,
    numbers: shownNumbers(all, '', ['.', ',']),
    dates: datesIn(all),
    urls: found,
  };
}

function textIn(nodes: readonly ChildNode[]): string {
  return nodes.map((node) => (isText(node) ? node.data : '')).join('');
}

/** Both readings of `3/4/2026`. */
function datesIn(text: string): Set<string> {
  const dates = new Set<string>();
  for (const { index } of text.matchAll(year)) {
    if (dates.size > valuesMax) break;
    for (const from of [Math.max(0, index - dateLengthMax), index])
      for (const order of ['day', 'month'] as const) {
        const date = isoDate(text.slice(from, index + dateLengthMax), order);
        if (date !== undefined) dates.add(date.slice(0, 10));
      }
  }
  return dates;
}
