/** Writes the content of a page as plain text: paragraphs separated, list items and table rows on their own lines. */
import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { iconOfCell } from '../text/icon-cells.ts';
import { isCssGap } from '../text/css-gaps.ts';
import { blockElements, textlessElements } from '../html/element-kinds.ts';
import { collapsedText } from '../html/nodes.ts';
import { formulaOf, mayBeFormula } from '../text/math-tex.ts';
import type { PageContent } from '../content/page-content.ts';
import { isLayoutTable } from './markdown/tables.ts';
import { isLineNumbers, preformattedText } from '../text/preformatted-text.ts';

export function toText(content: PageContent): string {
  const writer = new TextWriter(content.skipped);
  writer.walk(content.nodes);
  return writer.finish();
}

/**
 * Line ends before and after an element. -1 marks elements whose text is not part of the page; inline elements have no
 * entry.
 */
const lineEnds: ReadonlyMap<string, number> = new Map([
  ...Array.from(blockElements, (name) => [name, 1] as const),
  ...'p h1 h2 h3 h4 h5 h6 ul ol dl pre table blockquote figure section article hr'
    .split(' ')
    .map((name) => [name, 2] as const),
  ...Array.from(textlessElements, (name) => [name, -1] as const),
]);

class TextWriter {
  readonly #skipped: ReadonlySet<ChildNode>;
  readonly #parts: string[] = [];
  #ends = 0;
  #hasSpace = false;
  /** Marker of a list item that has no text yet. */
  #marker = '';
  #cells = 0;
  #codes = 0;
  #isLayout = false;

  constructor(skipped: ReadonlySet<ChildNode>) {
    this.#skipped = skipped;
  }

  walk(nodes: readonly ChildNode[]): void {
    let before: ChildNode | undefined;
    for (const node of nodes) {
      if (isTag(node) && this.#skipped.has(node)) continue;
      if (this.#codes === 0 && isCssGap(before, node)) this.#hasSpace = true;
      before = node;
      if (isText(node)) this.#text(collapsedText(node));
      else if (isTag(node)) this.#element(node);
    }
  }

  finish(): string {
    return this.#parts.join('');
  }

  #element(element: Element): void {
    const { name } = element;
    const formula = mayBeFormula.has(name) ? formulaOf(element) : undefined;
    if (formula !== undefined) {
      if (name === 'div') this.#end(1);
      if (formula !== '') this.#put(formula);
      if (name === 'div') this.#end(1);
      return;
    }
    const ends = lineEnds.get(name) ?? 0;
    if (ends < 0) return;
    if (name === 'br') return this.#end(this.#ends + 1);
    if (name === 'pre') {
      this.#end(2);
      const text = preformattedText(element, this.#skipped);
      if (text.trim() !== '') this.#put(text);
      return this.#end(2);
    }
    if (name === 'td' || name === 'th') {
      return this.#cell(element);
    }
    if (name === 'table') return this.#table(element);
    if (ends > 0) this.#end(ends);
    if (name === 'li') this.#marker = '- ';
    if (name === 'code') this.#codes++;
    this.walk(element.children);
    if (name === 'code') this.#codes--;
    if (name === 'li') this.#marker = '';
    if (ends > 0) this.#end(ends);
  }

  #table(table: Element): void {
    const isLayoutAround = this.#isLayout;
    this.#isLayout = isLayoutTable(table, this.#skipped);
    this.#end(2);
    this.walk(table.children);
    this.#end(2);
    this.#isLayout = isLayoutAround;
  }

  /** A row of data stays on one line, whatever blocks its cells contain. */
  #cell(cell: Element): void {
    if (isLineNumbers(cell)) return;
    if (this.#isLayout) {
      this.#end(1);
      this.walk(cell.children);
      return this.#end(1);
    }
    if (this.#ends === 0 && this.#parts.length > 0) this.#put('\t');
    this.#cells++;
    const start = this.#parts.length;
    this.walk(cell.children);
    const sign = this.#parts.length > start ? '' : iconOfCell(cell, this.#skipped);
    if (sign !== '') this.#put(sign);
    this.#cells--;
    this.#hasSpace = false;
  }

  #text(collapsed: string): void {
    const text = collapsed.includes('\u00a0') ? collapsed.replace(/[ \u00a0]+/g, ' ') : collapsed;
    if (text === ' ' || text === '') {
      this.#hasSpace ||= text !== '';
      return;
    }
    const from = text.startsWith(' ') ? 1 : 0;
    const endsWithSpace = text.endsWith(' ');
    if (from === 1) this.#hasSpace = true;
    this.#put(text.slice(from, endsWithSpace ? -1 : undefined));
    this.#hasSpace = endsWithSpace;
  }

  #put(text: string): void {
    const isStart = this.#parts.length === 0;
    if (!isStart && this.#ends > 0) this.#parts.push(this.#ends > 1 ? '\n\n' : '\n');
    else if (!isStart && this.#hasSpace && this.#parts.at(-1) !== '\t') this.#parts.push(' ');
    if (this.#marker !== '') this.#parts.push(this.#marker);
    this.#marker = '';
    this.#parts.push(text);
    this.#ends = 0;
    this.#hasSpace = false;
  }

  #end(lines: number): void {
    if (this.#cells > 0) {
      this.#hasSpace = true;
      return;
    }
    if (this.#marker !== '') return;
    this.#ends = Math.max(this.#ends, Math.min(2, lines));
    this.#hasSpace = false;
  }
}
