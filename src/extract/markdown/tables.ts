/** Tables: data becomes a GFM table, layout becomes its content. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { headingElements } from '../element-kinds.ts';
import { isLineNumbers } from '../preformatted-text.ts';
import { isBlank } from './empty-elements.ts';
import type { Flow } from './flow.ts';

export function writeTable(table: Element, flow: Flow): void {
  const shape = readShape(table, flow.page.skipped);
  if (flow.isLine) return writeAsLines(shape, flow);
  flow.endParagraph(false);
  if (isLayout(table, shape)) return writeUnwrapped(shape, flow);

  const grid = readGrid(shape, flow);
  for (const caption of shape.captions) {
    const text = flow.line(caption.children, 'heading');
    if (text !== '') flow.add({ kind: 'paragraph', text });
  }
  if (grid.rows.length > 0) flow.add({ kind: 'table', text: tableText(grid) });
}

export function isLayoutTable(table: Element, skipped: ReadonlySet<ChildNode>): boolean {
  return isLayout(table, readShape(table, skipped));
}

/** Cells that spans may add to one page. */
export const spanCellsMax = 100_000;

interface Row {
  readonly cells: readonly Element[];
  readonly isHead: boolean;
}

interface Shape {
  readonly captions: readonly Element[];
  readonly rows: readonly Row[];
}

function readShape(table: Element, skipped: ReadonlySet<ChildNode>): Shape {
  const captions: Element[] = [];
  const rows: Row[] = [];
  const visit = (nodes: readonly ChildNode[], isHead: boolean): void => {
    let strays: Element[] = [];
    for (const node of nodes) {
      if (!isTag(node) || skipped.has(node)) continue;
      if (node.name === 'caption') captions.push(node);
      else if (node.name === 'tr') {
        const cells = node.children.filter((cell) => isTag(cell) && !skipped.has(cell) && !isLineNumbers(cell));
        rows.push({ cells: cells.filter((cell) => isTag(cell)), isHead });
      } else if (node.name === 'td' || node.name === 'th') {
        if (strays.length === 0) rows.push({ cells: strays, isHead });
        strays.push(node);
        continue;
      } else if (node.name !== 'colgroup' && node.name !== 'col') {
        visit(node.children, isHead || node.name === 'thead');
      }
      strays = [];
    }
  };
  visit(table.children, false);
  return { captions, rows: rows.filter(({ cells }) => cells.length > 0) };
}

/** Pages were laid out with tables, and newsletters still are. A table with header cells that holds text is data. */
function isLayout(table: Element, { rows }: Shape): boolean {
  const role = table.attribs['role'];
  if (role === 'presentation' || role === 'none') return true;
  const hasHeader = rows.some(({ isHead, cells }) => isHead || cells.some(({ name }) => name === 'th'));
  const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  if (!hasHeader && (columns <= 1 || rows.length <= 1)) return true;
  return rows.some(({ cells }) => cells.some((cell) => holdsLayout(cell.children, hasHeader)));
}

function holdsLayout(nodes: readonly ChildNode[], hasHeader: boolean): boolean {
  return nodes.some((node) => {
    if (!isTag(node)) return false;
    if (node.name === 'table') return true;
    if (!hasHeader && (node.name === 'pre' || headingElements.has(node.name))) return true;
    return holdsLayout(node.children, hasHeader);
  });
}

function writeUnwrapped({ captions, rows }: Shape, flow: Flow): void {
  for (const { children } of [...captions, ...rows.flatMap(({ cells }) => cells)]) {
    flow.endParagraph(false);
    flow.page.walk(children, flow);
    flow.endParagraph(false);
  }
}

function writeAsLines({ captions, rows }: Shape, flow: Flow): void {
  for (const { cells } of [...captions.map((caption) => ({ cells: [caption] })), ...rows]) {
    flow.inline.break();
    for (const cell of cells) {
      flow.inline.space();
      flow.page.walk(cell.children, flow);
    }
    flow.inline.break();
  }
}

type Alignment = 'left' | 'center' | 'right' | undefined;

interface Grid {
  readonly rows: readonly (readonly string[])[];
  readonly hasHeader: boolean;
  readonly alignments: readonly Alignment[];
}

/** Cells in their columns: what spans several rows is repeated where it is short, so that each row reads alone. */
function readGrid({ rows }: Shape, flow: Flow): Grid {
  const grid: string[][] = [];
  const alignments: Alignment[] = [];
  let carried: { text: string; rowsLeft: number }[] = [];
  for (const { cells } of rows) {
    const row: string[] = [];
    const next: typeof carried = [];
    const carry = (): void => {
      for (let held = carried[row.length]; held !== undefined && held.rowsLeft > 0; held = carried[row.length]) {
        next[row.length] = { text: held.text, rowsLeft: held.rowsLeft - 1 };
        row.push(held.text);
      }
    };
    for (const cell of cells) {
      carry();
      const text = flow.line(cell.children, 'cell');
      const columns = spanOf(cell, 'colspan', spanColumnsMax, flow);
      const rowsLeft = spanOf(cell, 'rowspan', spanRowsMax, flow) - 1;
      alignments[row.length] ??= alignmentOf(cell);
      for (let column = 0; column < columns; column++) {
        const repeated = text.length <= repeatedLengthMax ? text : '';
        if (rowsLeft > 0) next[row.length] = { text: column === 0 ? repeated : '', rowsLeft };
        row.push(column === 0 ? text : '');
      }
    }
    carry();
    grid.push(row);
    carried = next;
  }
  const filled = grid.filter((row) => row.some((text) => text !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.findLastIndex((text) => text !== '') + 1), 0);
  const first = rows[grid.findIndex((row) => row.some((text) => text !== ''))];
  const isGuessed = looksLikeHeader(filled);
  if (isGuessed) filled[0] = (filled[0] ?? []).map((text) => text.slice(2, -2));
  const hasHeader = isGuessed || (first !== undefined && isHeader(first));
  return {
    rows: filled.map((row) => row.slice(0, width)),
    hasHeader,
    alignments: Array.from({ length: width }, (_, at) => alignments[at]),
  };
}

/** The corner over a column of names is often an empty cell of data. */
function isHeader({ cells, isHead }: Row): boolean {
  if (isHead) return true;
  return cells.some(({ name }) => name === 'th') && cells.every((cell) => cell.name === 'th' || isBlank(cell));
}

/** A first row that is bold throughout, over rows that are not: a header by hand. */
function looksLikeHeader(rows: readonly (readonly string[])[]): boolean {
  const isBold = (text: string): boolean => /^\*\*[^*]+\*\*$/.test(text);
  const [first, ...others] = rows;
  if (first === undefined || first.length < 2 || !first.every(isBold)) return false;
  return others.length > 0 && others.every((row) => !row.every(isBold));
}

const spanColumnsMax = 100;
const spanRowsMax = 500;
const repeatedLengthMax = 80;

function spanOf({ attribs }: Element, name: string, max: number, flow: Flow): number {
  const value = attribs[name];
  if (value === undefined) return 1;
  const span = Math.min(max, Math.max(1, Number.parseInt(value, 10) || 1), flow.page.spanCellsLeft + 1);
  flow.page.spanCellsLeft -= span - 1;
  return span;
}

function alignmentOf({ attribs }: Element): Alignment {
  const stated = attribs['align'] ?? /text-align\s*:\s*(\w+)/i.exec(attribs['style'] ?? '')?.[1];
  const value = stated?.toLowerCase();
  return value === 'left' || value === 'center' || value === 'right' ? value : undefined;
}

const rules = { left: ':---', center: ':---:', right: '---:', none: '---' } as const;

/** GFM wants a header: where the table has none, an empty one, since a first row of data is no header. */
function tableText({ rows, hasHeader, alignments }: Grid): string {
  const width = alignments.length;
  const header = hasHeader ? rows[0] : undefined;
  const lines = [
    rowText(Array.from({ length: width }, (_, column) => header?.[column] ?? '')),
    rowText(alignments.map((alignment) => rules[alignment ?? 'none'])),
    ...(hasHeader ? rows.slice(1) : rows).map((row) => rowText(row)),
  ];
  return lines.join('\n');
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
