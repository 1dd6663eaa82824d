/** Writes data tables as GFM tables, and layout tables as their content. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import { headingElements } from '../../html/element-kinds.ts';
import { isLineNumbers } from '../../text/preformatted-text.ts';
import type { Flow } from './flow.ts';
import { writeNote } from './lists.ts';
import { readGrid, type Row, tableText } from './table-grid.ts';

export function writeTable(table: Element, flow: Flow): void {
  const shape = readShape(table, flow.page.skipped);
  if (flow.isLine) return writeAsLines(shape, flow);
  flow.endBlock();
  const label = flow.page.footnotes?.labels.get(table);
  if (label !== undefined)
    return writeNote(
      shape.rows.flatMap(({ cells }) => cells.flatMap(({ children }) => children)),
      label,
      flow,
    );
  if (isLayout(table, shape)) return writeUnwrapped(shape, flow);

  writeData(shape, flow);
}

/** Writes rows of a table made of other elements. */
export function writeRows(rows: readonly Row[], flow: Flow): void {
  writeData({ captions: [], rows }, flow);
}

function writeData({ captions, rows }: Shape, flow: Flow): void {
  for (const caption of captions) writeTitle(caption, flow);
  flow.page.plain.end(2);
  const grid = readGrid(rows, flow);
  for (const title of grid.titles) flow.page.plain.without(() => writeTitle(title, flow));
  if (grid.alignments.length > 0) flow.add({ kind: 'table', text: tableText(grid) });
}

function writeTitle({ children }: Element, flow: Flow): void {
  const text = flow.line(children, 'heading');
  if (text !== '') flow.add({ kind: 'paragraph', text });
}

interface Shape {
  readonly captions: readonly Element[];
  readonly rows: readonly Row[];
}

function readShape(table: Element, skipped: ReadonlySet<ChildNode>): Shape {
  const captions: Element[] = [];
  const rows: Row[] = [];
  collectRows(footLast(table.children), false, skipped, { captions, rows });
  return { captions, rows: rows.filter(({ cells }) => cells.length > 0) };
}

/** The foot is shown below the body, wherever it is written. */
function footLast(nodes: readonly ChildNode[]): readonly ChildNode[] {
  const feet = nodes.filter((node) => isTag(node) && node.name === 'tfoot');
  return feet.length === 0 ? nodes : [...nodes.filter((node) => !feet.some((foot) => foot === node)), ...feet];
}

function collectRows(
  nodes: readonly ChildNode[],
  isHead: boolean,
  skipped: ReadonlySet<ChildNode>,
  shape: { readonly captions: Element[]; readonly rows: Row[] },
): void {
  let strays: Element[] = [];
  for (const node of nodes) {
    if (!isTag(node) || skipped.has(node)) continue;
    if (node.name === 'caption') shape.captions.push(node);
    else if (node.name === 'tr') {
      const cells = node.children.filter(
        (cell): cell is Element => isTag(cell) && !skipped.has(cell) && !isLineNumbers(cell),
      );
      shape.rows.push({ cells, isHead });
    } else if (node.name === 'td' || node.name === 'th') {
      if (strays.length === 0) shape.rows.push({ cells: strays, isHead });
      strays.push(node);
      continue;
    } else if (node.name !== 'colgroup' && node.name !== 'col') {
      collectRows(node.children, isHead || node.name === 'thead', skipped, shape);
    }
    strays = [];
  }
}

/** Old pages and newsletters use tables for layout. A table with header cells that contains text is data. */
function isLayout(table: Element, { rows }: Shape): boolean {
  const role = table.attribs['role'];
  if (role === 'presentation' || role === 'none') return true;
  const hasHeader = rows.some(({ isHead, cells }) => isHead || cells.some(({ name }) => name === 'th'));
  const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  if (!hasHeader && (columns <= 1 || rows.length <= 1)) return true;
  return rows.some(({ cells }) => cells.some((cell) => holdsLayout(cell.children, hasHeader)));
}

function holdsLayout(nodes: readonly ChildNode[], hasHeader: boolean): boolean {
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === 'table') {
      if (!hasHeader || countCells(node.children) > innerCellsMax) return true;
    } else if (!hasHeader && (node.name === 'pre' || headingElements.has(node.name))) return true;
    else if (holdsLayout(node.children, hasHeader)) return true;
  }
  return false;
}

/** A table within a data cell is small. One within a page laid out with header cells is not. */
const innerCellsMax = 8;

function countCells(nodes: readonly ChildNode[]): number {
  let count = 0;
  for (const node of nodes) {
    if (isTag(node))
      count += node.name === 'td' ? 1 : node.name === 'th' ? innerCellsMax + 1 : countCells(node.children);
  }
  return count;
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
