/** Writes the text of a file as HTML, with its tables and with what has a text of its own: cells, notes, text boxes. */
import { escapeAttribute } from 'entities';
import { Blocks, type ParagraphForm } from './blocks.ts';
import { element, textOf } from './html-text.ts';

interface Cell {
  html: string;
  columns: number;
  rows: number;
  align: string | undefined;
  merge: 'none' | 'begin' | 'continue';
}

interface Row {
  readonly cells: Cell[];
  isHead: boolean;
}

interface Table {
  /** The first row is the header. */
  hasHead: boolean;
  readonly rows: Row[];
  /** Of the grid. */
  column: number;
  /** The cell whose text is written. */
  cell: Cell | undefined;
  /** Cells that rows below can continue, by column. */
  readonly begun: Map<number, Cell>;
}

/** Elements of XML end in the order in which they began, so what ends here began here. */
export class TextWriter {
  readonly #texts = [new Blocks()];
  readonly #tables: Table[] = [];
  /** Between the cells of a table within a cell. */
  readonly #gap: string;
  firstHeading: string | undefined;

  constructor(gap = ' ') {
    this.#gap = gap;
  }

  /** The text that is open. */
  get here(): Blocks {
    // oxlint-disable-next-line typescript/no-non-null-assertion -- the text of the file never ends before the file
    return this.#texts.at(-1)!;
  }

  begin(): void {
    this.#texts.push(new Blocks());
  }

  end(): string {
    const html = this.here.end();
    if (this.#texts.length > 1) this.#texts.pop();
    return html;
  }

  /** Writes HTML as it is. */
  put(html: string): void {
    this.here.put(html);
  }

  paragraph(html: string, form: ParagraphForm): void {
    if (form.level !== undefined) this.firstHeading ??= textOf(html);
    this.here.paragraph(html, form);
  }

  beginTable(hasHead = false): void {
    this.here.endLists();
    this.#tables.push({ hasHead, rows: [], column: 0, cell: undefined, begun: new Map() });
  }

  headFirst(hasHead: boolean): void {
    if (this.#table) this.#table.hasHead = hasHead;
  }

  beginRow(isHead = false): void {
    const table = this.#table;
    if (!table) return;
    table.rows.push({ cells: [], isHead: isHead || (table.hasHead && table.rows.length === 0) });
    table.column = 0;
  }

  /** Of the row that is open. */
  headRow(isHead: boolean): void {
    const row = this.#table?.rows.at(-1);
    if (row) row.isHead = isHead;
  }

  skipColumns(count: number): void {
    if (this.#table && count > 0 && count < columnsMax) this.#table.column += count;
  }

  beginCell(columns = 1, rows = 1): void {
    if (this.#table) this.#table.cell = { html: '', columns, rows, align: undefined, merge: 'none' };
    this.begin();
  }

  span(columns: number): void {
    if (this.#cell && columns > 1 && columns < columnsMax) this.#cell.columns = Math.trunc(columns);
  }

  merge(merge: Cell['merge']): void {
    if (this.#cell) this.#cell.merge = merge;
  }

  /** Files align paragraphs, Markdown columns: the first row below the header decides. */
  align(side: string | undefined): void {
    const [row, before] = this.#table?.rows.slice(-2).toReversed() ?? [];
    if (this.#cell && row?.isHead === false && before?.isHead !== false) this.#cell.align ??= side;
  }

  /** A cell that continues one above it widens that one. */
  endCell(): void {
    const html = this.end();
    const table = this.#table;
    const row = table?.rows.at(-1);
    const cell = table?.cell;
    if (!table || !cell || !row) {
      this.put(html);
      return;
    }
    const above = cell.merge === 'continue' && !this.#isNested ? table.begun.get(table.column) : undefined;
    if (above) above.rows++;
    else {
      row.cells.push(Object.assign(cell, { html }));
      if (cell.merge === 'none') table.begun.delete(table.column);
      else table.begun.set(table.column, cell);
    }
    table.column += cell.columns;
    table.cell = undefined;
  }

  /** HTML of a table within a cell would end the row in Markdown: its rows become lines. */
  endTable(): void {
    const rows = this.#table?.rows ?? [];
    const isNested = this.#isNested;
    this.#tables.pop();
    const html = isNested ? rows.map(({ cells }) => this.#line(cells)) : [element('table', rows.map(rowHtml).join(''))];
    this.put(html.join(''));
  }

  get #table(): Table | undefined {
    return this.#tables.at(-1);
  }

  get #cell(): Cell | undefined {
    return this.#table?.cell;
  }

  get #isNested(): boolean {
    return this.#tables.length > 1;
  }

  #line(cells: readonly Cell[]): string {
    const texts = cells.map(({ html }) => html.replaceAll(/<\/?p>/g, ' ').trim());
    return element('p', texts.filter((text) => text !== '').join(this.#gap));
  }
}

/** As many as Word allows, and some. */
const columnsMax = 100;

function rowHtml({ cells, isHead }: Row): string {
  const name = isHead ? 'th' : 'td';
  const shown = cells.map(({ html, columns, rows, align }) => {
    const attributes = [
      rows > 1 ? ` rowspan="${rows}"` : '',
      columns > 1 ? ` colspan="${columns}"` : '',
      align === undefined ? '' : ` align="${align}"`,
    ];
    return `<${name}${attributes.join('')}>${html}</${name}>`;
  });
  return element('tr', shown.join(''));
}

/** The reference to a note, and the notes that are referred to. Their ids are those of links in the text. */
export function noteReference(id: string, number: number): string {
  return `<sup><a class="footnote-ref" href="#${escapeAttribute(id)}">${number}</a></sup>`;
}

export function noteList(notes: readonly { readonly id: string; readonly html: string }[]): string {
  const items = notes.map(({ id, html }) => `<li id="${escapeAttribute(id)}">${html}</li>`);
  return items.length === 0 ? '' : `<ol class="footnotes">${items.join('')}</ol>`;
}
