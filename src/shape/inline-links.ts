/**
 * Finds the links and images in the text of one Markdown block, pairing brackets as CommonMark does. Linear in the
 * text: every lookahead is bounded, or ends where the next one begins.
 */
import type { Leaf } from './leaves.ts';

export interface InlineLink {
  readonly isImage: boolean;
  /** Offset of the opening bracket, or of the `!` before it. */
  readonly start: number;
  /** Start of the text between the brackets. */
  readonly textStart: number;
  readonly textEnd: number;
  /** Exclusive. */
  readonly end: number;
  /** Address and title as written. */
  readonly target: string;
  /** True if the link names a definition elsewhere. */
  readonly isReference: boolean;
}

/** Definition targets, keyed by {@link labelOf}. */
export type Definitions = ReadonlyMap<string, string>;

const special = /[\\`[\]<]/g;
export const angle = /<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]{1,200}@[^\s<>]{1,250}|[A-Za-z/!?][^<>]*)>/y;
const ticks = /`+/g;
const label = /\[((?:[^[\]\\]|\\[^\n]){0,999})\]/y;
/** Nested parentheses in an address; deeper nesting is not a link. Each level costs another look at the text. */
const bracketsMax = 5;

/** Returns the links and images in the order of their ends. */
export function linksIn(text: string, leaf: Pick<Leaf, 'lines'>, definitions: Definitions): readonly InlineLink[] {
  return new LinkFinder(text, leaf.lines, definitions).find();
}

/** Normalizes a label: two labels match if the results are equal. */
export function labelOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** The address at the beginning of a target, before its title: as read, and its length as written. */
export function addressIn(target: string): { readonly read: string; readonly length: number } {
  const written = /^(?:<(?:[^<>\\]|\\.)*>|\S*)/.exec(target)?.[0] ?? '';
  const address = written.startsWith('<') ? written.slice(1, -1) : written;
  return { read: address.replaceAll(escape, '$1'), length: written.length };
}

/** A backslash and the sign that it makes plain text. */
export const escape = /\\([!-/:-@[-`{-~])/g;

/** The runs of back-ticks in a part of a text. Ask about them in their order. */
export class BackTicks {
  readonly #text: string;
  /** Where they start, by length, the last first. */
  readonly #starts = new Map<number, number[]>();

  constructor(text: string, from: number, end: number) {
    this.#text = text;
    ticks.lastIndex = from;
    for (let run = ticks.exec(text); run !== null && run.index < end; run = ticks.exec(text)) {
      const same = this.#starts.get(run[0].length);
      if (same === undefined) this.#starts.set(run[0].length, [run.index]);
      else same.push(run.index);
    }
    for (const starts of this.#starts.values()) starts.reverse();
  }

  /** Of the run that starts here: its length, and where the next one of that length starts, which ends its code. */
  at(index: number): { readonly length: number; readonly closing: number | undefined } {
    let length = 1;
    while (this.#text[index + length] === '`') length++;
    const same = this.#starts.get(length) ?? [];
    while ((same.at(-1) ?? Infinity) <= index) same.pop();
    return { length, closing: same.at(-1) };
  }
}

class LinkFinder {
  readonly #text: string;
  readonly #lines: readonly number[];
  readonly #definitions: Definitions;
  readonly #found: InlineLink[] = [];
  /** Positions of open brackets. An image's is stored as `-position - 1`. */
  readonly #open: number[] = [];
  /** The first `#inactive` open brackets already contain a link, so they cannot become links. */
  #inactive = 0;
  #ticks: BackTicks | undefined;

  constructor(text: string, lines: readonly number[], definitions: Definitions) {
    this.#text = text;
    this.#lines = lines;
    this.#definitions = definitions;
  }

  find(): readonly InlineLink[] {
    let index = 0;
    // Search once for the next special character: in a table of a million rows it can be far away.
    let next = -1;
    for (let line = 0; line < this.#lines.length; line += 2) {
      const end = this.#lines[line + 1] ?? 0;
      index = Math.max(index, this.#lines[line] ?? 0);
      while (index < end) {
        if (next < index) {
          special.lastIndex = index;
          next = special.exec(this.#text)?.index ?? Infinity;
        }
        if (next >= end) break;
        index = this.#at(next, end);
      }
    }
    return this.#found;
  }

  /** Returns where to continue. */
  #at(index: number, lineEnd: number): number {
    const text = this.#text;
    switch (text.charAt(index)) {
      case '\\':
        return index + 2;
      case '`':
        return this.#behindCode(index);
      case '<':
        angle.lastIndex = index;
        return index + (angle.exec(text)?.[0].length ?? 1);
      case '[': {
        const isImage = text[index - 1] === '!' && !this.#isEscaped(index - 1);
        this.#open.push(isImage ? -index - 1 : index);
        return index + 1;
      }
      default:
        return this.#close(index, lineEnd);
    }
  }

  #isEscaped(index: number): boolean {
    let before = index;
    // Nobody writes a longer run of backslashes.
    while (before > 0 && index - before < 64 && this.#text[before - 1] === '\\') before--;
    return (index - before) % 2 === 1;
  }

  #behindCode(index: number): number {
    this.#ticks ??= new BackTicks(this.#text, index, this.#lines.at(-1) ?? 0);
    const { length, closing = index } = this.#ticks.at(index);
    return closing + length;
  }

  #close(index: number, lineEnd: number): number {
    const open = this.#open.pop();
    if (open === undefined) return index + 1;
    const isImage = open < 0;
    const isInactive = !isImage && this.#open.length < this.#inactive;
    this.#inactive = Math.min(this.#inactive, this.#open.length);
    if (isInactive) return index + 1;
    const bracket = isImage ? -open - 1 : open;
    const target = this.#inline(index + 1, lineEnd) ?? this.#reference(bracket, index);
    if (target === undefined) return index + 1;
    this.#found.push({
      isImage,
      start: isImage ? bracket - 1 : bracket,
      textStart: bracket + 1,
      textEnd: index,
      ...target,
    });
    if (!isImage) this.#inactive = this.#open.length;
    return target.end;
  }

  /** `(address "title")` */
  #inline(from: number, lineEnd: number): Pick<InlineLink, 'end' | 'target' | 'isReference'> | undefined {
    const text = this.#text;
    if (text[from] !== '(') return undefined;
    const start = this.#behindSpace(from + 1, lineEnd);
    const address = text[start] === '<' ? this.#behindAngle(start, lineEnd) : this.#behindAddress(start, lineEnd);
    if (address === undefined) return undefined;
    let end = this.#behindSpace(address, lineEnd);
    if (end > address && text[end] !== ')') {
      const title = this.#behindTitle(end, lineEnd);
      if (title === undefined) return undefined;
      end = this.#behindSpace(title, lineEnd);
    }
    if (end >= lineEnd || text[end] !== ')') return undefined;
    return { end: end + 1, target: text.slice(start, end).trim(), isReference: false };
  }

  /** `[label]`, `[]` or nothing. */
  #reference(bracket: number, index: number): Pick<InlineLink, 'end' | 'target' | 'isReference'> | undefined {
    if (this.#definitions.size === 0) return undefined;
    label.lastIndex = index + 1;
    const given = this.#text[index + 1] === '[' ? label.exec(this.#text) : null;
    const own = given === null || given[1] === '';
    if (own && index - bracket > 1_000) return undefined;
    const name = own ? this.#text.slice(bracket + 1, index) : (given[1] ?? '');
    const target = this.#definitions.get(labelOf(name));
    return target === undefined ? undefined : { end: index + 1 + (given?.[0].length ?? 0), target, isReference: true };
  }

  #behindSpace(from: number, end: number): number {
    let index = from;
    while (index < end && (this.#text[index] === ' ' || this.#text[index] === '\t')) index++;
    return index;
  }

  #behindAngle(from: number, end: number): number | undefined {
    for (let index = from + 1; index < end; index++) {
      const character = this.#text[index];
      if (character === '\\') index++;
      else if (character === '>') return index + 1;
      else if (character === '<') return undefined;
    }
    return undefined;
  }

  #behindAddress(from: number, end: number): number | undefined {
    let depth = 0;
    let index = from;
    for (; index < end; index++) {
      const character = this.#text.charAt(index);
      if (character === '\\') index++;
      else if (character === '(' && ++depth > bracketsMax) return undefined;
      else if (character === ')' && --depth < 0) break;
      else if (character <= ' ') break;
    }
    return depth > 0 ? undefined : Math.min(index, end);
  }

  #behindTitle(from: number, end: number): number | undefined {
    const quote = this.#text[from];
    const closing = quote === '(' ? ')' : quote;
    if (closing !== '"' && closing !== "'" && closing !== ')') return undefined;
    for (let index = from + 1; index < end; index++) {
      const character = this.#text[index];
      if (character === '\\') index++;
      else if (character === closing) return index + 1;
      else if (character === quote) return undefined;
    }
    return undefined;
  }
}
