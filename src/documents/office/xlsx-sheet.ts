// Reads one sheet: the values that its cells show, and their links.
import { leadsOut } from '../parts/html-text.ts';
import { readXml } from '../parts/read-xml.ts';
import type { TableCell } from '../../core/document.ts';
import { lettersOf, type SheetLimits, sheetTables } from '../parts/sheet-tables.ts';
import type { Relationship } from './office-parts.ts';
import { type NumberFormat, plainNumber } from './xlsx-formats.ts';

export interface TableContext {
  readonly strings: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly hasDatesFrom1904: boolean;
  readonly limits: SheetLimits;
}

interface Row {
  /** From 1. */
  readonly number: number;
  readonly cells: Map<number, string>;
}

export interface Sheet {
  /** Rows and columns without text are left out. */
  readonly tables: readonly (readonly (readonly TableCell[])[])[];
  /** Text of a cell, such as `B2`. */
  textOf(reference: string): string;
}

export function readSheet(xml: Uint8Array, relations: ReadonlyMap<string, Relationship>, table: TableContext): Sheet {
  const rows: Row[] = [];
  const links = new Map<string, string>();
  let row: Row = { number: 0, cells: new Map() };
  let cell = { reference: '', column: -1, type: '', style: 0, value: '', formula: '' };
  readXml(xml, {
    elements: {
      row: {
        open: ({ r }) => (row = { number: Number(r) || row.number + 1, cells: new Map() }),
        close() {
          cell.column = -1;
          if (row.cells.size > 0) rows.push(row);
        },
      },
      c: {
        open({ r = '', t = '', s = '0' }) {
          const column = columnOf(r) ?? cell.column + 1;
          cell = { reference: r, column, type: t, style: Number(s), value: '', formula: '' };
        },
        close() {
          const text = shownValue(cell, table);
          if (text === '') return;
          table.limits.count(text, 1);
          row.cells.set(cell.column, text);
          const href = linkOfFormula(cell.formula);
          if (href !== undefined) addLink(links, `${lettersOf(cell.column)}${row.number}`, href, table);
        },
      },
      v: { close: (text) => (cell.value += text) },
      t: { close: (text) => (cell.value += text) },
      f: { close: (text) => (cell.formula += text) },
      hyperlink: {
        open({ 'r:id': id = '', location = '', ref }) {
          const href = relations.get(id)?.target;
          const whole = href === undefined || location === '' || href.includes('#') ? href : `${href}#${location}`;
          addLink(links, ref, whole, table);
        },
      },
    },
  });
  const linked = ({ number, cells }: Row): ReadonlyMap<number, TableCell> =>
    new Map<number, TableCell>(
      Array.from(cells, ([column, text]) => {
        const href = links.get(`${lettersOf(column)}${number}`);
        return [column, href === undefined ? text : { text, href }];
      }),
    );
  const shown = links.size === 0 ? rows : rows.map((row) => ({ number: row.number, cells: linked(row) }));
  return {
    tables: sheetTables(shown),
    textOf: (reference) => {
      const number = Number(/\d+$/.exec(reference)?.[0]);
      return rowNumbered(rows, number)?.cells.get(columnOf(reference) ?? -1) ?? '';
    },
  };
}

/** Rows are in order in all files that programs write. */
function rowNumbered(rows: readonly Row[], number: number): Row | undefined {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return rows[low]?.number === number ? rows[low] : undefined;
}

/** A link over a range belongs to its first cell. */
function addLink(
  links: Map<string, string>,
  range: string | undefined,
  href: string | undefined,
  table: TableContext,
): void {
  if (range === undefined || href === undefined || !leadsOut(href)) return;
  table.limits.count(href);
  links.set(range.replace(/:.*$/s, '').replaceAll('$', ''), href);
}

/** The address in `HYPERLINK("address", "text")`, unless a formula computes it. */
function linkOfFormula(formula: string): string | undefined {
  return formula === '' ? undefined : /^\s?(?:_xlfn\.)?HYPERLINK\(\s?"([^"]{1,2083})"\s?[,)]/i.exec(formula)?.[1];
}

/** Zero-based column: `AB12` is in column 27. */
function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return Array.from(letters, (letter) => letter.charCodeAt(0) - 64).reduce((sum, digit) => sum * 26 + digit, 0) - 1;
}

function shownValue(
  cell: { readonly type: string; readonly style: number; readonly value: string },
  { strings, formats, hasDatesFrom1904 }: TableContext,
): string {
  const { type, style, value } = cell;
  switch (type) {
    case 's':
      return strings[Number(value)]?.trim() ?? '';
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case '':
    case 'n': {
      const number = Number(value);
      if (value === '' || !Number.isFinite(number)) return value;
      return (formats[style] ?? plainNumber)(number, hasDatesFrom1904);
    }
    default:
      return value.trim();
  }
}
