/** Writes the paragraphs, lists, tables, links and notes of an RTF file as HTML. */
import { escapeAttribute } from 'entities';
import { element, htmlText, linkStart, textOf } from '../parts/html-text.ts';
import { NestedLists } from '../parts/nested-lists.ts';
import { marksOf, type RtfFormat, type RtfStyles } from './rtf-styles.ts';

interface Paragraph {
  html: string;
  /** Marks that are open at its end. */
  marks: readonly string[];
  linkEnd: string;
  /** The number or bullet before it, as written for programs that know no lists. */
  marker: string | undefined;
}

export class RtfBody {
  readonly #styles: RtfStyles;
  readonly #parts: string[] = [];
  readonly #lists = new NestedLists(this.#parts);
  readonly #notes: string[] = [];
  #paragraph = emptyParagraph();
  /** Paragraphs of the current cell, cells of the current row, and rows of the current table. */
  #cell: string[] = [];
  #row: string[] = [];
  #rows: string[] = [];
  #isHeaderRow = false;
  #hasHeader = false;
  /** Indents of the open lists, outermost first, where only indents show the depth. */
  #indents: number[] = [];
  firstHeading: string | undefined;

  constructor(styles: RtfStyles) {
    this.#styles = styles;
  }

  /** Returns all that was written. Call it once, at the end. */
  finish(format: RtfFormat): string {
    this.endParagraph({ ...format, inTable: false });
    this.#endTable();
    this.#lists.end(0);
    const notes = this.#notes.map((html, at) => `<li id="${noteId(at)}">${html}</li>`).join('');
    return this.#parts.join('') + (notes === '' ? '' : `<ol class="footnotes">${notes}</ol>`);
  }

  put(text: string, format: RtfFormat): void {
    if (text === '' || format.hidden) return;
    this.#mark(marksOf(format));
    this.#paragraph.html += htmlText(text);
  }

  lineBreak(): void {
    this.#paragraph.html += '<br>';
  }

  /** Adds to the number or bullet of the current paragraph. */
  putMarker(text: string): void {
    this.#paragraph.marker = (this.#paragraph.marker ?? '') + text;
  }

  startLink(href: string | undefined): void {
    const start = this.#paragraph.linkEnd === '' ? linkStart(href) : undefined;
    if (start === undefined) return;
    this.#mark([]);
    this.#paragraph.html += start;
    this.#paragraph.linkEnd = '</a>';
  }

  endLink(): void {
    this.#mark([]);
    this.#paragraph.html += this.#paragraph.linkEnd;
    this.#paragraph.linkEnd = '';
  }

  /** Writes the mark of a note, and returns a function that ends the note. What is put until then is the note. */
  startNote(): (format: RtfFormat) => void {
    const around = this.#paragraph;
    const at = this.#notes.push('') - 1;
    this.#mark([]);
    around.html += `<sup><a class="footnote-ref" href="#${noteId(at)}">${at + 1}</a></sup>`;
    this.#paragraph = emptyParagraph();
    const outer = this.#note;
    this.#note = [];
    return (format) => {
      this.endParagraph(format);
      this.#notes[at] = (this.#note ?? []).map((html) => element('p', html)).join('');
      this.#note = outer;
      this.#paragraph = around;
    };
  }

  /** Paragraphs of the current note; undefined outside of notes. */
  #note: string[] | undefined;

  endParagraph(format: RtfFormat): void {
    const { marker } = this.#paragraph;
    const html = this.#endText();
    if (this.#note !== undefined) {
      if (html !== '') this.#note.push(html);
    } else if (format.inTable) {
      if (html !== '') this.#cell.push(html);
    } else if (html !== '') this.#write(html, marker, format);
  }

  endCell(format: RtfFormat): void {
    this.endParagraph({ ...format, inTable: true });
    this.#row.push(
      this.#cell.length > 1 ? this.#cell.map((html) => element('p', html)).join('') : (this.#cell[0] ?? ''),
    );
    this.#cell = [];
  }

  startRow(): void {
    this.#isHeaderRow = false;
  }

  headerRow(): void {
    this.#isHeaderRow = true;
  }

  endRow(): void {
    // Few programs mark the header, and a Markdown table has one.
    const isHeader = this.#isHeaderRow || (this.#rows.length === 0 && !this.#hasHeader);
    this.#hasHeader ||= isHeader;
    const name = isHeader ? 'th' : 'td';
    if (this.#row.length > 0) this.#rows.push(element('tr', this.#row.map((html) => element(name, html)).join('')));
    this.#row = [];
  }

  #write(html: string, marker: string | undefined, format: RtfFormat): void {
    this.#endTable();
    const level = this.#styles.headingLevel(format);
    const item = level === undefined ? itemOf(html, marker, format) : undefined;
    if (item !== undefined) {
      const depth = item.depth ?? this.#depthOf(format.indent);
      this.#lists.add(item.isNumbered ? 'ol' : 'ul', depth, item.html);
      return;
    }
    this.#lists.end(0);
    this.#indents = [];
    if (level === undefined) this.#parts.push(element('p', html));
    else {
      // All of a heading is bold.
      const text = html.replaceAll(/<\/?strong>/g, '');
      this.#parts.push(element(`h${level}`, text));
      this.firstHeading ??= textOf(text);
    }
  }

  #depthOf(indent: number): number {
    while ((this.#indents.at(-1) ?? -1) > indent) this.#indents.pop();
    if (this.#indents.at(-1) !== indent && this.#indents.length < depthMax) this.#indents.push(indent);
    return this.#indents.length;
  }

  /** Rows are no table before the paragraph after them. */
  #endTable(): void {
    if (this.#row.length > 0 || this.#cell.length > 0) {
      if (this.#cell.length > 0) this.#row.push(this.#cell.join('<br>'));
      this.#cell = [];
      this.endRow();
    }
    if (this.#rows.length === 0) return;
    this.#lists.end(0);
    this.#parts.push(element('table', this.#rows.join('')));
    this.#rows = [];
    this.#hasHeader = false;
  }

  /** Returns the text of the paragraph, and starts the next. A link continues in it. */
  #endText(): string {
    this.#mark([]);
    const { html, linkEnd } = this.#paragraph;
    this.#paragraph = emptyParagraph();
    return textOf(html).trim() === '' ? '' : (html + linkEnd).replace(/^(?:&nbsp;|\s)+/, '').trimEnd();
  }

  #mark(marks: readonly string[]): void {
    const open = this.#paragraph.marks;
    if (open.length === marks.length && open.every((name, at) => name === marks[at])) return;
    for (const name of open.toReversed()) this.#paragraph.html += `</${name}>`;
    for (const name of marks) this.#paragraph.html += `<${name}>`;
    this.#paragraph.marks = marks;
  }
}

function emptyParagraph(): Paragraph {
  return { html: '', marks: [], linkEnd: '', marker: undefined };
}

function noteId(at: number): string {
  return escapeAttribute(`rtf-note-${at + 1}`);
}

const depthMax = 9;

interface Item {
  readonly html: string;
  readonly isNumbered: boolean;
  /** Undefined if only its indent shows it. */
  readonly depth: number | undefined;
}

/** Returns undefined for a paragraph that is no item of a list. */
function itemOf(html: string, marker: string | undefined, format: RtfFormat): Item | undefined {
  if (marker !== undefined || format.list > 0)
    return { html, isNumbered: isNumber(marker ?? ''), depth: format.listLevel + 1 };
  // Without lists, programs write a bullet and a tab before the first line, which begins left of the others.
  const written = format.firstIndent < 0 ? /^([^\s<&]{1,8}|\([^\s<&]{1,6}\))\t\s*(?=\S)/.exec(html) : null;
  const [before = '', bullet = ''] = written ?? [];
  if (written === null || !(isNumber(bullet) || /^[^\p{L}\p{N}]$|^o$/u.test(bullet))) return undefined;
  return { html: html.slice(before.length), isNumbered: isNumber(bullet), depth: undefined };
}

/** `1.`, `(a)` or `iv)`. A single `o` is a bullet in another font. */
function isNumber(marker: string): boolean {
  return /^\(?(?:\d+|[a-z]{1,6}(?=[.)]))[.)]?$/i.test(marker.trim());
}
