/** The tables of a sheet: cells that empty rows and empty columns part from others. */
import type { TableCell } from '../../core/document.ts';

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
