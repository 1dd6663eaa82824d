import { columnsOf, type Terminal } from './terminal.ts';

/** A line that is too long for the terminal is cut, not wrapped: wrapping would break redrawing. */
const [wrapOff, wrapOn] = ['\x1b[?7l', '\x1b[?7h'];

/** Lines at the end of a terminal that are drawn again and again, and removed at last. */
export class RedrawnLines {
  readonly #terminal: Terminal;
  /** Without colour. */
  #drawn: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws in a single write, to avoid flicker. */
  draw(lines: readonly string[]): void {
    const drawn = lines.map((line) => (line === '' ? '' : `  ${line}`));
    this.#terminal.stream.write(`${this.#erased()}${wrapOff}${drawn.map((line) => `${line}\n`).join('')}${wrapOn}`);
    this.#drawn = drawn;
  }

  clear(): void {
    this.#terminal.stream.write(this.#erased());
    this.#drawn = [];
  }

  /** A terminal that became narrower has wrapped the lines that were drawn, so they fill more rows. */
  #erased(): string {
    const { columns } = this.#terminal;
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)), 0);
    return rows > 0 ? `\x1b[${rows}A\x1b[J` : '';
  }
}
