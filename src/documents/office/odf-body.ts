// Writes the text and the slides of an OpenDocument file (ODF 1.3, part 3) as HTML. Deleted and hidden text is left out.
import { element, htmlText, linkStart, textOf } from '../parts/html-text.ts';
import { type ItemLabel, ListLabels } from '../parts/list-labels.ts';
import { NestedLists } from '../parts/nested-lists.ts';
import type { XmlAttributes } from '../parts/read-xml.ts';
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

/** Where text goes: a page, a cell, a note or a text box. */
interface Target {
  readonly name: string;
  readonly parts: string[];
  readonly lists: NestedLists;
  readonly open: OpenList[];
}

export class OdfBody {
  readonly #styles: OdfStyles;
  /** MathML by the name of its object. */
  readonly #formulas: ReadonlyMap<string, string>;
  readonly #targets: Target[] = [];
  readonly #paragraphs: Paragraph[] = [];
  readonly #spanEnds: string[] = [];
  readonly #labels = new ListLabels();
  readonly #notes: string[] = [];
  /** Number of open elements within skipped content. */
  #skipped = 0;
  #isInHeader = false;
  /** Of the last list of a style, and of lists by their names. */
  readonly #listIds = new Map<string, string>();
  #listCount = 0;
  #slide: { title: string; notes: string } | undefined;
  #frameClass = '';
  #describes: string[] | undefined;
  firstHeading: string | undefined;
  readonly slides: string[] = [];
  slideCount = 0;

  constructor(styles: OdfStyles, formulas: ReadonlyMap<string, string>) {
    this.#styles = styles;
    this.#formulas = formulas;
    this.#begin('body');
  }

  get html(): string {
    const body = this.#targets[0];
    body?.lists.end(0);
    const notes = this.#notes.map((html, at) => `<li id="note-${at + 1}">${html}</li>`).join('');
    return joined(body?.parts ?? []) + (notes === '' ? '' : `<ol class="footnotes">${notes}</ol>`);
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || leftOut.has(name) || name.endsWith('-source') || this.#isHidden(name, attributes)) {
      this.#skipped++;
      return;
    }
    switch (name) {
      case 'p':
      case 'h':
        this.#paragraphs.push({
          html: [],
          style: attributes['text:style-name'] ?? '',
          isHeading: name === 'h',
          level: Math.min(Math.max(Math.trunc(Number(attributes['text:outline-level'])) || 1, 1), 10),
          isUnnumbered: attributes['text:is-list-header'] === 'true',
          isHidden: this.#styles.of(attributes['text:style-name']).isHidden === true,
        });
        break;
      case 'span':
        this.#startSpan(attributes['text:style-name']);
        break;
      case 'a': {
        const start = linkStart(attributes['xlink:href']);
        this.#write(start ?? '');
        this.#spanEnds.push(start === undefined ? '' : '</a>');
        break;
      }
      case 's':
        this.#write(' '.repeat(Math.min(Math.max(Math.trunc(Number(attributes['text:c'])) || 1, 1), 200)));
        break;
      case 'tab':
        this.#write(' ');
        break;
      case 'line-break':
        this.#write('<br>');
        break;
      case 'ruby-text':
        this.#write('(');
        break;
      case 'list':
        this.#startList(attributes);
        break;
      case 'list-item':
      case 'list-header': {
        const list = this.#target?.open.at(-1);
        if (!list) break;
        Object.assign(list, { isFresh: true, isHeader: name === 'list-header' });
        if (attributes['text:start-value'] !== undefined) list.start = Number(attributes['text:start-value']) || 0;
        break;
      }
      case 'table':
        this.#target?.lists.end(0);
        this.#put(this.#isInCell ? '' : '<table>');
        break;
      case 'table-header-rows':
        this.#isInHeader = true;
        break;
      case 'table-row':
        this.#put(this.#isInCell ? '<p>' : '<tr>');
        break;
      case 'table-cell':
        this.#put(this.#isInCell ? '' : cellStart(this.#isInHeader ? 'th' : 'td', attributes));
        this.#begin('table-cell');
        break;
      case 'frame':
      case 'custom-shape':
      case 'notes':
      case 'note-body':
      case 'text-box':
        if (name === 'frame') this.#frameClass = attributes['presentation:class'] ?? '';
        this.#begin(name);
        break;
      case 'title':
      case 'desc':
        // There is a field `title`, too.
        if (this.#target?.name === 'frame' || this.#target?.name === 'custom-shape') this.#describes = [];
        break;
      case 'object':
        this.#write(this.#formulas.get((attributes['xlink:href'] ?? '').replaceAll(/^\.\/|\/$/g, '')) ?? '');
        break;
      case 'page':
        this.#slide = { title: '', notes: '' };
        this.slideCount++;
        this.#begin(name);
        break;
    }
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#describes) this.#describes.push(text);
    else this.#write(htmlText(text.replaceAll(/\s+/g, ' ')));
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    switch (name) {
      case 'p':
      case 'h':
        this.#endParagraph(this.#paragraphs.pop());
        break;
      case 'span':
      case 'a':
        this.#write(this.#spanEnds.pop() ?? '');
        break;
      case 'ruby-text':
        this.#write(')');
        break;
      case 'list':
        this.#target?.open.pop();
        if (this.#target?.open.length === 0) this.#target.lists.end(0);
        break;
      case 'table':
        this.#put(this.#isInCell ? '' : '</table>');
        break;
      case 'table-header-rows':
        this.#isInHeader = false;
        break;
      case 'table-row':
        this.#put(this.#isInCell ? '</p>' : '</tr>');
        break;
      case 'table-cell': {
        const html = this.#end(name);
        this.#put(
          this.#isInCell ? `${html.replaceAll(/<\/?p>/g, ' ').trim()} ` : html + (this.#isInHeader ? '</th>' : '</td>'),
        );
        break;
      }
      case 'note-body':
        this.#notes.push(this.#end(name));
        this.#write(`<sup><a class="footnote-ref" href="#note-${this.#notes.length}">${this.#notes.length}</a></sup>`);
        break;
      case 'title':
      case 'desc': {
        const description = this.#describes?.join('').trim() ?? '';
        this.#describes = undefined;
        if (description !== '') this.#put(element('p', htmlText(description)));
        break;
      }
      case 'text-box':
      case 'custom-shape':
        this.#put(this.#end(name));
        break;
      case 'frame':
        this.#endFrame(this.#end(name));
        break;
      case 'notes':
        if (this.#slide) this.#slide.notes = this.#end(name);
        else this.#end(name);
        break;
      case 'page':
        this.#endSlide(this.#end(name));
        break;
    }
  }

  get #target(): Target | undefined {
    return this.#targets.at(-1);
  }

  get #isInCell(): boolean {
    return this.#target?.name === 'table-cell';
  }

  #begin(name: string): void {
    const parts: string[] = [];
    this.#targets.push({ name, parts, lists: new NestedLists(parts), open: [] });
  }

  /** Returns what the target holds. Other elements than `name` are not closed in well-formed XML. */
  #end(name: string): string {
    if (this.#target?.name !== name) return '';
    const target = this.#targets.pop();
    target?.lists.end(0);
    return joined(target?.parts ?? []);
  }

  /** Adds blocks. */
  #put(html: string): void {
    if (html !== '') this.#target?.parts.push(html);
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

  #startSpan(styleId: string | undefined): void {
    const style = this.#styles.of(styleId);
    const isCode = this.#styles.isNamed(styleId, /^(?:Source(?:_20)?_Text|Teletype|User_20_Entry)$/);
    const names = [
      style.isBold === true && 'strong',
      style.isItalic === true && 'em',
      style.isStruck === true && 'del',
      (style.raised === 'sup' || style.raised === 'sub') && style.raised,
      isCode && 'code',
    ].filter((name) => name !== false);
    this.#write(names.map((name) => `<${name}>`).join(''));
    this.#spanEnds.push(
      names
        .toReversed()
        .map((name) => `</${name}>`)
        .join(''),
    );
  }

  #startList(attributes: XmlAttributes): void {
    const target = this.#target;
    if (!target) return;
    const above = target.open.at(-1);
    const style = attributes['text:style-name'] ?? above?.style ?? '';
    const goesOn = attributes['text:continue-numbering'] === 'true' || attributes['text:continue-list'] !== undefined;
    const before = goesOn ? this.#listIds.get(attributes['text:continue-list'] ?? style) : undefined;
    const id = above?.id ?? before ?? `${style} ${++this.#listCount}`;
    if (!above) {
      this.#listIds.set(style, id);
      const ownId = attributes['xml:id'];
      if (ownId !== undefined) this.#listIds.set(ownId, id);
    }
    target.open.push({ style, id, isFresh: false, isHeader: false, start: undefined });
  }

  #endParagraph(paragraph: Paragraph | undefined): void {
    const target = this.#target;
    if (!paragraph || !target) return;
    const text = paragraph.html.join('');
    if (!paragraph.isHeading && this.#styles.isNamed(paragraph.style, code)) {
      target.lists.end(0);
      this.#put(element('pre', element('code', text.replaceAll(/<\/?code>/g, '').replaceAll('<br>', '\n'))));
      return;
    }
    const html = text.trim();
    if (html === '') return;
    const isTitle = this.#styles.isNamed(paragraph.style, /^Title$/) && !this.#slide;
    if (paragraph.isHeading || isTitle) {
      target.lists.end(0);
      this.firstHeading ??= textOf(html);
      const levels = this.#styles.lists.get(outlineId) ?? [];
      const isCounted = paragraph.isHeading && !paragraph.isUnnumbered;
      const label = isCounted ? this.#labels.next(outlineId, levels, paragraph.level - 1).shown : '';
      this.#put(element(`h${Math.min(paragraph.level, 6)}`, label === '' ? html : `${htmlText(label)} ${html}`));
      return;
    }
    if (target.open.length > 0) this.#putItem(target, html);
    else
      this.#put(
        this.#styles.isNamed(paragraph.style, quote) ? element('blockquote', element('p', html)) : element('p', html),
      );
  }

  #putItem({ open, lists }: Target, html: string): void {
    const list = open.at(-1);
    const depth = Math.min(open.length, 10);
    if (!list?.isFresh) {
      lists.addParagraph(depth, html);
      return;
    }
    list.isFresh = false;
    const label: ItemLabel = list.isHeader ? unmarked : this.#nextLabel(list, depth - 1);
    if (label.kind === 'none') lists.addParagraph(depth, html);
    else lists.add(label.kind, depth, label.text === '' ? html : `${htmlText(label.text)} ${html}`, label.number);
  }

  #nextLabel(list: OpenList, level: number): ItemLabel {
    if (list.start !== undefined) this.#labels.restart(list.id, level, list.start);
    list.start = undefined;
    return this.#labels.next(list.id, this.#styles.lists.get(list.style) ?? [], level);
  }

  #endFrame(html: string): void {
    // A slide can have several titles.
    if (this.#frameClass === 'title' && this.#slide?.title === '') this.#slide.title = titleOf(html);
    else this.#put(html);
    this.#frameClass = '';
  }

  #endSlide(html: string): void {
    const { title, notes } = this.#slide ?? { title: '', notes: '' };
    this.#slide = undefined;
    this.firstHeading ??= title === '' ? undefined : title;
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

function cellStart(tag: string, attributes: XmlAttributes): string {
  const spans = ['rows', 'columns'].map((what) => Math.trunc(Number(attributes[`table:number-${what}-spanned`])) || 1);
  const [rows = 1, columns = 1] = spans.map((span) => Math.min(Math.max(span, 1), spannedMax));
  return `<${tag}${rows > 1 ? ` rowspan="${rows}"` : ''}${columns > 1 ? ` colspan="${columns}"` : ''}>`;
}

/** Each line of code and each paragraph of a quotation is its own paragraph. */
function joined(parts: readonly string[]): string {
  return parts.join('').replaceAll('</code></pre><pre><code>', '\n').replaceAll('</blockquote><blockquote>', '');
}
