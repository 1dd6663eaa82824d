/** Prepares the tokens of a paragraph for writing, once dropped marks are known. */
import type { Span, Token } from './tokens.ts';

/**
 * Merges adjacent text into one token, as a reader of the Markdown will see it. On one line (`isLine`), a break becomes
 * a space.
 */
export function withoutDropped(tokens: readonly Token[], isLine: boolean): readonly Token[] {
  if (!tokens.some((token) => differs(token, isLine))) return tokens;
  const written: Token[] = [];
  for (const { kind, text, span } of tokens) {
    const isWritten = kind !== 'text' && span?.isDropped !== true;
    if (kind === 'text' || kind === 'open' || (kind === 'close' && !isWritten)) addText(written, text);
    if (!isWritten) continue;
    if (kind === 'code' && isSeparator(text, written.at(-1))) addText(written, text);
    else if (kind === 'code') addCode(written, text);
    else if (kind === 'break' && isLine) addText(written, ' ');
    else written.push({ kind, text: span === undefined ? text : '', span });
    if (kind === 'close') addText(written, text);
  }
  return written;
}

/** Returns true if the token must change before writing. Most paragraphs have none. */
function differs({ kind, text, span }: Token, isLine: boolean): boolean {
  if (span !== undefined) return span.isDropped || text !== '';
  return kind === 'code' ? separator.test(text) : isLine && kind === 'break';
}

const separator = /^\s{0,2}[,;]\s{0,2}$/;

function addText(written: Token[], text: string): void {
  const last = written.at(-1);
  if (last?.kind === 'text') last.text += text;
  else if (text !== '') written.push({ kind: 'text', text, span: undefined });
}

/** Returns true for a separator between the links of one `<code>` with a list of names. */
function isSeparator(text: string, before: Token | undefined): boolean {
  return before?.kind === 'close' && before.span?.mark.kind === 'link' && separator.test(text);
}

/** Adjacent code spans would read as one with back-ticks in it, so they are merged. */
function addCode(written: Token[], text: string): void {
  const last = written.at(-1);
  if (last?.kind === 'code') last.text += text;
  else written.push({ kind: 'code', text, span: undefined });
}

/**
 * Removes no-break spaces at the end, or alone. Editors and old pages use them to keep a line or cell from collapsing.
 */
export function trimmed(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length;
  for (let last = tokens[end - 1]; last !== undefined && isEdge(last); last = tokens[--end - 1]) {
    last.text = last.text.trimEnd();
    if (last.text !== '') break;
  }
  return end === tokens.length ? tokens : tokens.slice(0, end);
}

function isEdge({ kind }: Token): boolean {
  return kind === 'text' || kind === 'break';
}

/** Removes links that contain only no-break spaces; the spaces stay. */
export function withoutBlankLinks(tokens: readonly Token[]): readonly Token[] {
  let blank: Set<Span> | undefined;
  let open: Span | undefined;
  for (const { kind, text, span } of tokens) {
    if (span?.mark.kind === 'link') {
      if (kind === 'close' && open === span) (blank ??= new Set()).add(span);
      open = kind === 'open' ? span : undefined;
    } else if (span === undefined && (kind !== 'text' || text.trim() !== '')) {
      open = undefined;
    }
  }
  return blank === undefined ? tokens : tokens.filter(({ span }) => span === undefined || blank?.has(span) !== true);
}

/** Restores the usual marker for a nested mark whose outer mark was dropped. Returns true if there was one. */
export function raiseOrphans(tokens: readonly Token[]): boolean {
  if (!tokens.some(({ span }) => span?.delimiter.startsWith('_') === true)) return false;
  let isAny = false;
  const open: Span[] = [];
  for (const { kind, span } of tokens) {
    if (span === undefined || span.isDropped) continue;
    if (kind === 'close') {
      open.pop();
      continue;
    }
    if (span.delimiter.startsWith('_') && !isWithin(open, span)) {
      span.delimiter = span.delimiter.replaceAll('_', '*');
      isAny = true;
    }
    open.push(span);
  }
  return isAny;
}

/** Returns true inside a mark of its kind, or directly inside a bold one. */
function isWithin(open: readonly Span[], { mark }: Span): boolean {
  return open.at(-1)?.delimiter === '**' || open.some((around) => around.mark.kind === mark.kind);
}
