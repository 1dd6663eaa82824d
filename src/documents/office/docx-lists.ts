/** Nests list items: a Word file only states the list and depth of each item. */
export class DocxLists {
  readonly #parts: string[];
  readonly #open: string[] = [];

  /** Writes to `parts`. */
  constructor(parts: string[]) {
    this.#parts = parts;
  }

  add(tag: string, depth: number, html: string): void {
    this.end(depth);
    if (this.#open.length === depth) {
      if (this.#open.at(-1) === tag) this.#parts.push('</li>');
      else this.end(depth - 1);
    }
    while (this.#open.length < depth) {
      this.#parts.push(this.#open.length === depth - 1 ? `<${tag}>` : `<${tag}><li>`);
      this.#open.push(tag);
    }
    this.#parts.push(`<li>${html}`);
  }

  /** Closes all lists deeper than `depth`. */
  end(depth: number): void {
    while (this.#open.length > depth) this.#parts.push(`</li></${this.#open.pop() ?? ''}>`);
  }
}
