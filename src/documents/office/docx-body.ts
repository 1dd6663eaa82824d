// Writes the paragraphs, tables and notes of a Word file as HTML. Deleted text is left out.
import { escapeAttribute } from 'entities';
import { NestedLists } from '../parts/nested-lists.ts';
import { type Formula, formulaHtml, FormulaReader } from './docx-formula.ts';
import { endOf, isOn, type Marks, startOf, withMark } from './docx-marks.ts';
import { type Note, noteId } from './docx-notes.ts';
import type { DocxStyles } from './docx-styles.ts';
import { element, htmlText, linkStart, textOf } from '../parts/html-text.ts';
import type { Relationship } from './office-parts.ts';
import type { XmlAttributes } from '../parts/read-xml.ts';

interface Paragraph {
  readonly html: string[];
  style: string;
  outlineLevel: number | undefined;
  listId: string | undefined;
  listLevel: number;
  align: 'center' | 'right' | undefined;
}

interface OpenTable {
  /** Rows so far, without the header. */
  rows: number;
  /** Where the start tag of the open cell is among the parts. */
  cell: number;
}

export class BodyWriter {
  readonly #styles: DocxStyles;
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #parts: string[] = [];
  /** A stack: text boxes nest paragraphs in paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  readonly #lists = new NestedLists(this.#parts);
  /** The closing markup of each open hyperlink; '' if it has none. */
  readonly #linkEnds: string[] = [];
  readonly #formula = new FormulaReader();
  /** A stack: tables nest. */
  readonly #tables: OpenTable[] = [];
  /** Number of open elements within skipped content. */
  #skipped = 0;
  #isInRun = false;
  #isInText = false;
  #isHeaderRow = false;
  #hasHeader = false;
  #marks: Marks = '';
  #written: Marks = '';
  #noteStart = { id: '', parts: 0 };
  firstHeading: string | undefined;
  /** The notes of this part, if it is a part with notes. */
  readonly notes: Note[] = [];
  /** Ids of the notes that the text refers to. */
  readonly noteIds = new Set<string>();

  constructor(styles: DocxStyles, links: ReadonlyMap<string, Relationship>) {
    this.#styles = styles;
    this.#links = links;
  }

  get html(): string {
    this.#lists.end(0);
    // Word stores each line of code and each paragraph of a quotation as its own paragraph. Join them.
    return this.#parts
      .join('')
      .replaceAll('</code></pre><pre><code>', '\n')
      .replaceAll('</blockquote><blockquote>', '');
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || leftOut.has(name)) {
      this.#skipped++;
      return;
    }
    if (this.#formula.isReading || name === 'oMath' || name === 'oMathPara') {
      this.#formula.open(name, attributes);
      return;
    }
    const paragraph = this.#paragraphs.at(-1);
    const value = attributes['w:val'];
    switch (name) {
      case 'p':
        this.#endMarks();
        this.#paragraphs.push({
          html: [],
          style: '',
          outlineLevel: undefined,
          listId: undefined,
          listLevel: 0,
          align: undefined,
        });
        break;
      case 'jc':
        if (paragraph) paragraph.align = value === 'center' ? value : isRight(value) ? 'right' : undefined;
        break;
      case 'pStyle':
        if (paragraph) paragraph.style = value ?? '';
        break;
      case 'numId':
        if (paragraph) paragraph.listId = value;
        break;
      case 'ilvl':
        if (paragraph) paragraph.listLevel = Number(value) || 0;
        break;
      case 'outlineLvl':
        if (paragraph) paragraph.outlineLevel = Number(value);
        break;
      case 'r':
        this.#isInRun = true;
        this.#marks = '';
        break;
      case 'b':
      case 'i':
      case 'strike':
      case 'dstrike':
      case 'vertAlign':
      case 'rStyle':
        if (this.#isInRun) this.#marks = withMark(this.#marks, name, attributes);
        break;
      case 'footnoteReference':
      case 'endnoteReference':
        this.#endMarks();
        this.#refer(noteId(name, attributes));
        break;
      case 'footnote':
      case 'endnote':
        this.#noteStart = { id: noteId(name, attributes), parts: this.#parts.length };
        break;
      case 't':
        this.#isInText = true;
        break;
      case 'tab':
        if (this.#isInRun) this.#write(' ');
        break;
      case 'br':
      case 'cr':
        if (this.#isInRun) this.#write('<br>');
        break;
      case 'noBreakHyphen':
        this.#write('-');
        break;
      case 'hyperlink': {
        this.#endMarks();
        const start = linkStart(this.#links.get(attributes['r:id'] ?? '')?.target);
        if (start !== undefined) this.#write(start);
        this.#linkEnds.push(start === undefined ? '' : '</a>');
        break;
      }
      case 'tbl':
        this.#lists.end(0);
        this.#parts.push('<table>');
        this.#tables.push({ rows: 0, cell: 0 });
        this.#hasHeader = false;
        break;
      case 'tblLook':
        this.#hasHeader = attributes['w:firstRow'] === '1' || (Number.parseInt(value ?? '', 16) & 0x20) !== 0;
        break;
      case 'tr':
        this.#parts.push('<tr>');
        this.#isHeaderRow = this.#hasHeader;
        this.#hasHeader = false;
        break;
      case 'tblHeader':
        this.#isHeaderRow = isOn(value);
        break;
      case 'tc': {
        const table = this.#tables.at(-1);
        if (table) table.cell = this.#parts.length;
        this.#parts.push(this.#isHeaderRow ? '<th>' : '<td>');
        break;
      }
      case 'gridSpan':
        if (/^<t[hd]>$/.test(this.#parts.at(-1) ?? '') && Number(value) > 1) {
          this.#parts.push(`${this.#parts.pop()?.slice(0, -1) ?? ''} colspan="${Number(value)}">`);
        }
        break;
    }
  }

  text(text: string): void {
    if (this.#formula.isReading && this.#skipped === 0) this.#formula.text(text);
    if (this.#skipped > 0 || !this.#isInText || text === '') return;
    if (this.#marks !== this.#written) {
      this.#endMarks();
      this.#write(startOf(this.#marks));
      this.#written = this.#marks;
    }
    this.#write(htmlText(text));
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (this.#formula.isReading) {
      const formula = this.#formula.close();
      if (formula) this.#writeFormula(formula);
      return;
    }
    switch (name) {
      case 'r':
        this.#isInRun = false;
        break;
      case 't':
        this.#isInText = false;
        break;
      case 'hyperlink':
        this.#endMarks();
        this.#write(this.#linkEnds.pop() ?? '');
        break;
      case 'p': {
        this.#endMarks();
        const paragraph = this.#paragraphs.pop();
        if (paragraph) this.#endParagraph(paragraph);
        break;
      }
      case 'footnote':
      case 'endnote':
        this.#endNote();
        break;
      case 'tc':
        this.#lists.end(0);
        this.#parts.push(this.#isHeaderRow ? '</th>' : '</td>');
        break;
      case 'tr':
        this.#parts.push('</tr>');
        if (!this.#isHeaderRow) this.#countRow();
        break;
      case 'tbl':
        this.#tables.pop();
        this.#parts.push('</table>');
        break;
    }
  }

  #writeFormula(formula: Formula): void {
    this.#endMarks();
    this.#write(formulaHtml(formula));
  }

  #countRow(): void {
    const table = this.#tables.at(-1);
    if (table) table.rows++;
  }

  /** Word aligns paragraphs, Markdown columns: the first row below the header decides. */
  #alignCell({ align }: Paragraph): void {
    const table = this.#tables.at(-1);
    if (align === undefined || !table || this.#isHeaderRow || table.rows > 0) return;
    const tag = this.#parts[table.cell] ?? '';
    if (tag.startsWith('<td') && !tag.includes('align'))
      this.#parts[table.cell] = `${tag.slice(0, -1)} align="${align}">`;
  }

  #refer(id: string): void {
    this.noteIds.add(id);
    this.#write(`<sup><a class="footnote-ref" href="#${escapeAttribute(id)}">${this.noteIds.size}</a></sup>`);
  }

  #endNote(): void {
    this.#lists.end(0);
    const { id, parts } = this.#noteStart;
    const html = this.#parts.splice(parts).join('');
    if (html !== '') this.notes.push({ id, html });
  }

  #write(html: string): void {
    this.#paragraphs.at(-1)?.html.push(html);
  }

  #endMarks(): void {
    if (this.#written !== '') this.#write(endOf(this.#written));
    this.#written = '';
  }

  #endParagraph(paragraph: Paragraph): void {
    this.#alignCell(paragraph);
    const style = this.#styles.of(paragraph.style);
    const text = paragraph.html.join('');
    if (style.kind === 'code') {
      this.#lists.end(0);
      this.#parts.push(element('pre', element('code', text.replaceAll(/<\/?code>/g, '').replaceAll('<br>', '\n'))));
      return;
    }
    const html = text.trim();
    if (html === '') return;
    const level = paragraph.outlineLevel === undefined ? style.headingLevel : headingLevelOf(paragraph.outlineLevel);
    const listId = paragraph.listId ?? style.listId;
    if (level !== undefined) {
      this.#lists.end(0);
      this.#parts.push(element(`h${level}`, html));
      this.firstHeading ??= textOf(html);
    } else if (listId !== undefined && listId !== '0') {
      const kind = this.#styles.listKind(listId, paragraph.listLevel);
      const depth = Math.min(paragraph.listLevel, 8) + 1;
      if (kind === 'none') this.#lists.addParagraph(depth, html);
      else this.#lists.add(kind, depth, html, listId);
    } else {
      this.#lists.end(0);
      this.#parts.push(style.kind === 'quote' ? element('blockquote', element('p', html)) : element('p', html));
    }
  }
}

/** `Fallback` repeats the element before it; `moveFrom` text also stands at its new place. */
const leftOut: ReadonlySet<string> = new Set(['Fallback', 'moveFrom', 'del', 'instrText', 'rPrChange', 'pPrChange']);

/** `end` is right, except in text from right to left. */
function isRight(value: string | undefined): boolean {
  return value === 'right' || value === 'end';
}

/** Outline levels count from 0; 9 is body text. */
function headingLevelOf(outlineLevel: number): number | undefined {
  return outlineLevel >= 0 && outlineLevel < 9 ? Math.min(outlineLevel + 1, 6) : undefined;
}
