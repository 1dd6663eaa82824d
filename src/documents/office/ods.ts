// Reads the sheets of an OpenDocument file (ODF 1.3, part 3, 9): what visible cells show, their links and comments.
import type { DocumentBlock, TableCell } from '../../core/document.ts';
import { element, htmlText, leadsOut } from '../parts/html-text.ts';
import type { XmlAttributes, XmlElement, XmlHandler } from '../parts/read-xml.ts';
import {
  commentList,
  lettersOf,
  type SheetComment,
  SheetLimits,
  type SheetRow,
  sheetTables,
} from '../parts/sheet-tables.ts';
import type { OdfStyles } from './odf-styles.ts';
import { readOdfXml } from './read-odf-xml.ts';

export function readOds(content: Uint8Array, styles: OdfStyles): DocumentBlock[] {
  const reader = new SheetReader(styles);
  readOdfXml(content, reader.handler);
  return reader.blocks;
}

class SheetReader {
  readonly #styles: OdfStyles;
  readonly blocks: DocumentBlock[] = [];
  readonly #limits = new SheetLimits();
  #name = '';
  #rows: SheetRow[] = [];
  #comments: SheetComment[] = [];
  #rowNumber = 0;
  #rowRepeats = 1;
  #column = 0;
  #cells = new Map<number, TableCell>();
  #cell: { lines: string[]; href: string | undefined; repeats: number } | undefined;
  #comment: { author: string; lines: string[] } | undefined;
  #line: string | undefined;

  constructor(styles: OdfStyles) {
    this.#styles = styles;
  }

  readonly #ofCell: XmlElement = {
    open: ({ 'table:number-columns-repeated': repeats }) =>
      (this.#cell = { lines: [], href: undefined, repeats: countOf(repeats) }),
    close: () => this.#endCell(),
  };

  readonly handler: XmlHandler = {
    leavesOut: (name, { 'table:style-name': style }) =>
      leftOut.has(name) || (name === 'table' && this.#styles.of(style).isHidden === true),
    elements: {
      table: { open: ({ 'table:name': name = '' }) => this.#beginSheet(name), close: () => this.#endSheet() },
      'table-row': { open: (attributes) => this.#beginRow(attributes), close: () => this.#endRow() },
      'table-cell': this.#ofCell,
      'covered-table-cell': this.#ofCell,
      annotation: { open: () => (this.#comment = { author: '', lines: [] }), close: () => this.#endComment() },
      creator: { close: (text) => this.#comment && (this.#comment.author += text) },
      p: { open: () => (this.#line = ''), close: () => this.#endLine() },
      s: { open: () => this.#put(' ') },
      'line-break': { open: () => this.#put('\n') },
      a: { open: ({ 'xlink:href': href = '' }) => this.#cell && leadsOut(href) && (this.#cell.href ??= href) },
    },
    text: (text) => this.#put(text),
  };

  #put(text: string): void {
    if (this.#line !== undefined) this.#line += text;
  }

  #endLine(): void {
    if (this.#line !== undefined) (this.#comment ?? this.#cell)?.lines.push(this.#line.trim());
    this.#line = undefined;
  }

  #beginSheet(name: string): void {
    this.#name = name;
    this.#rowNumber = 0;
  }

  #beginRow({ 'table:number-rows-repeated': repeats }: XmlAttributes): void {
    this.#rowRepeats = countOf(repeats);
    this.#column = 0;
  }

  #endComment(): void {
    const comment = this.#comment;
    this.#comment = undefined;
    const text = comment?.lines.join('\n').trim() ?? '';
    const reference = lettersOf(this.#column) + (this.#rowNumber + 1);
    if (comment && text !== '') this.#comments.push({ reference, author: comment.author, text });
  }

  /** Empty cells at the ends of rows repeat up to the width of a sheet. */
  #endCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (!cell) return;
    const text = cell.lines.join('\n').trim();
    if (text !== '') {
      for (let at = 0; at < cell.repeats; at++) {
        this.#limits.count(text, 1);
        this.#cells.set(this.#column + at, cell.href === undefined ? text : { text, href: cell.href });
      }
    }
    this.#column += cell.repeats;
  }

  #endRow(): void {
    const cells = this.#cells;
    this.#cells = new Map();
    if (cells.size > 0) {
      for (let at = 0; at < this.#rowRepeats; at++) {
        if (at > 0)
          for (const cell of cells.values()) this.#limits.count(typeof cell === 'string' ? cell : cell.text, 1);
        this.#rows.push({ number: this.#rowNumber + at + 1, cells });
      }
    }
    this.#rowNumber += this.#rowRepeats;
  }

  #endSheet(): void {
    const [rows, comments] = [this.#rows, this.#comments];
    [this.#rows, this.#comments] = [[], []];
    if (rows.length === 0 && comments.length === 0) return;
    this.blocks.push({ kind: 'html', html: element('h2', htmlText(this.#name)) });
    for (const table of sheetTables(rows)) this.blocks.push({ kind: 'table', rows: table });
    this.blocks.push(...commentList(comments));
  }
}

const leftOut: ReadonlySet<string> = new Set([
  'tracked-changes',
  'content-validations',
  'database-ranges',
  'shapes',
  'dde-links',
  'forms',
  'object',
  'named-expressions',
]);

function countOf(repeats: string | undefined): number {
  return Math.min(Math.max(Math.trunc(Number(repeats ?? 1)) || 1, 1), 2 ** 21);
}
