/** Nests list items: Word, PowerPoint and RTF files only state the kind and depth of each item. */
export class NestedLists {
  readonly #parts: string[];
  readonly #open: string[] = [];

  /** Writes to `parts`. */
  constructor(parts: string[]) {
    this.#parts = parts;
  }

  /** `depth` counts from 1. */
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
