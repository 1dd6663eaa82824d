/** Elements that stand on lines of their own. One small function an element, in a table. */
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import { formulaOf } from '../math-tex.ts';
import { writePre } from './code-blocks.ts';
import { isLeftEmpty } from './empty-elements.ts';
import { writeDefinitions } from './definitions.ts';
import type { Flow } from './flow.ts';
import { joinBlocks } from './flow.ts';
import type { ElementWriter } from './inline-elements.ts';
import { containersMax, writeList, writeLooseItem, writeNote } from './lists.ts';
import { writeTable } from './tables.ts';

export const blockWriters: ReadonlyMap<string, ElementWriter> = new Map<string, ElementWriter>([
  ['p', writeParagraph],
  ['h1', writeHeading],
  ['h2', writeHeading],
  ['h3', writeHeading],
  ['h4', writeHeading],
  ['h5', writeHeading],
  ['h6', writeHeading],
  ['ul', writeList],
  ['ol', writeList],
  ['menu', writeList],
  ['dir', writeList],
  ['li', writeLooseItem],
  ['dl', writeDefinitions],
  ['pre', writePre],
  ['listing', writePre],
  ['table', writeTable],
  ['blockquote', writeQuote],
  ['hr', writeRule],
  ['summary', writeSummary],
]);

/** What is just a box. */
export function writeBox(element: Element, flow: Flow): void {
  flow.endParagraph(false);
  const label = flow.page.footnotes?.labels.get(element);
  if (label !== undefined && !flow.isLine) return writeNote(element.children, label, flow);
  const formula = element.name === 'div' ? formulaOf(element) : undefined;
  if (formula !== undefined) {
    if (formula !== '') flow.inline.raw(formula);
    return flow.endParagraph(false);
  }
  flow.page.walk(element.children, flow);
  flow.endParagraph(false);
}

function writeParagraph(element: Element, flow: Flow): void {
  flow.endParagraph(false);
  flow.page.walk(element.children, flow);
  flow.endParagraph(true);
}

function writeHeading(element: Element, flow: Flow): void {
  if (flow.isLine) return writeBox(element, flow);
  flow.endParagraph(false);
  const text = flow.line(element.children, 'heading');
  if (text !== '') flow.add({ kind: 'heading', text: `${'#'.repeat(Number(element.name.slice(1)))} ${text}` });
}

function writeQuote(element: Element, flow: Flow): void {
  if (flow.isLine || flow.depth >= containersMax) return writeBox(element, flow);
  flow.endParagraph(false);
  const text = joinBlocks(flow.inner(element.children, 'paragraph'));
  if (text === '' && isLeftEmpty(element)) flow.add({ kind: 'quote', text: '>' });
  if (text !== '') flow.add({ kind: 'quote', text: `> ${text.replace(/\n(?=(\n?))/g, quotePrefix)}` });
}

function quotePrefix(_: string, next: string): string {
  return next === '' ? '\n> ' : '\n>';
}

function writeRule(_: Element, flow: Flow): void {
  if (flow.isLine) flow.inline.break();
  else flow.add({ kind: 'rule', text: '---' });
}

/** The line that opens and closes `<details>`: a heading in all but name. */
function writeSummary(element: Element, flow: Flow): void {
  const holdsHeading = element.children.some((child) => isTag(child) && /^h[1-6]$/.test(child.name));
  flow.endParagraph(false);
  if (!holdsHeading) flow.inline.open('strong', 'strong');
  flow.page.walk(element.children, flow);
  if (!holdsHeading) flow.inline.close();
  flow.endParagraph(false);
}
