/**
 * Reads markers as a Markdown reader will (CommonMark, "process emphasis"), and drops those that would read differently
 * than meant. Adjacent markers merge into runs, and a run of three or more can pair with a marker of something else. No
 * local rule catches all cases, so this simulates the reader.
 */
import { classOf, firstCharacter, lastCharacter } from './characters.ts';
import type { Span, Token } from './tokens.ts';

/** Drops spans until each remaining one reads back as itself. `lineBreak` is how a break is written here. */
export function dropMisread(paragraph: readonly Token[], lineBreak: string): void {
  if (!paragraph.some(({ span }) => isWritten(span))) return;
  const tokens = paragraph.some(isEmptyText) ? paragraph.filter((token) => !isEmptyText(token)) : paragraph;
  for (let round = 0; round < roundsMax; round++) {
    let count = 0;
    for (const token of tokens) if (opensWritten(token)) count++;
    // Pairing is quadratic in the worst case. A paragraph with that many marks is hostile, or simple enough to read
    // well anyway.
    if (count === 0 || count > spansMax) return;
    const read = round === roundsMax - 1 ? undefined : readMarkers(tokens, lineBreak);
    let isRight = true;
    for (const token of tokens) {
      if (!opensWritten(token)) continue;
      const { span } = token;
      if (read?.get(span) === span.delimiter.length) continue;
      span.isDropped = true;
      isRight = false;
    }
    if (isRight) return;
  }
}

function isEmptyText({ kind, text }: Token): boolean {
  return kind === 'text' && text === '';
}

function opensWritten(token: Token): token is Token & { readonly span: Span } {
  return token.kind === 'open' && isWritten(token.span);
}

const roundsMax = 5;
const spansMax = 500;

/** Adjacent markers of one character. `owners` has one entry for each character. */
interface Run {
  readonly character: string;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  owners: readonly Span[];
}

/** Returns for each span how many characters of its markers pair with their counterpart. */
function readMarkers(tokens: readonly Token[], lineBreak: string): Map<Span, number> {
  const read = new Map<Span, number>();
  const stack: Run[] = [];
  const linkStarts: number[] = [];
  for (let index = 0; index < tokens.length;) {
    const token = tokens[index];
    if (token?.span?.mark.kind === 'link') {
      // Marks inside a link pair first, and no pair crosses its edge.
      if (token.kind === 'open') linkStarts.push(stack.length);
      else pairUp(stack.splice(linkStarts.pop() ?? 0), read);
    }
    if (!isWritten(token?.span)) {
      index++;
      continue;
    }
    const end = runEnd(tokens, index);
    stack.push(runOf(tokens, index, end, lineBreak));
    index = end;
  }
  pairUp(stack, read);
  return read;
}

function isWritten(span: Span | undefined): span is Span {
  return span !== undefined && span.mark.kind !== 'link' && !span.isDropped;
}

/** Returns the index after the last marker of the run. Text moved out of a mark ends the run. */
function runEnd(tokens: readonly Token[], start: number): number {
  const character = tokens[start]?.span?.delimiter[0];
  let end = start;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.span === undefined || token.span.mark.kind === 'link') break;
    if (at > start && token.kind === 'open' && token.text !== '') break;
    if (!token.span.isDropped) {
      if (token.span.delimiter[0] !== character) break;
      end = at + 1;
    }
    if (token.kind === 'close' && token.text !== '') break;
  }
  return end;
}

function runOf(tokens: readonly Token[], start: number, end: number, lineBreak: string): Run {
  const owners: Span[] = [];
  for (let at = start; at < end; at++) {
    const span = tokens[at]?.span;
    if (isWritten(span)) for (let unit = 0; unit < span.delimiter.length; unit++) owners.push(span);
  }
  const character = owners[0]?.delimiter[0] ?? '';
  const before = characterBefore(tokens, start, lineBreak);
  const after = characterAfter(tokens, end, lineBreak);
  const isLeft = isFlanking(before, after);
  const isRight = isFlanking(after, before);
  const isUnderscore = character === '_';
  return {
    character,
    length: owners.length,
    canOpen: isLeft && (!isUnderscore || classOf(before, 'outside') !== 'word'),
    canClose: isRight && (!isUnderscore || classOf(after, 'outside') !== 'word'),
    owners,
  };
}

function isFlanking(outside: string, inside: string): boolean {
  const inner = classOf(inside, 'inside');
  return inner === 'word' || (inner === 'punctuation' && classOf(outside, 'outside') !== 'word');
}

function characterBefore(tokens: readonly Token[], start: number, lineBreak: string): string {
  const own = tokens[start];
  if (own?.kind === 'open' && own.text !== '') return lastCharacter(own.text);
  for (let at = start - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined) return '';
    if (token.kind === 'break') return lastCharacter(lineBreak);
    if (token.kind === 'close' && token.text !== '') return lastCharacter(token.text);
    if (token.kind === 'text' && token.text !== '') return lastCharacter(token.text);
    if (token.kind === 'code' || token.kind === 'raw' || isMarkup(token)) return '*';
    if (token.kind === 'open' && token.text !== '') return lastCharacter(token.text);
  }
  return '';
}

function characterAfter(tokens: readonly Token[], end: number, lineBreak: string): string {
  const own = tokens[end - 1];
  if (own?.kind === 'close' && own.text !== '') return firstCharacter(own.text);
  for (let at = end; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) return '';
    if (token.kind === 'break') return firstCharacter(lineBreak);
    if (token.kind === 'open' && token.text !== '') return firstCharacter(token.text);
    if (token.kind === 'text' && token.text !== '') return firstCharacter(token.text);
    if (token.kind === 'code' || token.kind === 'raw' || isMarkup(token)) return '*';
    if (token.kind === 'close' && token.text !== '') return firstCharacter(token.text);
  }
  return '';
}

function isMarkup({ span }: Token): boolean {
  return span !== undefined && (span.mark.kind === 'link' || !span.isDropped);
}

function pairUp(runs: readonly Run[], read: Map<Span, number>): void {
  const openers: Run[] = [];
  for (const closer of runs) {
    while (closer.canClose && closer.owners.length > 0) {
      const at = openers.findLastIndex((opener) => doMatch(opener, closer));
      const opener = openers[at];
      if (opener === undefined) break;
      // Runs between a matching pair can no longer match.
      openers.length = at + 1;
      const units = opener.owners.length >= 2 && closer.owners.length >= 2 ? 2 : 1;
      for (const span of opener.owners.slice(-units)) {
        const isClosed = closer.owners.lastIndexOf(span, units - 1) !== -1;
        if (isClosed) read.set(span, (read.get(span) ?? 0) + 1);
      }
      opener.owners = opener.owners.slice(0, -units);
      closer.owners = closer.owners.slice(units);
      if (opener.owners.length === 0) openers.pop();
    }
    if (closer.canOpen && closer.owners.length > 0) openers.push(closer);
  }
}

function doMatch(opener: Run, closer: Run): boolean {
  if (opener.character !== closer.character) return false;
  if (opener.character === '~') return opener.owners.length === closer.owners.length;
  const isAmbiguous = opener.canClose || closer.canOpen;
  return !isAmbiguous || closer.length % 3 === 0 || (opener.length + closer.length) % 3 !== 0;
}
