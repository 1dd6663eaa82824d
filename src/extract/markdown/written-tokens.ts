/** The tokens of a paragraph as they will be written, once it is known which marks are. */
import type { Span, Token } from './tokens.ts';

/**
 * Text that stands together becomes one token: what a reader of the Markdown will find there. On one line (`isLine`), a break
 * is a space.
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

/** Whether the token will be written otherwise than it stands here. Most paragraphs have none such. */
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

/** Between the links of one `<code>` that is a list of names. */
function isSeparator(text: string, before: Token | undefined): boolean {
  return before?.kind === 'close' && before.span?.mark.kind === 'link' && separator.test(text);
}

/** Two code spans side by side would read as one with back-ticks in it, so they are made one. */
function addCode(written: Token[], text: string): void {
  const last = written.at(-1);
  if (last?.kind === 'code') last.text += text;
  else written.push({ kind: 'code', text, span: undefined });
}

/** No-break spaces at the end, or alone: how editors and old pages keep a line or a cell from collapsing. */
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

/** A link around nothing but no-break spaces is none: the spaces stay. */
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

/** A mark in a mark of its kind is written otherwise, unless that one was dropped. Whether there was such a mark. */
export function raiseOrphans(tokens: readonly Token[]): boolean {
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

/** In a mark of its kind, or directly in a bold one. */
function isWithin(open: readonly Span[], { mark }: Span): boolean {
  return open.at(-1)?.delimiter === '**' || open.some((around) => around.mark.kind === mark.kind);
}
