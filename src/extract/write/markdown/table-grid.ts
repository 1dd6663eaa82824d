/** Arranges the cells of a table in columns and writes the GFM table. */
import type { Element } from 'domhandler';
import { iconOfCell } from '../../text/icon-cells.ts';
import { isBlank } from './empty-elements.ts';
import type { Flow } from './flow.ts';

export interface Row {
  readonly cells: readonly Element[];
  /** True inside `<thead>`. */
  readonly isHead: boolean;
}

type Alignment = 'left' | 'center' | 'right' | undefined;

interface Grid {
  /** Cells above the whole head, like a caption. */
  readonly titles: readonly Element[];
  readonly header: readonly string[] | undefined;
  readonly rows: readonly (readonly string[])[];
  readonly alignments: readonly Alignment[];
}

export function readGrid(rows: readonly Row[], flow: Flow): Grid {
  const { lines, alignments, width } = placeCells(rows, flow);
  const filled = lines.filter(({ cells }) => cells.some((text) => text !== ''));
  const texts = filled.map(({ cells }) => cells.slice(0, width));
  const shape = { alignments: Array.from({ length: width }, (_, at) => alignments[at]) };
  const headCount = countHead(filled);
  if (headCount === 0 && looksLikeHeader(texts)) {
    return { ...shape, titles: [], header: texts[0]?.map((text) => text.slice(2, -2)), rows: texts.slice(1) };
  }
  const head = filled.slice(0, headCount);
  // A single cell above other head rows is the title of the table.
  const titleCount = head.findIndex(({ row }) => row.cells.length > 1);
  const titles = titleCount > 0 ? head.slice(0, titleCount) : [];
  return {
    ...shape,
    titles: titles.flatMap(({ row }) => row.cells),
    header: headCount === 0 ? undefined : joinedHead(texts.slice(titles.length, headCount), width),
    rows: texts.slice(headCount),
  };
}

interface Line {
  readonly row: Row;
  readonly cells: readonly string[];
}

interface Placed {
  readonly lines: readonly Line[];
  readonly alignments: readonly Alignment[];
  /**
   * Number of columns up to the last in which a cell with text starts. Columns that only a `colspan` adds do not count.
   */
  readonly width: number;
}

/**
 * A short text that spans several cells is repeated in each, so that each row reads alone and each value stands under
 * its heading. A cell that fills a row alone is a heading between rows, and is written once.
 */
function placeCells(rows: readonly Row[], flow: Flow): Placed {
  const lines: Line[] = [];
  const alignments: Alignment[] = [];
  let width = 0;
  const { plain } = flow.page;
  let carried: { text: string; rowsLeft: number }[] = [];
  for (const row of rows) {
    const cells: string[] = [];
    const next: typeof carried = [];
    const carry = (): void => {
      for (let held = carried[cells.length]; held !== undefined && held.rowsLeft > 0; held = carried[cells.length]) {
        next[cells.length] = { text: held.text, rowsLeft: held.rowsLeft - 1 };
        cells.push(held.text);
      }
    };
    plain.end(1);
    for (const [at, cell] of row.cells.entries()) {
      carry();
      if (at > 0) plain.nextCell();
      const text = flow.line(cell.children, 'cell') || iconIn(cell, flow);
      const columns = spanOf(cell, 'colspan', spanColumnsMax, flow);
      const rowsLeft = spanOf(cell, 'rowspan', spanRowsMax, flow) - 1;
      const repeated = text.length <= repeatedLengthMax ? text : '';
      alignments[cells.length] ??= alignmentOf(cell);
      if (text !== '') width = Math.max(width, cells.length + 1);
      for (let column = 0; column < columns; column++) {
        const spread = column === 0 ? text : row.cells.length > 1 ? repeated : '';
        if (rowsLeft > 0) next[cells.length] = { text: column === 0 || spread !== '' ? repeated : '', rowsLeft };
        cells.push(spread);
      }
    }
    carry();
    lines.push({ row, cells });
    carried = next;
  }
  return { lines, alignments, width };
}

function iconIn(cell: Element, { page }: Flow): string {
  const icon = iconOfCell(cell, page.skipped);
  page.plain.put(icon);
  return icon;
}

const spanColumnsMax = 100;
const spanRowsMax = 500;
const repeatedLengthMax = 80;
/** Cells that spans can add to one page. */
export const spanCellsMax = 100_000;

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

/** Counts the rows of the head. If all rows qualify, or {@link headRowsMax} of them, only the first is the head. */
function countHead(lines: readonly Line[]): number {
  const first = lines[0];
  if (first === undefined || !isHeader(first.row)) return 0;
  let count = 1;
  while (count < headRowsMax && lines[count] !== undefined && isSecondHeader(lines[count]?.row, first.row)) count++;
  return count === lines.length || count === headRowsMax ? 1 : count;
}

const headRowsMax = 5;

/** The corner above a column of names is often an empty data cell. */
function isHeader({ cells, isHead }: Row): boolean {
  if (isHead) return true;
  return cells.some(({ name }) => name === 'th') && cells.every((cell) => cell.name === 'th' || isBlank(cell));
}

/** Some pages put whole tables into `<thead>`: a row with data cells there is data. */
function isSecondHeader(row: Row | undefined, first: Row): boolean {
  return row !== undefined && row.isHead === first.isHead && isHeader({ ...row, isHead: false });
}

/** Joins several head rows: `Size` above `width` and `height` becomes `Size width` and `Size height`. */
function joinedHead(rows: readonly (readonly string[])[], width: number): readonly string[] {
  return Array.from({ length: width }, (_, column) =>
    [...new Set(rows.map((row) => row[column] ?? ''))].filter((text) => text !== '').join(' '),
  );
}

/** Returns true if only the first row is bold throughout: a header without `<th>`. */
function looksLikeHeader(rows: readonly (readonly string[])[]): boolean {
  const isBold = (text: string): boolean => /^\*\*[^*]+\*\*$/.test(text);
  const [first, ...others] = rows;
  if (first === undefined || first.length < 2 || !first.every(isBold)) return false;
  return others.length > 0 && others.every((row) => !row.every(isBold));
}

const rules = { left: ':---', center: ':---:', right: '---:', none: '---' } as const;

/** GFM requires a header. A table without one gets an empty one, since its first row is data. */
export function tableText({ header, rows, alignments }: Grid): string {
  const width = alignments.length;
  const lines = [
    rowText(Array.from({ length: width }, (_, column) => header?.[column] ?? '')),
    rowText(alignments.map((alignment) => rules[alignment ?? 'none'])),
    ...rows.map((row) => rowText([...row, ...Array<string>(width - row.length).fill('')])),
  ];
  return lines.join('\n');
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
