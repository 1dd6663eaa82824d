// Writes the paragraphs, tables and notes of a Word file as HTML. Deleted text is left out.
import { endTags, htmlText, linkStart, startTags } from '../parts/html-text.ts';
import type { ItemLabel } from '../parts/list-labels.ts';
import type { XmlAttributes, XmlElement, XmlHandler } from '../parts/read-xml.ts';
import { TextWriter, noteReference } from '../parts/text-writer.ts';
import { FieldReader, linkOf } from './docx-fields.ts';
import { withFormulas } from './docx-formula.ts';
import type { DocxLists } from './docx-lists.ts';
import { isOn, withMark } from './docx-marks.ts';
import { outlineHeading, type DocxStyles, type ParagraphStyle } from './docx-styles.ts';
import type { Relationship } from './office-parts.ts';

/** Characters of the fonts Symbol and Wingdings, which have codes of their own (`w:sym`, U+F020 to U+F0FF). */

const greek = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const smallGreek = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

const symbols: ReadonlyMap<number, string> = new Map([
  ...Array.from(greek, (letter, at) => [0x41 + at, letter] as const),
  ...Array.from(smallGreek, (letter, at) => [0x61 + at, letter] as const),
  ...signs('a3 ≤, a5 ∞, ac ←, ad ↑, ae →, af ↓, b0 °, b1 ±, b3 ≥, b4 ×, b6 ∂, b7 •, b8 ÷, b9 ≠'),
  ...signs('ba ≡, bb ≈, bc …, ce ∈, cf ∉, d2 ®, d3 ©, d4 ™, d5 ∏, d6 √, db ⇔, dc ⇐, de ⇒, e5 ∑, f2 ∫'),
]);

const wingdings: ReadonlyMap<number, string> = new Map(
  signs('4a ☺, 6c ●, 6e ■, 6f ☐, 71 ❑, 76 ❖, a7 ▪, a8 ☐, b7 •, d8 ➢, df ←, e0 →, fb ✗, fc ✓, fd ☒, fe ☑'),
);

/** Codes in hex, each with its sign. */
function signs(list: string): (readonly [code: number, sign: string])[] {
  return list.split(', ').map((pair) => [Number.parseInt(pair, 16), pair.slice(3)]);
}

/** Empty for a picture that Unicode does not have, or that this does not know. */
function symbolOf(font: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (!(code > 0x1f && code < 0xffff)) return '';
  const own = code >= 0xf000 ? code - 0xf000 : code;
  if (/^symbol/i.test(font)) return symbols.get(own) ?? (own < 0x7f ? String.fromCharCode(own) : '');
  if (/^wingdings$/i.test(font)) return wingdings.get(own) ?? '';
  return code >= 0xd800 && code < 0xf900 ? '' : String.fromCharCode(code);
}

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

/** A footnote or endnote. */
interface Note {
  /** The id that references use. */
  readonly id: string;
  readonly html: string;
}

export class BodyWriter {
  readonly #styles: DocxStyles;
  readonly #lists: DocxLists;
  readonly #links: ReadonlyMap<string, Relationship>;
  readonly #text = new TextWriter(' · ');
  /** A stack: text boxes nest paragraphs in paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  /** The closing markup of each open hyperlink; '' if it has none. */
  readonly #linkEnds: string[] = [];
  readonly #fields = new FieldReader();
  #isInRun = false;
  #isHidden = false;
  /** How the base of a ruby is read: it comes before the base. */
  #reading: string[] | undefined;
  #isInReading = false;
  #marks = noMarks;
  #written = noMarks;
  #noteId = '';
  /** The notes of this part, if it is a part with notes. */
  readonly notes: Note[] = [];
  /** Ids of the notes that the text refers to. */
  readonly noteIds = new Set<string>();

  constructor({ styles, lists }: DocxDefinitions, links: ReadonlyMap<string, Relationship>) {
    this.#styles = styles;
    this.#lists = lists;
    this.#links = links;
  }

  get firstHeading(): string | undefined {
    return this.#text.firstHeading;
  }

  finish(): string {
    return this.#text.end();
  }

  readonly #elements: Readonly<Record<string, XmlElement>> = {
    p: { open: () => this.#beginParagraph(), close: () => this.#endParagraph() },
    pStyle: this.#property((value = '') => ({ style: value })),
    jc: this.#property((value) => ({ align: value === 'center' ? value : isRight(value) ? 'right' : undefined })),
    numId: this.#property((value) => ({ listId: value })),
    ilvl: this.#property((value) => ({ listLevel: Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), 8) })),
    outlineLvl: this.#property((value) => ({ outlineLevel: Number(value) })),
    r: { open: () => this.#beginRun(), close: () => (this.#isInRun = false) },
    b: this.#mark('b'),
    i: this.#mark('i'),
    strike: this.#mark('strike'),
    dstrike: this.#mark('dstrike'),
    vertAlign: this.#mark('vertAlign'),
    rStyle: this.#mark('rStyle'),
    vanish: { open: ({ 'w:val': value }) => this.#isInRun && (this.#isHidden = isOn(value)) },
    t: { close: (text) => this.#put(text) },
    instrText: { close: (text) => this.#put(text) },
    sym: { open: ({ 'w:font': font = '', 'w:char': code = '' }) => this.#put(symbolOf(font, code)) },
    tab: { open: () => this.#isInRun && this.#write(' ') },
    br: { open: () => this.#isInRun && this.#write('<br>') },
    cr: { open: () => this.#isInRun && this.#write('<br>') },
    noBreakHyphen: { open: () => this.#write('-') },
    rt: { open: () => this.#beginReading(), close: () => this.#endReading() },
    rubyBase: { close: () => this.#endRuby() },
    fldChar: { open: ({ 'w:fldCharType': type }) => this.#writePlain(this.#fields.mark(type)) },
    fldSimple: {
      open: ({ 'w:instr': instruction = '' }) => this.#beginLink(linkOf(instruction)),
      close: () => this.#endLink(),
    },
    hyperlink: {
      open: ({ 'r:id': id = '' }) => this.#beginLink(linkStart(this.#links.get(id)?.target)),
      close: () => this.#endLink(),
    },
    footnoteReference: { open: ({ 'w:id': id }) => this.#refer(`footnote-${id ?? ''}`) },
    endnoteReference: { open: ({ 'w:id': id }) => this.#refer(`endnote-${id ?? ''}`) },
    footnote: { open: ({ 'w:id': id }) => this.#beginNote(`footnote-${id ?? ''}`), close: () => this.#endNote() },
    endnote: { open: ({ 'w:id': id }) => this.#beginNote(`endnote-${id ?? ''}`), close: () => this.#endNote() },
    tbl: { open: () => this.#text.beginTable(), close: () => this.#text.endTable() },
    tblLook: { open: (attributes) => this.#text.headFirst(hasHead(attributes)) },
    tr: { open: () => this.#text.beginRow() },
    tblHeader: { open: ({ 'w:val': value }) => this.#text.headRow(isOn(value)) },
    gridBefore: { open: ({ 'w:val': value }) => this.#text.skipColumns(Number(value)) },
    tc: { open: () => this.#text.beginCell(), close: () => this.#text.endCell() },
    gridSpan: { open: ({ 'w:val': value }) => this.#text.span(Number(value)) },
    vMerge: { open: ({ 'w:val': value }) => this.#text.merge(value === 'restart' ? 'begin' : 'continue') },
  };

  readonly handler: XmlHandler = {
    ...withFormulas(this.#elements, (html) => this.#writePlain(html)),
    leavesOut: (name) => leftOut.has(name),
  };

  /** Of a paragraph: `stated` says what the value of its element means. */
  #property(stated: (value: string | undefined) => Partial<Paragraph>): XmlElement {
    return { open: ({ 'w:val': value }) => void Object.assign(this.#paragraphs.at(-1) ?? {}, stated(value)) };
  }

  #mark(name: string): XmlElement {
    return {
      open: ({ 'w:val': value }) => {
        if (!this.#isInRun) return;
        this.#marks = withMark(this.#marks, name, value);
        if (name === 'rStyle') this.#isHidden ||= this.#styles(value ?? '').isHidden;
      },
    };
  }

  #beginRun(): void {
    const paragraph = this.#paragraphs.at(-1);
    this.#isInRun = true;
    this.#marks = noMarks;
    this.#isHidden = paragraph !== undefined && this.#styles(paragraph.style).isHidden;
  }

  #put(text: string): void {
    if (text === '') return;
    if (this.#fields.isInInstruction) {
      this.#fields.instruct(text);
      return;
    }
    if (this.#isHidden && this.#isInRun) return;
    if (this.#marks !== this.#written && this.#marks.join() !== this.#written.join()) {
      this.#writePlain(startTags(this.#marks));
      this.#written = this.#marks;
    }
    this.#write(htmlText(text));
  }

  #write(html: string): void {
    if (this.#isInReading) this.#reading?.push(html);
    else this.#paragraphs.at(-1)?.html.push(html);
  }

  /** Ends the marks first. */
  #writePlain(html: string): void {
    const end = endTags(this.#written);
    if (end + html !== '') this.#write(end + html);
    this.#written = noMarks;
  }

  #beginLink(start: string | undefined): void {
    this.#writePlain(start ?? '');
    this.#linkEnds.push(start === undefined ? '' : '</a>');
  }

  #endLink(): void {
    this.#writePlain(this.#linkEnds.pop() ?? '');
  }

  #beginReading(): void {
    this.#writePlain('');
    this.#reading = [];
    this.#isInReading = true;
  }

  #endReading(): void {
    this.#writePlain('');
    this.#isInReading = false;
  }

  #endRuby(): void {
    const reading = this.#reading?.join('') ?? '';
    this.#reading = undefined;
    this.#writePlain(reading === '' ? '' : `(${reading})`);
  }

  #refer(id: string): void {
    this.noteIds.add(id);
    this.#writePlain(noteReference(id, this.noteIds.size));
  }

  #beginNote(id: string): void {
    this.#noteId = id;
    this.#text.begin();
  }

  #endNote(): void {
    const html = this.#text.end();
    if (html !== '') this.notes.push({ id: this.#noteId, html });
  }

  #beginParagraph(): void {
    this.#writePlain('');
    this.#paragraphs.push({
      html: [],
      style: '',
      outlineLevel: undefined,
      listId: undefined,
      listLevel: undefined,
      align: undefined,
    });
  }

  #endParagraph(): void {
    this.#writePlain(this.#fields.endParagraph());
    const paragraph = this.#paragraphs.pop();
    if (!paragraph) return;
    this.#text.align(paragraph.align);
    const style = this.#styles(paragraph.style);
    const text = paragraph.html.join('');
    if (style.kind === 'code') {
      this.#text.here.code(text);
      return;
    }
    const html = text.trim();
    if (html === '') return;
    const level = paragraph.outlineLevel === undefined ? style.headingLevel : outlineHeading(paragraph.outlineLevel);
    this.#text.paragraph(html, { level, isQuote: style.kind === 'quote', ...this.#labelOf(paragraph, style) });
  }

  /** Counts the paragraph if it is an item of a list. */
  #labelOf(paragraph: Paragraph, style: ParagraphStyle): { label?: ItemLabel; depth?: number } {
    const listId = paragraph.listId ?? style.listId;
    if (listId === undefined || listId === '0') return {};
    const stated = paragraph.listLevel ?? style.listLevel;
    const level = stated ?? this.#lists.levelOf(listId, paragraph.style) ?? 0;
    return { label: this.#lists.next(listId, level), depth: level + 1 };
  }
}

const noMarks: readonly string[] = [];

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

/** Of a table, as an attribute or as a bit of all. */
function hasHead({ 'w:firstRow': firstRow, 'w:val': value = '' }: XmlAttributes): boolean {
  return firstRow === '1' || (Number.parseInt(value, 16) & 0x20) !== 0;
}
