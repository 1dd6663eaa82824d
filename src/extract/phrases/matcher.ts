/** Finds the phrases of one meaning in short texts. */
import type { Folded } from './fold.ts';
import { beginningsOf, parsePhrase, type Part, type Pattern, sourceOf } from './pattern.ts';

/**
 * Groups the phrases by the characters with which they begin: a text is compared only with those of its first
 * character, and only if three of its characters begin a phrase. Expressions are made on first use, since a page says few
 * of the phrases.
 */
export class Matcher {
  readonly #phrases: readonly string[];
  #read: readonly Pattern[] | undefined;
  #byBeginning: ReadonlyMap<string, readonly Pattern[]> | undefined;
  #beginnings: Uint8Array | undefined;
  readonly #lines = new Map<string, RegExp>();
  readonly #starts = new Map<string, RegExp>();
  readonly #insides = new Map<string, RegExp>();
  readonly #ends = new Map<string, RegExp>();

  constructor(phrases: readonly string[]) {
    this.#phrases = phrases;
  }

  get #patterns(): readonly Pattern[] {
    this.#read ??= this.#phrases.map(parsePhrase);
    return this.#read;
  }

  /** False if no phrase begins at this place of a text, which need not be folded. Most texts end here. */
  mayStart(text: string, at = 0): boolean {
    const [one, other] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
    if (!isLetter(one) || !isLetter(other)) return at < text.length;
    this.#beginnings ??= beginningsIn(this.#patterns);
    return hasBit(this.#beginnings, placeOf(one, other, text.charCodeAt(at + 2)));
  }

  /** True if the text is a phrase. */
  isLine(text: Folded): boolean {
    if (!this.mayStart(text)) return false;
    return this.#of(this.#lines, text.charAt(0), asLine)?.test(text) ?? false;
  }

  /** Returns the length of the phrase with which the text begins; 0 if there is none. No word goes on after it. */
  startIn(text: Folded): number {
    if (!this.mayStart(text)) return 0;
    return this.#of(this.#starts, text.charAt(0), asStart)?.exec(text)?.[0].length ?? 0;
  }

  /** Returns where the last phrase in the text begins; -1 if there is none. */
  lastIn(text: Folded): number {
    for (let at = text.length - 1; at >= 0; at--) if (this.#isAt(this.#insides, at, text, asInside)) return at;
    return -1;
  }

  /** Returns where the phrase at the end of the text begins; -1 if there is none. */
  endIn(text: Folded): number {
    for (let at = 0; at < text.length; at++) if (this.#isAt(this.#ends, at, text, asEnd)) return at;
    return -1;
  }

  #isAt(known: Expressions, at: number, text: Folded, written: (patterns: readonly Pattern[]) => RegExp): boolean {
    const code = text.charCodeAt(at);
    if (isLetter(code) && (isLetter(text.charCodeAt(at - 1)) || !this.mayStart(text, at))) return false;
    if (code <= space) return false;
    const expression = this.#of(known, text.charAt(at), written);
    if (expression === undefined) return false;
    expression.lastIndex = at;
    return expression.test(text);
  }

  #of(known: Expressions, first: string, written: (patterns: readonly Pattern[]) => RegExp): RegExp | undefined {
    const made = known.get(first);
    if (made !== undefined) return made;
    this.#byBeginning ??= this.#group();
    const patterns = this.#byBeginning.get(first);
    // Other characters are not kept, or hostile texts would fill the map.
    if (patterns === undefined) return undefined;
    const expression = written(patterns);
    known.set(first, expression);
    return expression;
  }

  #group(): ReadonlyMap<string, readonly Pattern[]> {
    const groups = new Map<string, Pattern[]>();
    for (const pattern of this.#patterns) {
      for (const beginning of beginningsOf(pattern, 1)) {
        const group = groups.get(beginning);
        if (group === undefined) groups.set(beginning, [pattern]);
        else group.push(pattern);
      }
    }
    return groups;
  }
}

const space = 0x20;

/** True for A to Z and a to z. */
function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x7a;
}

/** Number of two letters and what follows: a third letter, or 0 for anything else. */
function placeOf(one: number, other: number, third: number): number {
  return ((one & 0x1f) << 10) | ((other & 0x1f) << 5) | (isLetter(third) ? third & 0x1f : 0);
}

/** A bit for each {@link placeOf} with which a phrase begins. */
function beginningsIn(patterns: readonly Pattern[]): Uint8Array {
  const bits = new Uint8Array(0x8000 / 8);
  for (const pattern of patterns) {
    for (const beginning of beginningsOf(pattern, 3)) {
      const [one, other, third] = [beginning.charCodeAt(0), beginning.charCodeAt(1), beginning.charCodeAt(2)];
      if (!isLetter(one)) continue;
      // What follows a shorter beginning is not known, nor what an accent was folded to where a text is not folded.
      const [from, to] = isLetter(other) ? [other, other] : [0, beginning.length === 1 ? 0x1f : -1];
      for (let second = from; second <= to; second++) {
        setBit(bits, placeOf(one, second, 0));
        if (isLetter(third)) setBit(bits, placeOf(one, second, third));
        else if (beginning.length < 3)
          bits.fill(0xff, placeOf(one, second, 0) >> 3, (placeOf(one, second, 0) >> 3) + 4);
      }
    }
  }
  return bits;
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
}

type Expressions = Map<string, RegExp>;

function asLine(patterns: readonly Pattern[]): RegExp {
  return new RegExp(`^(?:${patterns.map(sourceOf).join('|')})$`);
}

function asStart(patterns: readonly Pattern[]): RegExp {
  return new RegExp(`^(?:${ended(patterns)})`);
}

function asInside(patterns: readonly Pattern[]): RegExp {
  return new RegExp(begun(patterns.map(withoutEnd)), 'y');
}

function asEnd(patterns: readonly Pattern[]): RegExp {
  return new RegExp(`(?:${begun(patterns)})$`, 'y');
}

/** Any text at the end of a phrase only says that its last word can go on. */
function withoutEnd(pattern: Pattern): Pattern {
  return pattern.at(-1)?.kind === 'gap' ? [...pattern.slice(0, -1), anyEnd] : pattern;
}

const anyEnd: Part = { kind: 'text', text: '' };

/** Letters and digits of a folded text. The exact class makes expressions a hundred times as large. */
const letter = '[0-9a-z\\u00c0-\\u05bd\\u05d0-\\u05ff\\u0620-\\u1fff\\u3040-\\ud7ff]';

function begun(patterns: readonly Pattern[]): string {
  const free = patterns.filter((pattern) => unspaced.test(sourceOf(pattern.slice(0, 1))));
  const bound = patterns.filter((pattern) => !free.includes(pattern));
  return [
    ...(bound.length === 0 ? [] : [`(?<!${letter})(?:${ended(bound)})`]),
    ...(free.length === 0 ? [] : [ended(free)]),
  ].join('|');
}

function ended(patterns: readonly Pattern[]): string {
  const bound = patterns.filter(endsInWord);
  const free = patterns.filter((pattern) => !endsInWord(pattern));
  return [
    ...(bound.length === 0 ? [] : [`(?:${bound.map(sourceOf).join('|')})(?!${letter})`]),
    ...free.map(sourceOf),
  ].join('|');
}

/** Chinese, Japanese, Korean and Thai words follow each other without a border. */
const unspaced = /[\u0e00-\u0e7f\u3040-\ud7af]/u;

function endsInWord(pattern: Pattern): boolean {
  const last = pattern.at(-1);
  if (last === undefined || last.kind === 'gap' || last.kind === 'number') return false;
  if (last.kind === 'text') return /[\p{L}\p{N}]$/u.test(last.text) && !unspaced.test(last.text);
  return !unspaced.test(sourceOf([last]));
}
