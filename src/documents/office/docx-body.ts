// Writes the paragraphs, tables and notes of a Word file as HTML. Deleted text is left out.
import { escapeAttribute } from 'entities';
import type { ItemLabel } from '../parts/list-labels.ts';
import { NestedLists } from '../parts/nested-lists.ts';
import { type Formula, formulaHtml, FormulaReader } from './docx-formula.ts';
import { endOf, isOn, type Marks, startOf, withMark } from './docx-marks.ts';
import { FieldReader, linkOf } from './docx-fields.ts';
import type { DocxLists } from './docx-lists.ts';
import { type Note, noteId } from './docx-notes.ts';
import type { DocxStyles, ParagraphStyle } from './docx-styles.ts';
import { symbolOf } from './docx-symbols.ts';
import { DocxTables } from './docx-table.ts';
import { element, htmlText, linkStart, textOf } from '../parts/html-text.ts';
import type { Relationship } from './office-parts.ts';
import type { XmlAttributes } from '../parts/read-xml.ts';

interface Paragraph {
  readonly html: string[];
  style: string;
  outlineLevel: number | undefined;
  listId: string | undefined;
  listLevel: number | undefined;
  align: 'center' | 'right' | undefined;
}

export interface DocxDefinitions {
  readonly styles: DocxStyles;
  readonly lists: DocxLists;
}

export class BodyWriter {
  readonly #styles: DocxStyles;
  readonly #listDefinitions: DocxLists;
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #parts: string[] = [];
  /** A stack: text boxes nest paragraphs in paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  readonly #lists = new NestedLists(this.#parts);
  /** The closing markup of each open hyperlink; '' if it has none. */
  readonly #linkEnds: string[] = [];
  readonly #formula = new FormulaReader();
  readonly #fields = new FieldReader();
  readonly #tables = new DocxTables(this.#parts);
  /** Number of open elements within skipped content. */
  #skipped = 0;
  #isInRun = false;
  #isInText = false;
  #isHidden = false;
  /** How the base of a ruby is read: it comes before the base. */
  #reading: string[] | undefined;
  #isInReading = false;
  #marks: Marks = '';
  #written: Marks = '';
  #noteStart = { id: '', parts: 0 };
  firstHeading: string | undefined;
  /** The notes of this part, if it is a part with notes. */
  readonly notes: Note[] = [];
  /** Ids of the notes that the text refers to. */
  readonly noteIds = new Set<string>();

  constructor({ styles, lists }: DocxDefinitions, links: ReadonlyMap<string, Relationship>) {
    this.#styles = styles;
    this.#listDefinitions = lists;
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
          listLevel: undefined,
          align: undefined,
        });
        break;
      case 'r':
        this.#isInRun = true;
        this.#marks = '';
        this.#isHidden = paragraph !== undefined && this.#styles.hidesText(paragraph.style);
        break;
      case 'b':
      case 'i':
      case 'strike':
      case 'dstrike':
      case 'vertAlign':
      case 'rStyle':
        if (this.#isInRun) this.#marks = withMark(this.#marks, name, attributes);
        if (this.#isInRun && name === 'rStyle') this.#isHidden ||= this.#styles.hidesText(value ?? '');
        break;
      case 'vanish':
        if (this.#isInRun) this.#isHidden = isOn(value);
        break;
      case 'sym':
        this.#isInText = true;
        this.text(symbolOf(attributes['w:font'] ?? '', attributes['w:char'] ?? ''));
        this.#isInText = false;
        break;
      case 'rt':
        this.#endMarks();
        this.#reading = [];
        this.#isInReading = true;
        break;
      case 'fldChar':
        this.#endMarks();
        this.#write(this.#fields.mark(attributes['w:fldCharType']));
        break;
      case 'fldSimple':
        this.#endMarks();
        this.#openLink(linkOf(attributes['w:instr'] ?? ''));
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
      case 'instrText':
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
      case 'hyperlink':
        this.#endMarks();
        this.#openLink(linkStart(this.#links.get(attributes['r:id'] ?? '')?.target));
        break;
      default:
        if (paragraph) setProperty(paragraph, name, value);
        this.#openInTable(name, attributes);
    }
  }

  #openInTable(name: string, attributes: XmlAttributes): void {
    const value = attributes['w:val'];
    switch (name) {
      case 'tbl':
        this.#lists.end(0);
        this.#tables.begin();
        break;
      case 'tblLook':
        this.#tables.look(attributes['w:firstRow'] === '1' || (Number.parseInt(value ?? '', 16) & 0x20) !== 0);
        break;
      case 'tr':
        this.#tables.beginRow();
        break;
      case 'gridBefore':
        this.#tables.skipColumns(Number(value));
        break;
      case 'tblHeader':
        this.#tables.headRow(isOn(value));
        break;
      case 'tc':
        this.#tables.beginCell();
        break;
      case 'gridSpan':
        this.#tables.span(Number(value));
        break;
      case 'vMerge':
        this.#tables.merge(value);
        break;
    }
  }

  text(text: string): void {
    if (this.#formula.isReading && this.#skipped === 0) this.#formula.text(text);
    if (this.#skipped > 0 || !this.#isInText || text === '') return;
    if (this.#fields.isInInstruction) {
      this.#fields.instruct(text);
      return;
    }
    if (this.#isHidden && this.#isInRun) return;
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
      case 'instrText':
        this.#isInText = false;
        break;
      case 'rubyBase':
        this.#endMarks();
        this.#endRuby();
        break;
      case 'rt':
        this.#endMarks();
        this.#isInReading = false;
        break;
      case 'hyperlink':
      case 'fldSimple':
        this.#endMarks();
        this.#write(this.#linkEnds.pop() ?? '');
        break;
      case 'p': {
        this.#endMarks();
        this.#write(this.#fields.endParagraph());
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
        this.#tables.endCell();
        break;
      case 'tr':
        this.#tables.endRow();
        break;
      case 'tbl':
        this.#tables.end();
        break;
    }
  }

  #writeFormula(formula: Formula): void {
    this.#endMarks();
    this.#write(formulaHtml(formula));
  }

  #openLink(start: string | undefined): void {
    if (start !== undefined) this.#write(start);
    this.#linkEnds.push(start === undefined ? '' : '</a>');
  }

  #endRuby(): void {
    const reading = this.#reading?.join('') ?? '';
    this.#reading = undefined;
    if (reading !== '') this.#write(`(${reading})`);
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
    if (this.#isInReading) this.#reading?.push(html);
    else this.#paragraphs.at(-1)?.html.push(html);
  }

  #endMarks(): void {
    if (this.#written !== '') this.#write(endOf(this.#written));
    this.#written = '';
  }

  #endParagraph(paragraph: Paragraph): void {
    this.#tables.align(paragraph.align);
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
    const label = this.#labelOf(paragraph, style);
    if (level !== undefined) {
      this.#lists.end(0);
      const shown = label?.item.shown ?? '';
      this.#parts.push(element(`h${level}`, shown === '' ? html : `${htmlText(shown)} ${html}`));
      this.firstHeading ??= textOf(html);
    } else if (label?.item.kind === 'none') this.#lists.addParagraph(label.depth, html);
    else if (label) {
      const { kind, number, text } = label.item;
      this.#lists.add(kind, label.depth, text === '' ? html : `${htmlText(text)} ${html}`, number);
    } else {
      this.#lists.end(0);
      this.#parts.push(style.kind === 'quote' ? element('blockquote', element('p', html)) : element('p', html));
    }
  }

  /** Counts the paragraph if it is an item of a list. */
  #labelOf(
    paragraph: Paragraph,
    style: ParagraphStyle,
  ): { readonly item: ItemLabel; readonly depth: number } | undefined {
    const listId = paragraph.listId ?? style.listId;
    if (listId === undefined || listId === '0') return undefined;
    const stated = paragraph.listLevel ?? style.listLevel;
    const level = stated ?? this.#listDefinitions.levelOf(listId, paragraph.style) ?? 0;
    return { item: this.#listDefinitions.next(listId, level), depth: level + 1 };
  }
}

/** `Fallback` repeats the element before it; `moveFrom` text also stands at its new place. */
const leftOut: ReadonlySet<string> = new Set([
  'Fallback',
  'moveFrom',
  'del',
  'rPrChange',
  'pPrChange',
  'numberingChange',
]);

/** `end` is right, except in text from right to left. */
function isRight(value: string | undefined): boolean {
  return value === 'right' || value === 'end';
}

/** Outline levels count from 0; 9 is body text. */
function headingLevelOf(outlineLevel: number): number | undefined {
  return outlineLevel >= 0 && outlineLevel < 9 ? Math.min(outlineLevel + 1, 6) : undefined;
}

function setProperty(paragraph: Paragraph, name: string, value: string | undefined): void {
  switch (name) {
    case 'jc':
      paragraph.align = value === 'center' ? value : isRight(value) ? 'right' : undefined;
      break;
    case 'pStyle':
      paragraph.style = value ?? '';
      break;
    case 'numId':
      paragraph.listId = value;
      break;
    case 'ilvl':
      paragraph.listLevel = Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), 8);
      break;
    case 'outlineLvl':
      paragraph.outlineLevel = Number(value);
      break;
  }
}
