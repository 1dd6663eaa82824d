/** Nests list items: Word, PowerPoint and RTF files only state the kind and depth of each item. */
export class NestedLists {
  readonly #parts: string[];
  readonly #open: { readonly tag: string; depth: number; number: number }[] = [];

  /** Writes to `parts`. */
  constructor(parts: string[]) {
    this.#parts = parts;
  }

  /**
   * `depth` counts from 1; an item without one above it starts its list. `number` is that of a numbered item: one that
   * does not follow the item before starts a list of its own. Without it, items are counted.
   */
  add(tag: string, depth: number, html: string, number?: number): void {
    this.end(depth, tag);
    const last = this.#open.at(-1);
    if (last?.depth === depth) {
      const follows = tag === 'ul' || number === undefined || number === last.number + 1;
      if (last.tag === tag && follows) {
        last.number++;
        this.#parts.push(`</li><li>${html}`);
        return;
      }
      this.end(depth - 1);
    }
    const start = tag === 'ol' && number !== undefined && number !== 1 ? ` start="${number}"` : '';
    this.#parts.push(`<${tag}${start}><li>${html}`);
    this.#open.push({ tag, depth, number: number ?? 1 });
  }

  /** Adds to the last item of that depth, or to the text if no list is open. */
  addParagraph(depth: number, html: string): void {
    this.end(depth);
    this.#parts.push(`<p>${html}</p>`);
  }

  /** Closes all lists deeper than `depth`. An outermost list that began too deep continues there if `tag` is its own. */
  end(depth: number, tag?: string): void {
    const outermost = this.#open[0];
    if (outermost && outermost.depth > depth && outermost.tag === tag) {
      this.end(outermost.depth);
      outermost.depth = depth;
    }
    while ((this.#open.at(-1)?.depth ?? 0) > depth) this.#parts.push(`</li></${this.#open.pop()?.tag ?? ''}>`);
  }
}
