/** Lists in lists: a Word file says of each item which list it is in, and how deep. */
export class DocxLists {
  readonly #parts: string[];
  readonly #open: string[] = [];

  /** Writes into `parts`. */
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

  /** Ends all that are deeper. */
  end(depth: number): void {
    while (this.#open.length > depth) this.#parts.push(`</li></${this.#open.pop() ?? ''}>`);
  }
}
