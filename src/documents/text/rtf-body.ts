/** Writes the paragraphs, lists, tables and links of an RTF file, or of one of its notes, as HTML. */
import { element, endTags, htmlText, linkStart, startTags, textOf } from '../parts/html-text.ts';
import { TextWriter } from '../parts/text-writer.ts';
import type { RtfFormat } from './rtf-words.ts';

export class RtfBody {
  /** Levels of headings, from 0, by the number of their style. */
  readonly #levels: ReadonlyMap<number, number>;
  readonly #text = new TextWriter();
  /** The current paragraph, the marks and the link that are open at its end, and its number or bullet. */
  #html = '';
  #marks: readonly string[] = [];
  #linkEnd = '';
  #marker: string | undefined;
  /** Paragraphs of the current cell, cells of the current row, and rows of the current table. */
  #cell: string[] = [];
  #row: string[] = [];
  #rows: string[] = [];
  /** Indents of the open lists, outermost first, where only indents show the depth. */
  #indents: number[] = [];

  constructor(levels: ReadonlyMap<number, number>) {
    this.#levels = levels;
  }

  get firstHeading(): string | undefined {
    return this.#text.firstHeading;
  }

  /** Returns all that was written. Call it once, at the end. */
  finish(format: RtfFormat): string {
    this.endParagraph({ ...format, intbl: 0 });
    this.#endTable();
    return this.#text.end();
  }

  put(text: string, format: RtfFormat): void {
    if (text === '' || format.v || format.deleted) return;
    const { b, i, strike, super: raised, sub } = format;
    const marks = [b && 'strong', i && 'em', strike && 'del', raised ? 'sup' : sub && 'sub'];
    this.putHtml(
      htmlText(text),
      marks.filter((name) => typeof name === 'string'),
    );
  }

  putHtml(html: string, marks: readonly string[] = []): void {
    if (marks.join() !== this.#marks.join()) {
      this.#html += endTags(this.#marks) + startTags(marks);
      this.#marks = marks;
    }
    this.#html += html;
  }

  /** Adds to the number or bullet of the paragraph, as written for programs that know no lists. */
  putMarker(text: string): void {
    this.#marker = (this.#marker ?? '') + text;
  }

  startLink(href: string | undefined): void {
    const start = this.#linkEnd === '' ? linkStart(href) : undefined;
    if (start === undefined) return;
    this.putHtml(start);
    this.#linkEnd = '</a>';
  }

  endLink(): void {
    this.putHtml(this.#linkEnd);
    this.#linkEnd = '';
  }

  endParagraph(format: RtfFormat): void {
    const marker = this.#marker;
    this.endLink();
    const html = textOf(this.#html).trim() === '' ? '' : this.#html.replace(/^(?:&nbsp;|\s)+/, '').trimEnd();
    [this.#html, this.#marker] = ['', undefined];
    if (html === '') return;
    if (format.intbl) this.#cell.push(html);
    else this.#write(html, marker, format);
  }

  endCell(format: RtfFormat): void {
    this.endParagraph({ ...format, intbl: 1 });
    const [only = '', ...more] = this.#cell;
    this.#row.push(more.length === 0 ? only : this.#cell.map((html) => element('p', html)).join(''));
    this.#cell = [];
  }

  /** The first row is the header: few programs mark it, and a Markdown table has one. */
  endRow(): void {
    const name = this.#rows.length === 0 ? 'th' : 'td';
    if (this.#row.length > 0) this.#rows.push(element('tr', this.#row.map((html) => element(name, html)).join('')));
    this.#row = [];
  }

  #write(html: string, marker: string | undefined, format: RtfFormat): void {
    this.#endTable();
    const level = format.outlinelevel ?? this.#levels.get(format.s ?? -1) ?? 9;
    const isHeading = level >= 0 && level < 9;
    const item = isHeading ? undefined : itemOf(html, marker, format);
    if (item) {
      this.#text.here.item(item.tag, item.depth ?? this.#depthOf(format.li ?? 0), item.html);
      return;
    }
    this.#indents = [];
    // All of a heading is bold.
    if (isHeading) this.#text.paragraph(html.replaceAll(/<\/?strong>/g, ''), { level: level + 1 });
    else this.#text.paragraph(html, {});
  }

  #depthOf(indent: number): number {
    while ((this.#indents.at(-1) ?? -1) > indent) this.#indents.pop();
    if (this.#indents.at(-1) !== indent && this.#indents.length < 9) this.#indents.push(indent);
    return this.#indents.length;
  }

  /** Rows are no table before the paragraph after them. */
  #endTable(): void {
    if (this.#cell.length > 0) this.endCell({});
    this.endRow();
    if (this.#rows.length === 0) return;
    this.#text.here.endLists();
    this.#text.put(element('table', this.#rows.join('')));
    this.#rows = [];
  }
}

/** Returns undefined for a paragraph that is no item of a list; `depth` is undefined if only its indent shows it. */
function itemOf(html: string, marker: string | undefined, { ls, ilvl = 0, fi = 0 }: RtfFormat) {
  if (marker !== undefined || ls) return { html, tag: tagOf(marker ?? ''), depth: Math.min(Math.max(ilvl, 0), 8) + 1 };
  // Without lists, programs write a bullet and a tab before the first line, which begins left of the others.
  const written = fi < 0 ? /^([^\s<&]{1,8}|\([^\s<&]{1,6}\))\t\s*(?=\S)/.exec(html) : null;
  const [before = '', bullet = ''] = written ?? [];
  if (tagOf(bullet) === 'ul' && !/^[^\p{L}\p{N}]$|^o$/u.test(bullet)) return undefined;
  return { html: html.slice(before.length), tag: tagOf(bullet), depth: undefined };
}

/** `1.`, `(a)` or `iv)` is a number. A single `o` is a bullet in another font. */
function tagOf(marker: string): 'ol' | 'ul' {
  return /^\(?(?:\d+|[a-z]{1,6}(?=[.)]))[.)]?$/i.test(marker.trim()) ? 'ol' : 'ul';
}
