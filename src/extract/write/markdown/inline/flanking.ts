/**
 * Adjusts marks so that they read back as marks. CommonMark accepts an opening `**` only if no white space follows, and
 * before punctuation only after white space or punctuation; the reverse holds for a closing one. HTML has no such rule,
 * so `a<b>(b)</b>` becomes `a(**b**)`: the text stays, the mark moves.
 */
import { classOf, firstCharacter, lastCharacter } from './characters.ts';
import type { Token } from './tokens.ts';

export function settleMarks(tokens: readonly Token[]): void {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.span === undefined || token.span.mark.kind === 'link') continue;
    if (token.span.delimiter.startsWith('_') && isBesideWord(tokens, index, token)) {
      // Directly inside a mark of its kind it forms one run with it, and reads back if both end together.
      if (isRightWithin(tokens, index)) token.span.delimiter = '**';
      else token.span.isDropped = true;
    } else if (token.kind === 'open') settleOpening(tokens, index, token);
    else settleClosing(tokens, index, token);
  }
  for (let index = 0; index + 1 < tokens.length; index++) tellApart(tokens, index);
}

/** Returns true if `_` would stand next to a letter, where it has no effect. Marks nested in their own kind use `_`. */
function isBesideWord(tokens: readonly Token[], index: number, token: Token): boolean {
  return classOf(outerCharacter(tokens, index, token.kind === 'open' ? -1 : 1, token.text), 'outside') === 'word';
}

function isRightWithin(tokens: readonly Token[], index: number): boolean {
  const outer = tokens[index - 1];
  return tokens[index]?.kind === 'open' && outer?.kind === 'open' && outer.span?.delimiter === '**';
}

function settleOpening(tokens: readonly Token[], index: number, token: Token): void {
  const inside = neighbour(tokens, index, 1);
  if (inside?.kind === 'text') {
    const space = /^\s+/.exec(inside.text)?.[0] ?? '';
    token.text += space;
    inside.text = inside.text.slice(space.length);
  }
  if (classOf(outerCharacter(tokens, index, -1, token.text), 'outside') !== 'word') return drop(token, inside);
  if (classOf(innerCharacter(inside, 1), 'inside') === 'word') return;
  if (inside?.kind === 'text') {
    const punctuation = /^[\p{P}\p{S}\s]+/u.exec(inside.text)?.[0] ?? '';
    if (partsPair(punctuation, withoutEnd(inside.text.slice(punctuation.length)))) {
      token.text = ' ';
      return;
    }
    token.text += punctuation;
    inside.text = inside.text.slice(punctuation.length);
    return drop(token, inside);
  }
  if (token.span !== undefined) token.span.isDropped = true;
}

function settleClosing(tokens: readonly Token[], index: number, token: Token): void {
  if (token.span === undefined || token.span.isDropped) return;
  const inside = neighbour(tokens, index, -1);
  if (inside?.kind === 'text') {
    const space = /\s+$/.exec(inside.text.slice(-edgeMax))?.[0] ?? '';
    token.text = space + token.text;
    inside.text = inside.text.slice(0, inside.text.length - space.length);
  }
  const outer = outerCharacter(tokens, index, 1, token.text);
  if (classOf(outer, 'outside') !== 'word') return drop(token, inside);
  const inner = innerCharacter(inside, -1);
  if (classOf(inner, 'inside') === 'word') return;
  if (inside?.kind === 'text') {
    // Most pages add a margin in `<b>Note:</b>text`, so the space is meant.
    if (/[.:;,!?]/.test(inner) && /[A-Za-z\d]/.test(outer) && inside.text.length > 1) return addSpace(tokens, index);
    const punctuation = /[\p{P}\p{S}\s]+$/u.exec(inside.text.slice(-edgeMax))?.[0] ?? '';
    if (partsPair(punctuation, inside.text.slice(0, inside.text.length - punctuation.length)))
      return addSpace(tokens, index);
    token.text = punctuation + token.text;
    inside.text = inside.text.slice(0, inside.text.length - punctuation.length);
    return drop(token, inside);
  }
  token.span.isDropped = true;
}

/** Adds a space after all markers that close here. */
function addSpace(tokens: readonly Token[], index: number): void {
  let last = tokens[index];
  for (let at = index + 1; tokens[at]?.kind === 'close' && tokens[at]?.span?.mark.kind !== 'link'; at++)
    if (tokens[at]?.span?.isDropped === false) last = tokens[at];
  if (last !== undefined) last.text = ' ';
}

/**
 * Returns true if only one bracket of a pair would move out of the mark, as in `<b>f (x)</b>of`. A space does less harm
 * there.
 */
function partsPair(moved: string, kept: string): boolean {
  for (const mark of moved) {
    const other = counterparts.get(mark);
    if (other !== undefined && kept.includes(other)) return true;
  }
  return false;
}

const counterparts: ReadonlyMap<string, string> = new Map(
  ['()', '[]', '{}', '（）', '［］', '【】', '〔〕', '「」', '『』', '《》', '〈〉', '“”', '‘’', '«»'].flatMap(
    ([open = '', close = '']) => [
      [open, close],
      [close, open],
    ],
  ),
);

/** Returns the text without what would move out at its other end. */
function withoutEnd(text: string): string {
  return text.slice(0, text.length - (/[\p{P}\p{S}\s]+$/u.exec(text.slice(-edgeMax))?.[0].length ?? 0));
}

/** Drops the mark if nothing is left inside it. */
function drop(token: Token, inside: Token | undefined): void {
  if (token.span !== undefined && inside?.kind === 'text' && inside.text === '') token.span.isDropped = true;
}

/** `**` directly around `*` forms runs of three, which read as swapped marks. `_` separates them. */
function tellApart(tokens: readonly Token[], index: number): void {
  const outer = tokens[index];
  const inner = tokens[index + 1];
  if (outer?.kind !== 'open' || inner?.kind !== 'open' || inner.text !== '') return;
  if (outer.span?.delimiter !== '**' || inner.span?.delimiter !== '*' || outer.span.isDropped || inner.span.isDropped)
    return;
  if (classOf(outerCharacter(tokens, index, -1, outer.text), 'outside') === 'word') return;
  let end = index + 2;
  while (end < tokens.length && tokens[end]?.span !== inner.span) end++;
  const closing = tokens[end + 1];
  if (closing?.span !== outer.span || tokens[end]?.text !== '') return;
  if (classOf(outerCharacter(tokens, end + 1, 1, closing.text), 'outside') !== 'word') inner.span.delimiter = '_';
}

/** Returns the content next to a marker, inside its mark. Skips other emphasis markers. */
function neighbour(tokens: readonly Token[], index: number, step: 1 | -1): Token | undefined {
  let at = index + step;
  while (tokens[at]?.span !== undefined && tokens[at]?.span?.mark.kind !== 'link') at += step;
  return tokens[at];
}

/** Returns the character inside the marker that decides its flanking; `*` for markup. */
function innerCharacter(token: Token | undefined, step: 1 | -1): string {
  if (token === undefined) return '';
  if (token.kind !== 'text') return '*';
  return step === 1 ? firstCharacter(token.text) : lastCharacter(token.text);
}

function outerCharacter(tokens: readonly Token[], index: number, step: 1 | -1, moved: string): string {
  if (moved !== '') return step === -1 ? lastCharacter(moved) : firstCharacter(moved);
  for (let at = index + step; ; at += step) {
    const token = tokens[at];
    if (token === undefined || token.kind === 'break') return '';
    if (token.span !== undefined && token.text !== '')
      return step === -1 ? lastCharacter(token.text) : firstCharacter(token.text);
    if (token.span === undefined || token.span.mark.kind === 'link') {
      return token.kind === 'text' ? innerCharacter(token, step === 1 ? 1 : -1) : '*';
    }
  }
}

/** White space and punctuation at the end of a text are searched only this far, to bound the regular expressions. */
const edgeMax = 64;
