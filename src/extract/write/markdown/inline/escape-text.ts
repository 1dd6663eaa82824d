/** Escapes only what a Markdown reader would take for syntax: every backslash is noise to humans and models. */
import { classOf } from './characters.ts';
import type { Pairs } from './pairs.ts';

export interface TextPlace {
  /** Characters written right before and after the text; '' at the edge of a line. */
  readonly before: string;
  readonly after: string;
  readonly isInLink: boolean;
  readonly isInCell: boolean;
  /** Pairs of the paragraph, and the index of this token in it. */
  readonly pairs: Pairs;
  readonly tokenIndex: number;
}

/** Returns false for most texts, which {@link escapeText} would not change. `before`: see {@link TextPlace}. */
export function mayNeedEscape(text: string, before: string): boolean {
  return special.test(text) || (before === ']' && text.startsWith('('));
}

export function escapeText(text: string, place: TextPlace): string {
  const parts = place.before === ']' && text.startsWith('(') ? ['\\'] : [];
  const hasLinkBrackets = place.isInLink && !isBalanced(text, place.after);
  let written = 0;
  for (let index = 0; index < text.length;) {
    const length = runLength(text, index);
    if (length > 0 && isSyntax(text, index, length, place, hasLinkBrackets)) {
      parts.push(text.slice(written, index));
      for (let offset = 0; offset < length; offset++) parts.push('\\', text.charAt(index + offset));
      written = index + length;
    }
    index += length || 1;
  }
  parts.push(text.slice(written));
  const escaped = parts.join('');
  return text.includes('<') ? escaped.replace(noAddress, String.raw`$1\:`) : escaped;
}

/** Angle brackets with white space inside occur in texts about syntax, but GFM would still link the address. */
const noAddress = /(<(?: https?(?=:\/\/)|https?(?=:\/\/[^\s<>]{0,2000} ))):/g;

export interface LinePlace {
  readonly isWholeLine: boolean;
  readonly isItemStart: boolean;
  /** True at the start of a paragraph that contains `]:`. Later lines define nothing. */
  readonly mayDefine: boolean;
}

/** Escapes what would be syntax at the start of a line or as a whole line (`isWholeLine`). Takes escaped text. */
export function escapeLineStart(text: string, { isWholeLine, isItemStart, mayDefine }: LinePlace): string {
  const number = /^\d{1,9}(?=[.)](?: |$))/.exec(text)?.[0];
  if (number !== undefined)
    return text.length > number.length + 1 || isWholeLine ? `${number}\\${text.slice(number.length)}` : text;
  if (lineStart.test(text) || (text.startsWith('[') && isDefinition(text, mayDefine))) return `\\${text}`;
  if (isWholeLine && lineAlone.test(text)) return `\\${text}`;
  return isItemStart && /^\[[ xX]\](?: |$)/.test(text) ? `\\${text}` : text;
}

/** Matches `[label]: address`. Marks in the label can split it, so the rest can be in other tokens. */
function isDefinition(text: string, mayDefine: boolean): boolean {
  if (!mayDefine) return false;
  const rest = /^\[(?:[^[\]\\]|\\.)*/.exec(text)?.[0].length ?? 0;
  return rest === text.length || text.startsWith(']:', rest);
}

/** A run of `#` at the end of a heading would be dropped. */
export function escapeHeadingEnd(text: string): string {
  if (!text.endsWith('#')) return text;
  return text.replace(/(^| )(#+)$/, String.raw`$1\$2`);
}

/** Matches all texts that {@link escapeLineStart} could change. Most lines begin with a letter. */
export const mayStartLine = /^[\d#>+*~=_|:[-]/;

const special = /[\\`*_[\]<&~|]/;
const lineStart = /^(?:#{1,6}(?: |$)|>|[-+*] |~~~)/;
const lineAlone = /^(?:=+ *|-[ -]*|\+|\*[ *]*|_[ _]*|#{1,6}|[|:](?=[^-]*-)[|: -]*)$/;
const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{0,31});/y;

/** Length of the run of one special character here; 0 if there is none. */
function runLength(text: string, index: number): number {
  const character = text.charAt(index);
  if (!special.test(character)) return 0;
  let end = index + 1;
  if (character === '*' || character === '_' || character === '~') while (text.charAt(end) === character) end++;
  return end - index;
}

function isSyntax(text: string, index: number, length: number, place: TextPlace, hasLinkBrackets: boolean): boolean {
  const before = text.charAt(index - 1) || place.before;
  const after = text.charAt(index + length) || place.after;
  switch (text.charAt(index)) {
    case '\\':
      return after === '' || (after.charCodeAt(0) < 0x80 && classOf(after, 'inside') === 'punctuation');
    case '*':
    case '~':
    case '_':
      return place.pairs.canPair(text.charAt(index), place.tokenIndex, index, before, after);
    case '[':
      return hasLinkBrackets;
    case ']':
      return hasLinkBrackets || after === '(';
    case '<':
      return /[A-Za-z/!?]/.test(after);
    case '&':
      entity.lastIndex = index;
      return entity.test(text);
    case '|':
      return place.isInCell;
    default:
      return true;
  }
}

/** The text of a link can contain balanced brackets if they do not form a link themselves. */
function isBalanced(text: string, after: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '[') {
      depth++;
      if (text.charAt(index + 1) === '^') return false;
    } else if (character === ']') {
      depth--;
      if (depth < 0 || (text.charAt(index + 1) || after) === '(') return false;
    }
  }
  return depth === 0;
}
