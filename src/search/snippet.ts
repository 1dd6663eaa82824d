import type { SearchPhrase, SnippetPart } from '../core/ports/search.ts';
import { eachAsciiWord, eachWordFrom } from './words.ts';

/** Length of a snippet in characters, about. */
const snippetLength = 280;
/** Text before the first hit. */
const leadLength = 40;
/** How far an end of a snippet moves to stand between two words. */
const moveMax = 20;
/** The beginning of a text, in which the hits of the snippet are looked for. */
export const snippetSearchMax = 200_000;

export interface Snippet {
  readonly parts: readonly SnippetPart[];
  /** Which phrases were found in the searched beginning of the text. */
  readonly found: ReadonlySet<number>;
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly phrase: number;
}

/**
 * The part of a text with the most phrases of a query, as plain text: white space is joined, control characters are
 * left out. Without a hit, its beginning.
 */
export function snippetOf(text: string, phrases: readonly SearchPhrase[]): Snippet {
  const searched = text.length > snippetSearchMax ? text.slice(0, snippetSearchMax) : text;
  const ranges = rangesOf(searched, phrases);
  const first = bestStart(ranges);
  const start = first === undefined ? 0 : wordStart(text, Math.max(0, first - leadLength));
  const end = wordEnd(text, Math.min(text.length, start + snippetLength), start);
  const parts: SnippetPart[] = [];
  const add = (from: number, to: number, hit: boolean): void => {
    const part = text
      .slice(from, to)
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .toWellFormed();
    if (part !== '') parts.push(hit ? { text: part, hit } : { text: part });
  };
  if (start > 0) parts.push({ text: '…' });
  let at = start;
  for (const range of ranges) {
    if (range.end <= at || range.start >= end) continue;
    add(at, Math.max(at, range.start), false);
    add(Math.max(at, range.start), Math.min(range.end, end), true);
    at = Math.min(range.end, end);
  }
  add(at, end, false);
  if (end < text.length) parts.push({ text: '…' });
  return { parts: joined(parts), found: new Set(ranges.map(({ phrase }) => phrase)) };
}

/**
 * The places of the phrases, in order of their beginning. Reads a text from its beginning until it has every phrase and
 * a few places. Pieces without the first word of a phrase are skipped: separating their words would take ten times as
 * long.
 */
export function rangesOf(text: string, phrases: readonly SearchPhrase[]): readonly Range[] {
  const matcher = new Matcher(phrases);
  let offset = 0;
  while (offset < text.length && !matcher.hasEnough) {
    const piece = asciiPiece(text, offset);
    if (piece !== undefined && !matcher.canBeginIn(piece)) {
      matcher.skip();
      offset += piece.length;
    } else if (piece === undefined) offset = eachWordFrom(text, offset, pieceLength, matcher.add);
    else {
      eachAsciiWord(piece, offset, matcher.add);
      offset += piece.length;
    }
    matcher.match();
  }
  matcher.skip();
  matcher.match();
  return matcher.ranges;
}

const pieceLength = 2_000;
/** Enough to choose a part of the text from. */
const rangesEnough = 8;
/** Kept, besides the first of each phrase: a text can have a place every two characters. */
const rangesMax = 500;
/** Characters that folding can turn into ASCII letters. Most others of English texts are punctuation and symbols. */
const foldable =
  /[^\0-\x7f\xa0-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2010-\u205e\u2190-\u23ff\u2500-\u2775\ufffd]/;

/** The next characters in lower case, up to one between two words. Undefined if their words are not simply ASCII. */
function asciiPiece(text: string, offset: number): string | undefined {
  const piece = text.slice(offset, offset + pieceLength);
  const end =
    offset + piece.length < text.length ? Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('\n')) + 1 : piece.length;
  const whole = piece.slice(0, end).toLowerCase();
  return end === 0 || whole.length !== end || foldable.test(whole) ? undefined : whole;
}

/** Finds phrases in a sequence of words. */
class Matcher {
  readonly ranges: Range[] = [];
  readonly #wanted: readonly WantedPhrase[];
  readonly #longest: number;
  readonly #seen = new Set<number>();
  readonly #words: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The word whose phrases are looked for next. */
  #next = 0;

  constructor(phrases: readonly SearchPhrase[]) {
    this.#wanted = phrases.map(wantedPhrase);
    this.#longest = Math.max(1, ...phrases.map(({ words }) => words.length));
  }

  get hasEnough(): boolean {
    return this.#seen.size === this.#wanted.length && this.ranges.length >= rangesEnough;
  }

  /**
   * False if nothing in this text, in lower case, is needed: no phrase has a part in it, or only phrases that have enough
   * places.
   */
  canBeginIn(piece: string): boolean {
    // A phrase that has begun before can end here.
    const begun = this.#words
      .slice(this.#next)
      .some((word) => this.#wanted.some(({ first }) => word.startsWith(first)));
    const isEnough = this.ranges.length >= rangesEnough;
    return begun || this.#wanted.some(({ begins }, index) => !(isEnough && this.#seen.has(index)) && begins(piece));
  }

  readonly add = (word: string, start: number, end: number): void => {
    this.#words.push(word);
    this.#starts.push(start);
    this.#ends.push(end);
  };

  /** Words were left out here, or there are no more. */
  skip(): void {
    for (let count = 0; count < this.#longest; count++) this.add('', 0, 0);
  }

  /** The last words can be the beginning of a phrase, and wait for the next ones. */
  match(): void {
    for (const until = this.#words.length - this.#longest; this.#next <= until; this.#next++) {
      const word = this.#words[this.#next] ?? '';
      if (word === '') continue;
      for (const [index, wanted] of this.#wanted.entries())
        if (word.startsWith(wanted.first)) this.#matchHere(wanted, index);
    }
  }

  #matchHere({ words, isPrefix }: SearchPhrase, phrase: number): void {
    const [at, last] = [this.#next, this.#next + words.length - 1];
    const matches = words.every((word, index) => {
      const found = this.#words[at + index] ?? '';
      return index === words.length - 1 && isPrefix ? found.startsWith(word) : found === word;
    });
    if (!matches) return;
    const isKept = this.ranges.length < rangesMax || !this.#seen.has(phrase);
    this.#seen.add(phrase);
    if (!isKept) return;
    const end = endOf(this.#words[last] ?? '', words.at(-1) ?? '', this.#ends[last] ?? 0);
    this.ranges.push({ start: this.#starts[at] ?? 0, end, phrase });
  }
}

interface WantedPhrase extends SearchPhrase {
  readonly first: string;
  /** False if the phrase cannot begin in this text of ASCII words, in lower case. */
  readonly begins: (piece: string) => boolean;
}

function wantedPhrase(phrase: SearchPhrase): WantedPhrase {
  const [first = ''] = phrase.words;
  const isAscii = phrase.words.length > 1 && phrase.words.every((word) => /^[a-z0-9]+$/.test(word));
  if (!isAscii) return { ...phrase, first, begins: (piece) => piece.includes(first) };
  // The words, one after the other, up to the end of the text: the phrase can go on in the next one. Separating all words
  // of texts that have the first one often took ten times as long.
  const pattern = phrase.words.reduceRight(
    (rest, word) => (rest === '' ? word : `${word}(?:[^a-z0-9]+(?:${rest}|$)|$)`),
    '',
  );
  const expression = new RegExp(pattern);
  return { ...phrase, first, begins: (piece) => piece.includes(first) && expression.test(piece) };
}

/** One character of a pair is not marked with the other one. */
function endOf(found: string, wanted: string, end: number): number {
  const isOneOfTwo = Array.from(wanted).length === 1 && Array.from(found).length === 2 && /^\P{ASCII}/u.test(found);
  return isOneOfTwo ? end - (found.length - wanted.length) : end;
}

/** Where the first of the ranges starts that have the most different phrases, then the most ranges, near each other. */
function bestStart(ranges: readonly Range[]): number | undefined {
  let best: { readonly start: number; readonly score: number } | undefined;
  for (const [index, { start }] of ranges.entries()) {
    const seen = new Set<number>();
    let count = 0;
    for (let other = index; other < ranges.length; other++) {
      const range = ranges[other];
      if (!range || range.end > start + snippetLength - leadLength) break;
      seen.add(range.phrase);
      count++;
    }
    const score = seen.size * snippetLength + count;
    if (!best || score > best.score) best = { start, score };
  }
  return best?.start;
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const moved = text.slice(at, at + moveMax).search(/\s/);
  return moved < 0 ? whole(text, at) : at + moved + 1;
}

function wordEnd(text: string, at: number, start: number): number {
  if (at >= text.length) return text.length;
  const before = text.slice(Math.max(start, at - moveMax), at);
  const space = before.search(/\s\S*$/);
  return space < 0 ? whole(text, at) : at - before.length + space;
}

/** Not between the halves of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;
}

/** Adjacent parts of the same kind become one. */
function joined(parts: readonly SnippetPart[]): readonly SnippetPart[] {
  const all: SnippetPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last && last.hit === part.hit) all[all.length - 1] = { ...last, text: last.text + part.text };
    else all.push(part);
  }
  return all;
}
