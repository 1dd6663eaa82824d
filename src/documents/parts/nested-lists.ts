/** Nests list items: Word, PowerPoint and RTF files only state the kind and depth of each item. */
export class NestedLists {
  readonly #parts: string[];
  readonly #open: string[] = [];
  /** Items of each depth, by the id of the list. */
  readonly #counts = new Map<string, number[]>();

  /** Writes to `parts`. */
  constructor(parts: string[]) {
    this.#parts = parts;
  }

  /** `depth` counts from 1. The numbers of a list with an `id` continue where it continues. */
  add(tag: string, depth: number, html: string, id?: string): void {
    this.end(depth);
    const number = id === undefined ? 1 : this.#count(id, depth);
    const start = tag === 'ol' && number > 1 ? ` start="${number}"` : '';
    if (this.#open.length === depth) {
      if (this.#open.at(-1) === tag) this.#parts.push('</li>');
      else this.end(depth - 1);
    }
    while (this.#open.length < depth) {
      this.#parts.push(this.#open.length === depth - 1 ? `<${tag}${start}>` : `<${tag}><li>`);
      this.#open.push(tag);
    }
    this.#parts.push(`<li>${html}`);
  }

  /** Adds to the last item of that depth, or to the text if no list is open. */
  addParagraph(depth: number, html: string): void {
    this.end(depth);
    this.#parts.push(`<p>${html}</p>`);
  }

  #count(id: string, depth: number): number {
    const counts = (this.#counts.get(id) ?? []).slice(0, depth);
    const number = (counts[depth - 1] ?? 0) + 1;
    for (let above = 0; above < depth - 1; above++) counts[above] ??= 0;
    counts[depth - 1] = number;
    this.#counts.set(id, counts);
    return number;
  }

  /** Closes all lists deeper than `depth`. */
  end(depth: number): void {
    while (this.#open.length > depth) this.#parts.push(`</li></${this.#open.pop() ?? ''}>`);
  }
}
