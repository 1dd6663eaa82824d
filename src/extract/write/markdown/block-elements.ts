/** Writers for block elements: one small function for each, in a table. */
import { isTag, isText, type Element } from 'domhandler';
import { oneLine, textBeginning } from '../../html/node-text.ts';
import { isLayout } from '../../html/white-space.ts';
import { formulaOf } from '../../text/math-tex.ts';
import { preformattedText } from '../../text/preformatted-text.ts';
import { admonitionOf, titleLengthMax, type Admonition } from './admonitions.ts';
import { codeLanguage } from './code-language.ts';
import { writeDefinitions } from './definitions.ts';
import { isLeftEmpty } from './empty-elements.ts';
import { Flow, joinBlocks } from './flow.ts';
import { holdsHeading, writeTex, type ElementWriter } from './inline-elements.ts';
import { containersMax, writeList, writeLooseItem, writeNote } from './lists.ts';
import { codeSpan } from './inline/spans.ts';
import { isSignature, signatureCode } from './signatures.ts';
import { rowsOfBoxes } from './table-boxes.ts';
import { writeRows, writeTable } from './tables.ts';

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

/** Writes an element that is just a box. */
export function writeBox(element: Element, flow: Flow): void {
  flow.endParagraph(false);
  const label = flow.page.footnotes?.labels.get(element);
  if (label !== undefined && !flow.isLine) return writeNote(element.children, label, flow);
  const admonition = admonitionOf(element);
  if (admonition !== undefined) return writeAdmonition(admonition, flow);
  if (element.name !== 'div') return writeInside(element, flow);
  const formula = formulaOf(element);
  if (formula !== undefined) {
    writeTex(formula, flow);
    return flow.endParagraph(false);
  }
  if (isSignature(element)) {
    const code = signatureCode(element, flow.page.skipped);
    if (code !== '') flow.inline.raw(codeSpan(code, false), code);
    return flow.endParagraph(false);
  }
  const rows = flow.isLine ? undefined : rowsOfBoxes(element, flow.page.skipped);
  if (rows === undefined) writeInside(element, flow);
  else writeRows(rows, flow);
}

function writeInside(element: Element, flow: Flow): void {
  flow.page.walk(element.children, flow);
  flow.endParagraph(false);
}

function writeParagraph(element: Element, flow: Flow): void {
  flow.endBlock();
  const label = flow.page.footnotes?.labels.get(element);
  if (label !== undefined && !flow.isLine) return writeNote(element.children, label, flow);
  flow.page.walk(element.children, flow);
  flow.endParagraph(true);
}

function writeAdmonition({ title, name, nodes }: Admonition, flow: Flow): void {
  const isQuote = !flow.isLine && flow.depth < containersMax;
  const inside = isQuote ? new Flow(flow.page, 'paragraph', flow, flow.depth + 1) : flow;
  if (title !== undefined) flow.page.writtenTitles.add(title);
  const heading = name ?? oneLine(textBeginning(title?.children ?? [], titleLengthMax));
  if (heading !== '') {
    inside.inline.open('strong', 'strong');
    inside.inline.text(heading);
    inside.inline.close();
    inside.endParagraph(true);
  }
  flow.page.walk(nodes, inside);
  inside.endParagraph(false);
  if (isQuote && inside.blocks.length > 0) flow.add({ kind: 'quote', text: quoted(joinBlocks(inside.blocks)) });
}

function writeHeading(element: Element, flow: Flow): void {
  const level = element.name.slice(1);
  flow.page.plain.heading(level, () => {
    if (flow.isLine) writeBox(element, flow);
    else writeTitle(element, level, flow);
  });
}

function writeTitle(element: Element, level: string, flow: Flow): void {
  flow.endBlock();
  const text = isSignature(element) ? signatureTitle(element, flow) : flow.line(element.children, 'heading');
  // A picture without a name divides a page, but is no title.
  if (namelessImage.test(text)) flow.add({ kind: 'paragraph', text });
  else if (text !== '') flow.add({ kind: 'heading', text: `${'#'.repeat(Number(level))} ${text}` });
}

function signatureTitle(element: Element, flow: Flow): string {
  const code = signatureCode(element, flow.page.skipped);
  flow.page.plain.put(code);
  return code === '' ? '' : codeSpan(code, false);
}

const namelessImage = /^\[?!\[\]\([^\s()]*\)(?:\]\([^\s()]*\))?$/;

function writeQuote(element: Element, flow: Flow): void {
  if (flow.isLine || flow.depth >= containersMax) return writeBox(element, flow);
  flow.endBlock();
  const text = joinBlocks(flow.inner(element.children, 'paragraph'));
  if (text === '' && isLeftEmpty(element)) flow.add({ kind: 'quote', text: '>' });
  if (text !== '') flow.add({ kind: 'quote', text: quoted(text) });
}

function quoted(text: string): string {
  return `> ${text.replace(/\n(?=(\n?))/g, quotePrefix)}`;
}

function quotePrefix(_: string, next: string): string {
  return next === '' ? '\n> ' : '\n>';
}

/** Rules around what was left out meet: one is enough. Two in a row are the author's. */
function writeRule({ prev }: Element, flow: Flow): void {
  if (flow.isLine) return flow.inline.break();
  flow.endBlock();
  let before = prev;
  while (before !== null && isText(before) && isLayout(before.data)) before = before.prev;
  const isOneOfTwo = before !== null && isTag(before) && before.name === 'hr';
  if (isOneOfTwo || flow.blocks.at(-1)?.kind !== 'rule') flow.add({ kind: 'rule', text: '---' });
}

/** Writes the line that opens and closes `<details>`, in bold if it holds no heading. */
function writeSummary(element: Element, flow: Flow): void {
  const isHeading = holdsHeading(element.children);
  flow.endParagraph(false);
  if (!isHeading) flow.inline.open('strong', 'strong');
  flow.page.walk(element.children, flow);
  if (!isHeading) flow.inline.close();
  flow.endParagraph(false);
}

/** Writes `<pre>` as a fenced block. */

function writePre(pre: Element, flow: Flow): void {
  const code = preformattedText(pre, flow.page.skipped);
  if (flow.isLine) {
    for (const line of code.split('\n')) {
      flow.inline.break();
      flow.inline.code(line.trim());
    }
    return flow.inline.break();
  }
  if (code.trim() === '' && !isLeftEmpty(pre)) return flow.endParagraph(false);
  const longest = (code.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const language = codeLanguage(pre);
  flow.endBlock();
  flow.page.plain.put(code);
  // Many pages write the language above the code.
  if (language !== '' && flow.blocks.at(-1)?.text.toLowerCase() === language.toLowerCase()) flow.blocks.pop();
  flow.add({ kind: 'code', text: `${fence}${language}\n${code === '' ? '' : `${code}\n`}${fence}` });
}
