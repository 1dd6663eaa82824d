/** What a sheet shows: its tables, which are cells that empty rows and empty columns part from others, and its comments. */
import type { DocumentBlock, TableCell } from '../../core/document.ts';
import { tooMany } from './document-error.ts';
import { element, htmlText } from './html-text.ts';

export const cellsMax = 1_000_000;
export const charactersMax = 20_000_000;

/** Limits the output of a file: a million cells can show one string of 32,000 characters. */
export class SheetLimits {
  #cellsLeft = cellsMax;
  #charactersLeft = charactersMax;

  count(text: string, cells = 0): void {
    this.#cellsLeft -= cells;
    if (this.#cellsLeft < 0) throw tooMany('cells', cellsMax);
    this.#charactersLeft -= text.length;
    if (this.#charactersLeft < 0) throw tooMany('characters', charactersMax);
  }
}

export interface SheetComment {
  /** The cell, such as `B2`. */
  readonly reference: string;
  readonly author: string;
  readonly text: string;
}

/** Each begins with what it is about, and who says it. */
export function commentList(comments: readonly SheetComment[]): DocumentBlock[] {
  const items = comments.map(({ reference, author, text }) => {
    const said = [reference, author].filter((part) => part !== '').join(' · ');
    return element('li', `${htmlText(said)}: ${htmlText(text).replaceAll('\n', '<br>')}`);
  });
  return items.length === 0 ? [] : [{ kind: 'html', html: element('ul', items.join('')) }];
}

/** The letters of a column, from 0: column 27 is `AB`. */
export function lettersOf(column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return letters;
}

export interface SheetRow {
  /** From 1. */
  readonly number: number;
  /** Cells with text, by column from 0. */
  readonly cells: ReadonlyMap<number, TableCell>;
}

/**
 * Returns each table without its empty rows and columns, from top to bottom, then from left to right. Rows are in order.
 * Only a table of at least two columns and rows stands alone next to another one: lists with gaps stay together.
 */
export function sheetTables(rows: readonly SheetRow[]): readonly (readonly (readonly TableCell[])[])[] {
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()])).size;
  // A table is written with its empty cells, so they count too.
  if (columns * rows.length > cellsMax) throw tooMany('cells', cellsMax);
  return bands(rows).flatMap((band) => columnGroups(band).map((columns) => tableOf(band, columns)));
}

/** Rows without an empty row between them. */
function bands(rows: readonly SheetRow[]): SheetRow[][] {
  const found: SheetRow[][] = [];
  let last: SheetRow | undefined;
  for (const row of rows) {
    if (last && row.number <= last.number + 1) found.at(-1)?.push(row);
    else found.push([row]);
    last = row;
  }
  return merged(found);
}

/** Joins rows that are no table of their own to the ones before them. */
function merged(found: readonly SheetRow[][]): SheetRow[][] {
  const joined: SheetRow[][] = [];
  for (const band of found) {
    const before = joined.at(-1);
    if (before && !(isTable(before) && isTable(band))) before.push(...band);
    else joined.push([...band]);
  }
  return joined;
}

/** Returns true if there are two rows and two columns. */
function isTable(band: readonly SheetRow[]): boolean {
  const [column = -1] = band[0]?.cells.keys() ?? [];
  return band.length > 1 && band.some(({ cells }) => cells.size > 1 || !cells.has(column));
}

/** Columns without an empty column between them. */
function columnGroups(band: readonly SheetRow[]): number[][] {
  const used = new Map<number, number>();
  for (const { cells } of band) for (const column of cells.keys()) used.set(column, (used.get(column) ?? 0) + 1);
  const ordered = [...used.keys()].toSorted((one, other) => one - other);
  const groups: number[][] = [];
  for (const column of ordered) {
    const last = groups.at(-1);
    if (last?.at(-1) === column - 1) last.push(column);
    else groups.push([column]);
  }
  const isApart = groups.every(
    (columns) => columns.length > 1 && columns.some((column) => (used.get(column) ?? 0) > 1),
  );
  return isApart ? groups : [ordered];
}

function tableOf(band: readonly SheetRow[], columns: readonly number[]): readonly (readonly TableCell[])[] {
  return band
    .map(({ cells }) => columns.map((column) => cells.get(column) ?? ''))
    .filter((cells) => cells.some((cell) => cell !== ''));
}
