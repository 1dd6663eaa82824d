import { element, htmlText } from './html-text.ts';
import type { ItemLabel } from './list-labels.ts';

/** What a paragraph is. */
export interface ParagraphForm {
  /** From 1, of a heading. */
  readonly level?: number | undefined;
  /** Of an item of a list, whose `depth` counts from 1; or of a heading. */
  readonly label?: ItemLabel | undefined;
  readonly depth?: number | undefined;
  readonly isQuote?: boolean;
}

/** Writes paragraphs, headings and lists as HTML. Files only state the kind and depth of each item of a list. */
export class Blocks {
  readonly #parts: string[] = [];
  readonly #lists: { readonly tag: string; depth: number; number: number }[] = [];

  /** Ends the lists, and returns all that was written. */
  end(): string {
    this.endLists();
    // Programs store each line of code and each paragraph of a quotation as its own paragraph. Join them.
    return this.#parts
      .join('')
      .replaceAll('</code></pre><pre><code>', '\n')
      .replaceAll('</blockquote><blockquote>', '');
  }

  /** Writes HTML as it is. */
  put(html: string): void {
    if (html !== '') this.#parts.push(html);
  }

  paragraph(html: string, { level, label, depth = 1, isQuote }: ParagraphForm): void {
    const marked = (mark = ''): string => (mark === '' ? html : `${htmlText(mark)} ${html}`);
    if (level === undefined && label?.kind === 'none') {
      this.endLists(depth);
      this.#parts.push(element('p', html));
    } else if (level === undefined && label) this.item(label.kind, depth, marked(label.text), label.number);
    else {
      this.endLists();
      if (level !== undefined) this.#parts.push(element(`h${Math.min(level, 6)}`, marked(label?.shown)));
      else this.#parts.push(isQuote === true ? element('blockquote', element('p', html)) : element('p', html));
    }
  }

  code(html: string): void {
    this.endLists();
    this.#parts.push(element('pre', element('code', html.replaceAll(/<\/?code>/g, '').replaceAll('<br>', '\n'))));
  }

  /**
   * `depth` counts from 1; an item without one above it starts its list. `number` is that of a numbered item: one that
   * does not follow the item before starts a list of its own. Without it, items are counted.
   */
  item(tag: string, depth: number, html: string, number?: number): void {
    this.endLists(depth, tag);
    const last = this.#lists.at(-1);
    if (last?.depth === depth) {
      const follows = tag === 'ul' || number === undefined || number === last.number + 1;
      if (last.tag === tag && follows) {
        last.number++;
        this.#parts.push(`</li><li>${html}`);
        return;
      }
      this.endLists(depth - 1);
    }
    const start = tag === 'ol' && number !== undefined && number !== 1 ? ` start="${number}"` : '';
    this.#parts.push(`<${tag}${start}><li>${html}`);
    this.#lists.push({ tag, depth, number: number ?? 1 });
  }

  /** Closes all lists deeper than `depth`. An outermost list that began too deep continues there if `tag` is its own. */
  endLists(depth = 0, tag?: string): void {
    const outermost = this.#lists[0];
    if (outermost && outermost.depth > depth && outermost.tag === tag) {
      this.endLists(outermost.depth);
      outermost.depth = depth;
    }
    while ((this.#lists.at(-1)?.depth ?? 0) > depth) this.#parts.push(`</li></${this.#lists.pop()?.tag ?? ''}>`);
  }
}
