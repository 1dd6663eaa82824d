import type { PageJson } from '../page/decode.ts';
import { type Column, columnsOf } from './columns.ts';
import { eachPage, type Encode } from './export-format.ts';

/** RFC 4180, with a header row, in UTF-8 without a byte order mark. */
export const encodeCsv: Encode = async function* (slices, job) {
  const columns = columnsOf(job);
  yield row(columns.map(({ name }) => name));
  for await (const page of eachPage(slices)) yield row(columns.map((column) => cellOf(column, page)));
};

function cellOf(column: Column, page: PageJson): string {
  if (column.type === 'json') return JSON.stringify(column.of(page));
  return String(column.of(page) ?? '');
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => quoted(harmless(cell))).join(',')}\r\n`;
}

/**
 * Spreadsheets run a cell that begins like a formula, even after white space. Such a cell gets a `'` before it, and so
 * does one that begins with `'`: the original is always the cell without its first `'`. NUL ends the file for many readers.
 */
function harmless(cell: string): string {
  const text = cell.replaceAll('\0', '\ufffd');
  return startsLikeFormula.test(cell) ? `'${text}` : text;
}

/** The second line has the full-width and small forms, which some spreadsheets read like the first. */
const startsLikeFormula = new RegExp(
  String.raw`^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@'` +
    '\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b' +
    String.raw`])`,
  'u',
);

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
