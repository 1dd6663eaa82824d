/** Escapes what a Markdown reader would take for Markdown, and no more: every backslash is noise to a human and a model. */
import { classOf } from './characters.ts';

export interface TextPlace {
  /** Characters written right before and after the text; '' at the edge of a line. */
  readonly before: string;
  readonly after: string;
  readonly isInLink: boolean;
  readonly isInCell: boolean;
}

export function escapeText(text: string, place: TextPlace): string {
  const parts = place.before === ']' && text.startsWith('(') ? ['\\'] : [];
  if (!special.test(text)) return parts.length === 0 ? text : `\\${text}`;
  let written = 0;
  for (let index = 0; index < text.length;) {
    const length = runLength(text, index);
    if (length > 0 && isSyntax(text, index, length, place)) {
      parts.push(text.slice(written, index));
      for (let offset = 0; offset < length; offset++) parts.push('\\', text.charAt(index + offset));
      written = index + length;
    }
    index += length || 1;
  }
  parts.push(text.slice(written));
  return parts.join('');
}

/** At the start of a line, and for a whole line (`isWholeLine`), more would be read as Markdown. Takes escaped text. */
export function escapeLineStart(text: string, isWholeLine: boolean, isItemStart: boolean): string {
  const number = /^\d{1,9}(?=[.)](?: |$))/.exec(text)?.[0];
  if (number !== undefined)
    return text.length > number.length + 1 || isWholeLine ? `${number}\\${text.slice(number.length)}` : text;
  if (lineStart.test(text)) return `\\${text}`;
  if (isWholeLine && lineAlone.test(text)) return `\\${text}`;
  return isItemStart && /^\[[ xX]\](?: |$)/.test(text) ? `\\${text}` : text;
}

/** A run of `#` at the end of a heading would be dropped. */
export function escapeHeadingEnd(text: string): string {
  return text.replace(/(^| )(#+)$/, String.raw`$1\$2`);
}

const special = /[\\`*_[\]<&~|]/;
const lineStart = /^(?:#{1,6}(?: |$)|>|[-+*] |~~~|\[[^\]]*\]:)/;
const lineAlone = /^(?:=+ *|-[ -]*|\+|\*[ *]*|_[ _]*|#{1,6}|[|:](?=[^-]*-)[|: -]*)$/;
const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{0,31});/y;

/** Length of the run of one special character here; zero where there is none. */
function runLength(text: string, index: number): number {
  const character = text.charAt(index);
  if (!special.test(character)) return 0;
  let end = index + 1;
  if (character === '*' || character === '_' || character === '~') while (text.charAt(end) === character) end++;
  return end - index;
}

function isSyntax(text: string, index: number, length: number, place: TextPlace): boolean {
  const before = text.charAt(index - 1) || place.before;
  const after = text.charAt(index + length) || place.after;
  switch (text.charAt(index)) {
    case '\\':
      return after === '' || (after.charCodeAt(0) < 0x80 && classOf(after, 'inside') === 'punctuation');
    case '*':
    case '~':
      return classOf(before, 'outside') !== 'space' || classOf(after, 'outside') !== 'space';
    case '_':
      return !isSameClass(before, after);
    case '[':
      return place.isInLink;
    case ']':
      return place.isInLink || after === '(';
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

/** Between two letters, or between two spaces, `_` does nothing. */
function isSameClass(before: string, after: string): boolean {
  const kind = classOf(before, 'inside');
  return kind !== 'punctuation' && kind === classOf(after, 'inside');
}
