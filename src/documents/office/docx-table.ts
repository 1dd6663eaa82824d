/** Writes the tables of a Word file to the parts of its text. A cell that continues one above it widens that one. */

interface OpenTable {
  /** Rows so far, without the header. */
  rows: number;
  /** Where the start tag of the open cell is among the parts. */
  cell: number;
  /** Where the open row begins. */
  row: number;
  /** Column of the grid. */
  column: number;
  span: number;
  merge: 'none' | 'begin' | 'continue';
  hasHeader: boolean;
  isHeaderRow: boolean;
  /** Cells that rows below can continue, by column. */
  readonly begun: Map<number, { readonly part: number; rows: number }>;
}

export class DocxTables {
  readonly #parts: string[];
  /** A stack: tables nest. */
  readonly #open: OpenTable[] = [];

  constructor(parts: string[]) {
    this.#parts = parts;
  }

  begin(): void {
    this.#parts.push(this.#open.length === 0 ? '<table>' : '');
    this.#open.push({
      rows: 0,
      cell: -1,
      row: 0,
      column: 0,
      span: 1,
      merge: 'none',
      hasHeader: false,
      isHeaderRow: false,
      begun: new Map(),
    });
  }

  look(hasHeader: boolean): void {
    const table = this.#open.at(-1);
    if (table) table.hasHeader = hasHeader;
  }

  beginRow(): void {
    const table = this.#open.at(-1);
    if (!table) return;
    table.isHeaderRow = table.hasHeader;
    table.hasHeader = false;
    table.column = 0;
    table.row = this.#parts.length;
    this.#parts.push(this.#isNested ? '' : '<tr>');
  }

  skipColumns(count: number): void {
    const table = this.#open.at(-1);
    if (table && count > 0 && count < columnsMax) table.column += count;
  }

  headRow(isHead: boolean): void {
    const table = this.#open.at(-1);
    if (table) table.isHeaderRow = isHead;
  }

  beginCell(): void {
    const table = this.#open.at(-1);
    if (!table) return;
    Object.assign(table, { cell: this.#parts.length, span: 1, merge: 'none' });
    this.#parts.push(this.#isNested ? '' : table.isHeaderRow ? '<th>' : '<td>');
  }

  span(columns: number): void {
    const table = this.#open.at(-1);
    if (!table || !(columns > 1) || columns >= columnsMax) return;
    table.span = Math.trunc(columns);
    this.#attribute(table.cell, `colspan="${table.span}"`);
  }

  merge(value: string | undefined): void {
    const table = this.#open.at(-1);
    if (table) table.merge = value === 'restart' ? 'begin' : 'continue';
  }

  /** Word aligns paragraphs, Markdown columns: the first row below the header decides. */
  align(side: string | undefined): void {
    const table = this.#open.at(-1);
    if (side === undefined || !table || table.isHeaderRow || table.rows > 0 || table.cell < 0) return;
    if (!(this.#parts[table.cell] ?? '').includes('align')) this.#attribute(table.cell, `align="${side}"`);
  }

  endCell(): void {
    const table = this.#open.at(-1);
    if (!table || table.cell < 0) return;
    const above = table.merge === 'continue' ? table.begun.get(table.column) : undefined;
    if (above && !this.#isNested) {
      this.#parts.splice(table.cell);
      above.rows++;
      this.#parts[above.part] = withRows(this.#parts[above.part] ?? '', above.rows);
    } else {
      if (table.merge === 'none') table.begun.delete(table.column);
      else table.begun.set(table.column, { part: table.cell, rows: 1 });
      this.#parts.push(this.#isNested ? cellEnd : table.isHeaderRow ? '</th>' : '</td>');
    }
    table.column += table.span;
    table.cell = -1;
  }

  endRow(): void {
    const table = this.#open.at(-1);
    if (!table) return;
    if (this.#isNested) {
      const line = this.#parts
        .splice(table.row)
        .join('')
        .replaceAll(/<\/?p>/g, ' ')
        .split(cellEnd)
        .map((cell) => cell.trim());
      this.#parts.push(`<p>${line.filter((cell) => cell !== '').join(' · ')}</p>`);
    } else this.#parts.push('</tr>');
    if (!table.isHeaderRow) table.rows++;
  }

  end(): void {
    if (!this.#open.pop()) return;
    this.#parts.push(this.#open.length === 0 ? '</table>' : '');
  }

  /** HTML of a table within a cell would end the row in Markdown: its rows become lines. */
  get #isNested(): boolean {
    return this.#open.length > 1;
  }

  #attribute(part: number, attribute: string): void {
    const tag = this.#parts[part] ?? '';
    if (tag.startsWith('<t')) this.#parts[part] = `${tag.slice(0, -1)} ${attribute}>`;
  }
}

/** No text of a file contains it: control characters are no XML. */
const cellEnd = '\u0001';

/** As many as Word allows, and some. */
const columnsMax = 100;

function withRows(tag: string, rows: number): string {
  return `${tag.replace(/ rowspan="\d+"/, '').slice(0, -1)} rowspan="${rows}">`;
}
