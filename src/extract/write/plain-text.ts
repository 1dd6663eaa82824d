/** The plain text of a page: a by-product of its Markdown, so that the page is walked once. */
import { oneLine } from '../html/node-text.ts';

/** Headings of a page, and characters of each. */
const headingsMax = 100;
const headingLengthMax = 200;

export class PlainText {
  /** Such as `## Sizes`, in document order. */
  readonly headings: string[] = [];
  #text = '';
  /** Of the heading that is being written. */
  #heading: string | undefined;
  /** Line ends before the next text. */
  #ends = 0;
  #hasSpace = false;
  /** Marker of a list item that has no text yet. */
  #marker = '';
  #isWithheld = false;

  toString(): string {
    return this.#text;
  }

  /** Adds a text whose white space is collapsed. */
  add(collapsed: string): void {
    const text = collapsed.includes('\u00a0') ? collapsed.replace(/[ \u00a0]+/g, ' ') : collapsed;
    const isSpaceBefore = text.startsWith(' ');
    const isSpaceAfter = text.endsWith(' ');
    this.#hasSpace ||= isSpaceBefore;
    this.put(isSpaceBefore || isSpaceAfter ? text.slice(isSpaceBefore ? 1 : 0, isSpaceAfter ? -1 : undefined) : text);
    this.#hasSpace ||= isSpaceAfter;
  }

  /** Adds a text as it is. */
  put(text: string): void {
    if (text === '' || this.#isWithheld) return;
    const between = this.#ends > 1 ? '\n\n' : this.#ends === 1 ? '\n' : this.#hasSpace ? ' ' : '';
    this.#text += this.#text === '' ? this.#marker + text : between + this.#marker + text;
    if (this.#heading !== undefined) this.#heading += between + text;
    this.#marker = '';
    this.#ends = 0;
    this.#hasSpace = false;
  }

  space(): void {
    this.#hasSpace = true;
  }

  /** `lines`: 2 leaves an empty line. */
  end(lines: 1 | 2): void {
    if (this.#marker !== '') return;
    if (this.#ends < lines) this.#ends = lines;
    this.#hasSpace = false;
  }

  startItem(marker = '- '): void {
    this.end(1);
    this.#marker = marker;
  }

  endItem(): void {
    this.#marker = '';
    this.end(1);
  }

  /** The cell of a table after another one. */
  nextCell(): void {
    this.#hasSpace = false;
    this.put('\t');
  }

  /** Leaves out what is written: labels that are no text of the page, and what is written twice. */
  without<Written>(write: () => Written): Written {
    const wasWithheld = this.#isWithheld;
    this.#isWithheld = true;
    const written = write();
    this.#isWithheld = wasWithheld;
    return written;
  }

  /** Lists the text that is written as a heading. */
  heading(level: string, write: () => void): void {
    this.#heading = '';
    write();
    const beginning = (this.#heading ?? '').slice(0, headingLengthMax * 4).replaceAll(/\p{Cc}/gu, ' ');
    this.#heading = undefined;
    const text = oneLine(beginning).slice(0, headingLengthMax).toWellFormed().trim();
    if (text !== '' && this.headings.length < headingsMax) this.headings.push(`${'#'.repeat(Number(level))} ${text}`);
  }
}
