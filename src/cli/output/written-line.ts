import { countOf } from './progress-display.ts';
import { RedrawnLines } from './redrawn-lines.ts';
import { fitted, type Terminal } from './terminal.ts';

const everyMs = 100;

/** What is written of how much: `{ noun: 'file', total: 4000 }`. */
export interface Written {
  /** Undefined if what is written is itself on the terminal, where a line would mix with it. */
  readonly noun: string | undefined;
  readonly total: number;
  /** @default written */
  readonly verb?: string;
}

/** How far a file or files are written: a line that is redrawn on a terminal, and nothing elsewhere. */
export class WrittenLine {
  readonly #terminal: Terminal;
  readonly #lines: RedrawnLines;
  readonly #clock: () => number;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal, clock: () => number = () => performance.now()) {
    this.#terminal = terminal;
    this.#lines = new RedrawnLines(terminal);
    this.#clock = clock;
  }

  show(text: string): void {
    const now = this.#clock();
    if (!this.#terminal.isLive || now - this.#shownAt < everyMs) return;
    this.#shownAt = now;
    this.#lines.draw([fitted(text, this.#terminal.columns - 3)]);
  }

  clear(): void {
    if (this.#terminal.isLive) this.#lines.clear();
    this.#shownAt = Number.NEGATIVE_INFINITY;
  }

  /** Passes the pieces on. Each counts, by `sizeOf`, once its consumer takes the next. Removes the line at the end. */
  async *counted<Piece>(
    pieces: AsyncIterable<Piece>,
    written: Written,
    sizeOf: (piece: Piece) => number = () => 1,
  ): AsyncGenerator<Piece> {
    let done = 0;
    try {
      for await (const piece of pieces) {
        // Before it is passed on: a consumer can empty it.
        const size = sizeOf(piece);
        yield piece;
        done += size;
        const text = writtenText(done, written);
        if (text !== undefined) this.show(text);
      }
    } finally {
      this.clear();
    }
  }
}

/** A job that still runs can have more pages by now. */
export function writtenText(done: number, { noun, total, verb = 'written' }: Written): string | undefined {
  return noun === undefined ? undefined : `${done} of ${countOf(Math.max(done, total), noun)} ${verb}`;
}
