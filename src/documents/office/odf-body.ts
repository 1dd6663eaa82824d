// Writes the text and the slides of an OpenDocument file (ODF 1.3, part 3) as HTML. Deleted and hidden text is left out.
import { element, endTags, htmlText, linkStart, startTags, textOf } from '../parts/html-text.ts';
import { type ItemLabel, ListLabels } from '../parts/list-labels.ts';
import type { XmlAttributes, XmlElement, XmlHandler } from '../parts/read-xml.ts';
import { noteList, noteReference, TextWriter } from '../parts/text-writer.ts';
import { type OdfStyles, outlineId } from './odf-styles.ts';

interface Paragraph {
  readonly html: string[];
  readonly style: string;
  readonly isHeading: boolean;
  readonly level: number;
  readonly isUnnumbered: boolean;
  readonly isHidden: boolean;
}

/** An open list. `isFresh`: its item has no paragraph yet. */
interface OpenList {
  readonly style: string;
  readonly id: string;
  isFresh: boolean;
  isHeader: boolean;
  start: number | undefined;
}

/** What has a text of its own: a page, a cell, a note or a text box. */
interface Place {
  readonly name: string;
  readonly lists: OpenList[];
}

export class OdfBody {
  readonly #styles: OdfStyles;
  /** MathML by the name of its object. */
  readonly #formulas: ReadonlyMap<string, string>;
  readonly #text = new TextWriter();
  readonly #places: Place[] = [{ name: 'body', lists: [] }];
  readonly #paragraphs: Paragraph[] = [];
  readonly #spanEnds: string[] = [];
  readonly #labels = new ListLabels();
  readonly #notes: { readonly id: string; readonly html: string }[] = [];
  #isInHeader = false;
  /** Of the last list of a style, and of lists by their names. */
  readonly #listIds = new Map<string, string>();
  #listCount = 0;
  #slide: { title: string; notes: string } | undefined;
  #frameClass = '';
  #describes: string[] | undefined;
  readonly slides: string[] = [];
  slideCount = 0;

  constructor(styles: OdfStyles, formulas: ReadonlyMap<string, string>) {
    this.#styles = styles;
    this.#formulas = formulas;
  }

  get firstHeading(): string | undefined {
    return this.#text.firstHeading;
  }

  finish(): string {
    return this.#text.end() + noteList(this.#notes);
  }

  readonly #elements: Readonly<Record<string, XmlElement>> = {
    p: { open: (attributes) => this.#beginParagraph(attributes, false), close: () => this.#endParagraph() },
    h: { open: (attributes) => this.#beginParagraph(attributes, true), close: () => this.#endParagraph() },
    span: { open: ({ 'text:style-name': style }) => this.#beginSpan(style), close: () => this.#endSpan() },
    a: { open: ({ 'xlink:href': href }) => this.#beginLink(linkStart(href)), close: () => this.#endSpan() },
    s: { open: ({ 'text:c': count }) => this.#write(' '.repeat(within(count, 200))) },
    tab: { open: () => this.#write(' ') },
    'line-break': { open: () => this.#write('<br>') },
    'ruby-text': { open: () => this.#write('('), close: () => this.#write(')') },
    list: { open: (attributes) => this.#beginList(attributes), close: () => this.#endList() },
    'list-item': { open: (attributes) => this.#beginItem(attributes, false) },
    'list-header': { open: (attributes) => this.#beginItem(attributes, true) },
    table: { open: () => this.#text.beginTable(), close: () => this.#text.endTable() },
    'table-header-rows': { open: () => (this.#isInHeader = true), close: () => (this.#isInHeader = false) },
    'table-row': { open: () => this.#text.beginRow(this.#isInHeader) },
    'table-cell': { open: (attributes) => this.#beginCell(attributes), close: () => this.#endCell() },
    'note-body': { open: () => this.#begin('note-body'), close: () => this.#endNote() },
    'text-box': { open: () => this.#begin('text-box'), close: () => this.#text.put(this.#end()) },
    'custom-shape': { open: () => this.#begin('custom-shape'), close: () => this.#text.put(this.#end()) },
    frame: { open: (attributes) => this.#beginFrame(attributes), close: () => this.#endFrame(this.#end()) },
    title: { open: () => this.#beginDescription(), close: () => this.#endDescription() },
    desc: { open: () => this.#beginDescription(), close: () => this.#endDescription() },
    object: { open: ({ 'xlink:href': href = '' }) => this.#writeFormula(href) },
    notes: { open: () => this.#begin('notes'), close: () => this.#endSpeakerNotes(this.#end()) },
    page: { open: () => this.#beginSlide(), close: () => this.#endSlide(this.#end()) },
  };

  readonly handler: XmlHandler = {
    leavesOut: (name, attributes) => leftOut.has(name) || name.endsWith('-source') || this.#isHidden(name, attributes),
    elements: this.#elements,
    text: (text) => {
      if (this.#describes) this.#describes.push(text);
      else this.#write(htmlText(text.replaceAll(/\s+/g, ' ')));
    },
  };

  get #place(): Place | undefined {
    return this.#places.at(-1);
  }

  #begin(name: string): void {
    this.#places.push({ name, lists: [] });
    this.#text.begin();
  }

  #end(): string {
    this.#places.pop();
    return this.#text.end();
  }

  #beginCell(attributes: XmlAttributes): void {
    this.#places.push({ name: 'table-cell', lists: [] });
    const [rows, columns] = [attributes['table:number-rows-spanned'], attributes['table:number-columns-spanned']];
    this.#text.beginCell(within(columns, spannedMax), within(rows, spannedMax));
  }

  #endCell(): void {
    this.#places.pop();
    this.#text.endCell();
  }

  #endNote(): void {
    const id = `note-${this.#notes.length + 1}`;
    this.#notes.push({ id, html: this.#end() });
    this.#write(noteReference(id, this.#notes.length));
  }

  #beginDescription(): void {
    // There is a field `title`, too.
    if (this.#place?.name === 'frame' || this.#place?.name === 'custom-shape') this.#describes = [];
  }

  #endDescription(): void {
    const description = this.#describes?.join('').trim() ?? '';
    this.#describes = undefined;
    if (description !== '') this.#text.put(element('p', htmlText(description)));
  }

  #writeFormula(href: string): void {
    this.#write(this.#formulas.get(href.replaceAll(/^\.\/|\/$/g, '')) ?? '');
  }

  #write(html: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph?.isHidden === false) paragraph.html.push(html);
  }

  #isHidden(name: string, attributes: XmlAttributes): boolean {
    if (name === 'span') return this.#styles.of(attributes['text:style-name']).isHidden === true;
    if (name === 'page') return this.#styles.of(attributes['draw:style-name']).isHidden === true;
    if (name === 'hidden-text' || name === 'hidden-paragraph') return attributes['text:is-hidden'] === 'true';
    if (name === 'section') return attributes['text:display'] === 'none';
    return /^(?:page-number|date-time|footer|header|page)$/.test(attributes['presentation:class'] ?? '');
  }

  #beginSpan(styleId: string | undefined): void {
    const style = this.#styles.of(styleId);
    const isCode = this.#styles.isNamed(styleId, /^(?:Source(?:_20)?_Text|Teletype|User_20_Entry)$/);
    const names = [
      style.isBold === true && 'strong',
      style.isItalic === true && 'em',
      style.isStruck === true && 'del',
      (style.raised === 'sup' || style.raised === 'sub') && style.raised,
      isCode && 'code',
    ].filter((name) => name !== false);
    this.#write(startTags(names));
    this.#spanEnds.push(endTags(names));
  }

  #beginLink(start: string | undefined): void {
    this.#write(start ?? '');
    this.#spanEnds.push(start === undefined ? '' : '</a>');
  }

  #endSpan(): void {
    this.#write(this.#spanEnds.pop() ?? '');
  }

  #beginList(attributes: XmlAttributes): void {
    const lists = this.#place?.lists;
    const above = lists?.at(-1);
    const style = attributes['text:style-name'] ?? above?.style ?? '';
    const goesOn = attributes['text:continue-numbering'] === 'true' || attributes['text:continue-list'] !== undefined;
    const before = goesOn ? this.#listIds.get(attributes['text:continue-list'] ?? style) : undefined;
    const id = above?.id ?? before ?? `${style} ${++this.#listCount}`;
    if (!above) {
      this.#listIds.set(style, id);
      const ownId = attributes['xml:id'];
      if (ownId !== undefined) this.#listIds.set(ownId, id);
    }
    lists?.push({ style, id, isFresh: false, isHeader: false, start: undefined });
  }

  #beginItem({ 'text:start-value': start }: XmlAttributes, isHeader: boolean): void {
    const list = this.#place?.lists.at(-1);
    if (!list) return;
    Object.assign(list, { isFresh: true, isHeader });
    if (start !== undefined) list.start = Number(start) || 0;
  }

  #endList(): void {
    this.#place?.lists.pop();
    if (this.#place?.lists.length === 0) this.#text.here.endLists();
  }

  #beginParagraph(attributes: XmlAttributes, isHeading: boolean): void {
    const style = attributes['text:style-name'] ?? '';
    this.#paragraphs.push({
      html: [],
      style,
      isHeading,
      level: within(attributes['text:outline-level'], 10),
      isUnnumbered: attributes['text:is-list-header'] === 'true',
      isHidden: this.#styles.of(style).isHidden === true,
    });
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (!paragraph) return;
    const { style, isHeading, level } = paragraph;
    const text = paragraph.html.join('');
    if (!isHeading && this.#styles.isNamed(style, code)) {
      this.#text.here.code(text);
      return;
    }
    const html = text.trim();
    if (html === '') return;
    const list = this.#place?.lists.at(-1);
    const isTitle = this.#styles.isNamed(style, /^Title$/) && !this.#slide;
    if (isHeading || isTitle) {
      const isCounted = isHeading && !paragraph.isUnnumbered;
      const levels = this.#styles.lists.get(outlineId) ?? [];
      this.#text.paragraph(html, {
        level,
        ...(isCounted && { label: this.#labels.next(outlineId, levels, level - 1) }),
      });
    } else if (list) {
      const depth = Math.min(this.#place?.lists.length ?? 1, 10);
      this.#text.paragraph(html, { label: this.#labelIn(list, depth - 1), depth });
    } else this.#text.paragraph(html, { isQuote: this.#styles.isNamed(style, quote) });
  }

  /** Only the first paragraph of an item is marked. */
  #labelIn(list: OpenList, level: number): ItemLabel {
    const isMarked = list.isFresh && !list.isHeader;
    list.isFresh = false;
    if (!isMarked) return unmarked;
    if (list.start !== undefined) this.#labels.restart(list.id, level, list.start);
    list.start = undefined;
    return this.#labels.next(list.id, this.#styles.lists.get(list.style) ?? [], level);
  }

  #beginFrame(attributes: XmlAttributes): void {
    this.#frameClass = attributes['presentation:class'] ?? '';
    this.#begin('frame');
  }

  #endFrame(html: string): void {
    // A slide can have several titles.
    if (this.#frameClass === 'title' && this.#slide?.title === '') this.#slide.title = titleOf(html);
    else this.#text.put(html);
    this.#frameClass = '';
  }

  #endSpeakerNotes(html: string): void {
    if (this.#slide) this.#slide.notes = html;
  }

  #beginSlide(): void {
    this.#slide = { title: '', notes: '' };
    this.slideCount++;
    this.#begin('page');
  }

  #endSlide(html: string): void {
    const { title, notes } = this.#slide ?? { title: '', notes: '' };
    this.#slide = undefined;
    this.#text.firstHeading ??= title === '' ? undefined : title;
    const heading = title === '' ? '' : element('h2', htmlText(title));
    this.slides.push(heading + html + (notes === '' ? '' : element('blockquote', notes)));
  }
}

function titleOf(html: string): string {
  return textOf(html).replaceAll(/\s+/g, ' ').trim();
}

/** What is not the text of the document, or was deleted from it. */
const leftOut: ReadonlySet<string> = new Set([
  'tracked-changes',
  'note-citation',
  'annotation',
  'forms',
  'covered-table-cell',
  'settings',
  'binary-data',
  'sequence-decls',
  'variable-decls',
  'user-field-decls',
]);

const unmarked: ItemLabel = { kind: 'none', number: 0, shown: '', text: '' };

const quote = /^(?:Quotations|Quote|Block_20_Text|Blockquote)$/i;
const code = /^(?:Preformatted_20_Text|Source_20_Code|HTML_20_Preformatted)$/i;

const spannedMax = 1_000;

/** A stated number from 1 to `max`; 1 if there is none. */
function within(stated: string | undefined, max: number): number {
  return Math.min(Math.max(Math.trunc(Number(stated)) || 1, 1), max);
}
