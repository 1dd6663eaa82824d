/**
 * Decides which `*`, `_` and `~` in a paragraph's text could be read as marks. An opening mark needs a closing one
 * after it, so a lone `*args` needs no backslash.
 */
import { classOf } from './characters.ts';
import type { Token } from './tokens.ts';

/** Positions of the first mark of a paragraph that can open and the last that can close. */
interface Reach {
  firstOpener: number;
  lastCloser: number;
}

export class Pairs {
  readonly #tokens: readonly Token[];
  /** Offset of each token in the paragraph. */
  readonly #offsets: number[] = [];
  /** Computed on first use: most paragraphs have no such character. */
  #reaches: Map<string, Reach> | undefined;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Returns true if the run of marks at `index` in the token's text could pair with another. */
  canPair(mark: string, tokenIndex: number, index: number, before: string, after: string): boolean {
    this.#reaches ??= this.#read();
    const { canOpen, canClose } = flanksOf(mark, before, after);
    const { firstOpener, lastCloser } = this.#reaches.get(mark) ?? everywhere;
    const position = (this.#offsets[tokenIndex] ?? 0) + index;
    return (canOpen && position < lastCloser) || (canClose && position > firstOpener);
  }

  #read(): Map<string, Reach> {
    const reaches = new Map<string, Reach>();
    let offset = 0;
    for (const [index, { kind, text, span }] of this.#tokens.entries()) {
      this.#offsets.push(offset);
      if (span !== undefined && !span.isDropped && span.delimiter !== '')
        reaches.set(span.delimiter.charAt(0), everywhere);
      if (kind === 'text') addText(reaches, text, offset, index > 0, index + 1 < this.#tokens.length);
      else if (kind !== 'code') for (const mark of text.match(/[*_~]/g) ?? []) reaches.set(mark, everywhere);
      offset += text.length;
    }
    return reaches;
  }
}

const everywhere: Readonly<Reach> = { firstOpener: -1, lastCloser: Infinity };

function addText(
  reaches: Map<string, Reach>,
  text: string,
  offset: number,
  hasBefore: boolean,
  hasAfter: boolean,
): void {
  for (const { 0: run, index } of text.matchAll(/\*+|_+|~+/g)) {
    const mark = run.charAt(0);
    const known = reaches.get(mark);
    if (known === everywhere) continue;
    const end = index + run.length;
    // The characters next to the text are not known here.
    const isAny = (index === 0 && hasBefore) || (end === text.length && hasAfter);
    const { canOpen, canClose } = flanksOf(mark, text.charAt(index - 1), text.charAt(end));
    const reach = known ?? { firstOpener: Infinity, lastCloser: -1 };
    if (isAny || canOpen) reach.firstOpener = Math.min(reach.firstOpener, offset + index);
    if (isAny || canClose) reach.lastCloser = Math.max(reach.lastCloser, offset + index);
    reaches.set(mark, reach);
  }
}

/** Errs towards true: some readers treat symbols beyond ASCII as letters, others as punctuation. */
function flanksOf(mark: string, before: string, after: string): { canOpen: boolean; canClose: boolean } {
  const isLeft = isFlanking(before, after);
  const isRight = isFlanking(after, before);
  if (mark !== '_') return { canOpen: isLeft, canClose: isRight };
  return { canOpen: isLeft && (!isRight || !isLetter(before)), canClose: isRight && (!isLeft || !isLetter(after)) };
}

function isFlanking(outside: string, inside: string): boolean {
  // Next to another mark, micromark treats any mark as flanking.
  if (inside === '*' || inside === '_' || inside === '~') return true;
  const inner = classOf(inside, 'outside');
  return inner !== 'space' && (inner !== 'punctuation' || !isLetter(outside));
}

function isLetter(character: string): boolean {
  return classOf(character, 'inside') === 'word';
}
