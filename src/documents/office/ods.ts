// Reads the sheets of an OpenDocument file (ODF 1.3, part 3, 9): what visible cells show, their links and comments.
import type { DocumentBlock, TableCell } from '../../core/document.ts';
import { tooMany } from '../parts/document-error.ts';
import { element, htmlText, leadsOut } from '../parts/html-text.ts';
import type { XmlAttributes } from '../parts/read-xml.ts';
import { readOdfXml } from './read-odf-xml.ts';
import { sheetTables, type SheetRow } from '../parts/sheet-tables.ts';
import { cellsMax } from '../text/plain-files.ts';
import type { OdfStyles } from './odf-styles.ts';
import { charactersMax } from './xlsx-sheet.ts';

interface Comment {
  readonly about: string;
  readonly author: string;
  readonly text: string;
}

export function readOds(content: Uint8Array, styles: OdfStyles): DocumentBlock[] {
  const reader = new SheetReader(styles);
  readOdfXml(content, reader);
  return reader.blocks;
}

class SheetReader {
  readonly #styles: OdfStyles;
  readonly blocks: DocumentBlock[] = [];
  #cellsLeft = cellsMax;
  #charactersLeft = charactersMax;
  #name: string | undefined;
  #rows: SheetRow[] = [];
  #comments: Comment[] = [];
  #rowNumber = 0;
  #rowRepeats = 1;
  #column = 0;
  #cells = new Map<number, TableCell>();
  #cell: { lines: string[]; href: string | undefined; repeats: number } | undefined;
  #comment: { author: string; lines: string[] } | undefined;
  #line: string | undefined;
  #isAuthor = false;
  #skipped = 0;

  constructor(styles: OdfStyles) {
    this.#styles = styles;
  }

  open(name: string, attributes: XmlAttributes): void {
    const isHidden = name === 'table' && this.#styles.of(attributes['table:style-name']).isHidden === true;
    if (this.#skipped > 0 || isHidden || leftOut.has(name)) {
      this.#skipped++;
      return;
    }
    switch (name) {
      case 'table':
        this.#name = attributes['table:name'] ?? '';
        this.#rowNumber = 0;
        break;
      case 'table-row':
        this.#rowRepeats = countOf(attributes['table:number-rows-repeated']);
        this.#column = 0;
        break;
      case 'table-cell':
      case 'covered-table-cell':
        this.#cell = { lines: [], href: undefined, repeats: countOf(attributes['table:number-columns-repeated']) };
        break;
      case 'annotation':
        this.#comment = { author: '', lines: [] };
        break;
      case 'creator':
        this.#isAuthor = true;
        break;
      case 'p':
        this.#line = '';
        break;
      case 's':
        this.text(' ');
        break;
      case 'line-break':
        this.text('\n');
        break;
      case 'a': {
        const href = attributes['xlink:href'] ?? '';
        if (this.#cell && leadsOut(href)) this.#cell.href ??= href;
        break;
      }
    }
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#isAuthor && this.#comment) this.#comment.author += text;
    else if (this.#line !== undefined) this.#line += text;
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    switch (name) {
      case 'creator':
        this.#isAuthor = false;
        break;
      case 'p':
        if (this.#line !== undefined) (this.#comment ?? this.#cell)?.lines.push(this.#line.trim());
        this.#line = undefined;
        break;
      case 'annotation':
        this.#endComment();
        break;
      case 'table-cell':
      case 'covered-table-cell':
        this.#endCell();
        break;
      case 'table-row':
        this.#endRow();
        break;
      case 'table':
        this.#endSheet();
        break;
    }
  }

  #endComment(): void {
    const comment = this.#comment;
    this.#comment = undefined;
    const text = comment?.lines.join('\n').trim() ?? '';
    if (comment && text !== '')
      this.#comments.push({ about: lettersOf(this.#column) + (this.#rowNumber + 1), author: comment.author, text });
  }

  /** Empty cells at the ends of rows repeat up to the width of a sheet. */
  #endCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (!cell) return;
    const text = cell.lines.join('\n').trim();
    if (text !== '') {
      for (let at = 0; at < cell.repeats; at++) {
        if (--this.#cellsLeft < 0) throw tooMany('cells', cellsMax);
        this.#count(text);
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
        if (at > 0) {
          this.#cellsLeft -= cells.size;
          if (this.#cellsLeft < 0) throw tooMany('cells', cellsMax);
          for (const cell of cells.values()) this.#count(typeof cell === 'string' ? cell : cell.text);
        }
        this.#rows.push({ number: this.#rowNumber + at + 1, cells });
      }
    }
    this.#rowNumber += this.#rowRepeats;
  }

  #endSheet(): void {
    const [rows, comments] = [this.#rows, this.#comments];
    [this.#rows, this.#comments] = [[], []];
    if (rows.length === 0 && comments.length === 0) return;
    this.blocks.push({ kind: 'html', html: element('h2', htmlText(this.#name ?? '')) });
    const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()])).size;
    // A table is written with its empty cells, so they count too.
    if (columns * rows.length > cellsMax) throw tooMany('cells', cellsMax);
    for (const table of sheetTables(rows)) this.blocks.push({ kind: 'table', rows: table });
    const items = comments.map(({ about, author, text }) => {
      const said = author === '' ? about : `${about} · ${author}`;
      return element('li', `${htmlText(said)}: ${htmlText(text).replaceAll('\n', '<br>')}`);
    });
    if (items.length > 0) this.blocks.push({ kind: 'html', html: element('ul', items.join('')) });
  }

  #count(text: string): void {
    this.#charactersLeft -= text.length;
    if (this.#charactersLeft < 0) throw tooMany('characters', charactersMax);
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

function lettersOf(column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return letters;
}
