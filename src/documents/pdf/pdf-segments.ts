/** Joins adjacent pieces on a baseline into a segment: one line of a column or of a table cell. */
import type { Piece } from './pdf-pieces.ts';
import type { Tags } from './pdf-structure.ts';

/** Part of a line in one font or one link. */
export interface Span {
  readonly text: string;
  readonly isCode: boolean;
  /** True for a note mark or exponent: smaller, and above the line. */
  readonly isRaised: boolean;
  readonly url: string | undefined;
}

/** Text without formatting, to put between two spans. */
export function plainSpan(text: string): Span {
  return { text, isCode: false, isRaised: false, url: undefined };
}

export function areAlike(one: Span, other: Span): boolean {
  return one.isCode === other.isCode && one.isRaised === other.isRaised && one.url === other.url;
}

export interface Segment {
  readonly spans: readonly Span[];
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly angle: number;
  /** True if all pieces are code. */
  readonly isCode: boolean;
  readonly isBold: boolean;
  readonly tags: Tags | undefined;
}

/** In em. Pieces further apart are in different columns. */
const gapMax = 1;

export function segmentsOf(pieces: readonly Piece[]): Segment[] {
  const segments: Segment[] = [];
  let parts: Piece[] = [];
  let [left, right] = [0, 0];
  let largest: Piece | undefined;
  for (const piece of pieces) {
    const before = parts.at(-1);
    const isNear = before && largest && isNextTo(before, piece, largest) && isBeside(before, piece, left, right);
    if (before && !isNear) {
      segments.push(segmentOf(parts));
      parts = [];
    }
    left = parts.length === 0 ? piece.left : Math.min(left, piece.left);
    right = parts.length === 0 ? piece.right : Math.max(right, piece.right);
    if (!largest || parts.length === 0 || piece.size > largest.size) largest = piece;
    parts.push(piece);
  }
  if (parts.length > 0) segments.push(segmentOf(parts));
  return segments;
}

/** Returns true if `piece` is in the line of `before`, whose largest piece gives the baseline. */
function isNextTo(before: Piece, piece: Piece, largest: Piece): boolean {
  if (before.angle !== piece.angle) return false;
  if (before.tags?.cell !== piece.tags?.cell || before.tags?.heading !== piece.tags?.heading) return false;
  if (Math.abs(before.y - piece.y) <= Math.max(before.size, piece.size) * 0.45) return true;
  // An exponent that is raised by half an em stands right after its base.
  if (isScript(piece, largest) && Math.abs(piece.left - before.right) < largest.size * 0.2) return true;
  // An index below an exponent, or what follows them.
  return isScript(before, largest) && (isScript(piece, largest) || Math.abs(piece.y - largest.y) < largest.size * 0.1);
}

function isScript({ size, y }: Piece, base: Piece): boolean {
  return size < base.size * 0.85 && size > base.size * 0.45 && Math.abs(y - base.y) < base.size * 0.6;
}

function isBeside(before: Piece, piece: Piece, left: number, right: number): boolean {
  const size = Math.max(before.size, piece.size);
  // Code keeps its gaps.
  const gap = before.isCode && piece.isCode ? size * 40 : size * gapMax;
  return piece.left - right < gap && left - piece.right < size * gapMax;
}

function segmentOf(parts: readonly Piece[]): Segment {
  const ordered = inReadingOrder(parts);
  const largest = parts.reduce((most, piece) => (piece.size > most.size ? piece : most));
  const spans: Span[] = [];
  let before: Piece | undefined;
  for (const piece of ordered) {
    const space = before ? spaceBetween(before, piece) : '';
    const last = spans.at(-1);
    const { text, isCode, url, size, y } = piece;
    const isRaised = size < largest.size * 0.85 && y > largest.y + largest.size * 0.15;
    const span = { text, isCode, isRaised, url };
    if (last && areAlike(last, span)) spans[spans.length - 1] = { ...last, text: last.text + space + text };
    else {
      if (last && space !== '') spans[spans.length - 1] = { ...last, text: last.text + space };
      spans.push(span);
    }
    before = piece;
  }
  const letters = parts.reduce((sum, { text }) => sum + text.length, 0);
  const bold = parts.reduce((sum, { text, isBold }) => sum + (isBold ? text.length : 0), 0);
  return {
    spans,
    text: spans.map(({ text }) => text).join(''),
    left: parts.reduce((least, piece) => Math.min(least, piece.left), Infinity),
    right: parts.reduce((most, piece) => Math.max(most, piece.right), -Infinity),
    y: largest.y,
    size: largest.size,
    angle: largest.angle,
    isCode: parts.every(({ isCode }) => isCode),
    isBold: bold > letters * 0.8,
    tags: ordered[0]?.tags,
  };
}

function spaceBetween(before: Piece, piece: Piece): string {
  if (before.text.endsWith(' ') || piece.text.startsWith(' ')) return '';
  const size = Math.min(before.size, piece.size);
  const gap = piece.left >= before.left ? piece.left - before.right : before.left - piece.right;
  if (gap < size * 0.1) return '';
  if (!before.isCode || !piece.isCode) return ' ';
  const width = (before.right - before.left) / before.text.length || size;
  return ' '.repeat(Math.min(Math.max(Math.round(gap / width), 1), 80));
}

/** Letters of scripts written from right to left. */
export const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Orders pieces from left to right. A line of Hebrew or Arabic is ordered from right to left, but runs of words and
 * numbers in other scripts keep their order. pdf.js has already ordered the letters within each piece.
 */
function inReadingOrder(parts: readonly Piece[]): readonly Piece[] {
  const isInOrder = parts.every((piece, index) => {
    const before = parts[index - 1];
    return !before || piece.left > before.left - piece.size / 2;
  });
  if (!isBackwards(parts)) return isInOrder ? parts : parts.toSorted((one, other) => one.left - other.left);
  const ordered: Piece[] = [];
  let run: Piece[] = [];
  for (const piece of parts.toSorted((one, other) => other.right - one.right)) {
    if (/[\p{L}\p{N}]/u.test(piece.text) && !rightToLeft.test(piece.text)) run.push(piece);
    else {
      ordered.push(...run.toReversed(), { ...piece, text: mirrored(piece.text) });
      run = [];
    }
  }
  return [...ordered, ...run.toReversed()];
}

/** Most of the letters are of a script written from right to left. */
export function isBackwards(parts: readonly { readonly text: string }[]): boolean {
  const count = (test: RegExp): number => parts.reduce((sum, { text }) => sum + (test.test(text) ? text.length : 0), 0);
  const back = count(rightToLeft);
  return back > 0 && back >= count(/\p{L}/u) - back;
}

/** Each stands next to its mirror image. */
const brackets = '()[]{}«»<>';

/** In right-to-left text, an opening bracket is drawn as a closing one. */
function mirrored(text: string): string {
  return text.replaceAll(/[()[\]{}«»<>]/g, (bracket) => brackets.charAt(brackets.indexOf(bracket) ^ 1));
}
